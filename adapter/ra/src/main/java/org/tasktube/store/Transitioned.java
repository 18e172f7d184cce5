package org.tasktube.store;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.tasktube.Task;
import org.tasktube.TaskState;

/**
 * Tasks of one tube that went through a transition together.
 *
 * @param from the tasks' state before
 * @param count the number of tasks
 * @param ids the tasks' ids; empty if only the number was wanted
 * @param tasks the tasks as they were before, if they were wanted; else empty
 * @param untilDeadline the time until the first of their deadlines; zero if a sweep has to find it, empty without one
 * @param followed whether other tasks may wait for some of these, which have ended
 */
public record Transitioned(
        Transition transition,
        TaskState from,
        long count,
        List<Long> ids,
        List<Task> tasks,
        Optional<Duration> untilDeadline,
        boolean followed) {

    /** Creates a transition of tasks that no other tasks wait for. */
    public Transitioned(
            Transition transition,
            TaskState from,
            long count,
            List<Long> ids,
            List<Task> tasks,
            Optional<Duration> untilDeadline) {
        this(transition, from, count, ids, tasks, untilDeadline, false);
    }

    /** Returns the same with {@link #followed}. */
    public Transitioned withFollowers(boolean have) {
        return new Transitioned(transition, from, count, ids, tasks, untilDeadline, have);
    }

    /** Returns the transition of a single task. */
    public static Transitioned one(Transition transition, TaskState from, long id, Optional<Duration> untilDeadline) {
        return new Transitioned(transition, from, 1, List.of(id), List.of(), untilDeadline);
    }

    /**
     * Returns the transition of several tasks. If they were TAKEN and still exist, they have new deadlines, which no
     * statement has returned.
     */
    public static Transitioned many(Transition transition, TaskState from, List<Long> ids) {
        boolean haveOthers = from == TaskState.TAKEN && transition.to().isPresent();
        return new Transitioned(
                transition,
                from,
                ids.size(),
                ids,
                List.of(),
                haveOthers ? Optional.of(Duration.ZERO) : Optional.empty());
    }

    /** Returns the tasks' state now; empty if they were removed. */
    public Optional<TaskState> to() {
        return transition.to();
    }
}
