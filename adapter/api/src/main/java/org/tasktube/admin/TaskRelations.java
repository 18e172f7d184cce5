package org.tasktube.admin;

import java.util.List;
import java.util.Optional;
import org.tasktube.TaskState;

/**
 * The tasks that come before a task and after it, by {@link org.tasktube.PutOptions#after} and
 * {@link org.tasktube.PutOptions#before}.
 *
 * @param parents the number of tasks that come before it
 * @param open the number of those that have not ended
 * @param before the first of the tasks that come before it, those that have not ended first; at most {@value #MOST}
 * @param after the first of the tasks that come after it; at most {@value #MOST}
 */
public record TaskRelations(long parents, long open, List<Relative> before, List<Relative> after) {

    /** The most tasks in each list. */
    public static final int MOST = 200;

    /**
     * A task before another one, or after it.
     *
     * @param tube the name of its tube; empty if the task is gone
     * @param state its state; empty if it is gone
     * @param ended whether the wait of the later one for the earlier one has ended
     */
    public record Relative(long id, Optional<String> tube, Optional<TaskState> state, boolean ended) {}

    public TaskRelations {
        before = List.copyOf(before);
        after = List.copyOf(after);
    }
}
