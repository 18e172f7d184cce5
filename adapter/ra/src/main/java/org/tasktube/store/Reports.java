package org.tasktube.store;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskState;

/**
 * Reads of the present state, for those who operate TaskTube. They lock nothing, and read a bounded number of tasks by
 * an index. In a transaction of the caller they are part of it.
 *
 * <p>If the store fails, a method throws {@link org.tasktube.StoreException}.
 */
public interface Reports {

    /** The most TAKEN tasks per tube that {@link #oldestReady} reads. */
    int MOST_TAKEN = 200;

    /**
     * Returns what the store knows of the reasons why a task waits; empty if the tube does not have the task.
     *
     * @param most the most tasks before it, and the most TAKEN tasks of the tube, to read
     */
    Optional<Situation> situation(StoredTube tube, long id, int most);

    /** Returns all tubes, by name. The tubes of a store in memory are in the database, so that store returns none. */
    List<StoredTube> tubes();

    /** Returns the names of the servers by their numbers. A store in memory returns none. */
    Map<Integer, String> servers();

    /** Returns all of a task; empty if the tube does not have it. */
    Optional<WholeTask> whole(StoredTube tube, long id);

    /** Returns the tasks of these ids that the tube has, with their data. */
    List<Task> tasks(StoredTube tube, Collection<Long> ids);

    /**
     * Returns the number of tasks of each tube that has some in a state.
     *
     * @param most the number of tasks at which the count ends, of all tubes together. READY tasks that are blocked in
     *     their sub-queues have a count of their own with this bound
     */
    List<TubeCount> counts(Collection<StoredTube> tubes, TaskState state, int most);

    /** Returns the first bytes of the data of these tasks, at most so many of each, by their ids. */
    Map<Long, TaskData> beginnings(Collection<Long> ids, int bytes);

    /** Returns the greatest id of a task; 0 if there is none. */
    long lastId();

    /**
     * Returns the task with the earliest put among the first READY tasks of each priority, for each tube that has one.
     * Of the tasks that are blocked in their sub-queues, those count that are next to a TAKEN one, of which the first
     * {@value #MOST_TAKEN} per tube are read. Tasks whose ttl is over do not count.
     *
     * @param priorities the most priorities per tube to read, the smallest first
     */
    List<OldestTask> oldestReady(int priorities);
}
