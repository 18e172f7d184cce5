package org.tasktube.store;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.tasktube.Task;
import org.tasktube.TaskMeta;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;

/** Reads tasks as the caller's transaction sees them. No read waits for another transaction, or locks a task. */
public interface TaskReads {

    /** Returns the existing tasks of these ids, as the caller's transaction sees them. */
    List<Task> tasks(StoredTube tube, Collection<Long> ids);

    Optional<Task> find(StoredTube tube, long id);

    /** Returns the session that holds a task; empty if none does. */
    Optional<UUID> holder(StoredTube tube, long id);

    Optional<TaskMeta> meta(StoredTube tube, long id);

    Optional<TaskResult> result(StoredTube tube, long id);

    /** Returns the states of the existing tasks of these ids. */
    Map<Long, TaskState> states(Collection<Long> ids);

    /** Returns the first task in a state: by deadline if DELAYED, else by order key. */
    Optional<Task> first(StoredTube tube, TaskState state);

    List<Task> page(StoredTube tube, TaskState state, long afterId, int limit);

    /** Returns the number of tasks per tube and state. Reads all tasks. */
    List<TubeCount> counts();
}
