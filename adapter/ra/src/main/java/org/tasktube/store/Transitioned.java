package org.tasktube.store;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.tasktube.Task;
import org.tasktube.TaskState;

/**
 * Tasks of one tube that went through a transition together.
 *
 * @param from their state before
 * @param count how many they are
 * @param ids which; empty where only their number was asked for
 * @param tasks as they were before, where that was asked for; else empty
 * @param untilDeadline until the first of their deadlines; zero if a sweep has to find it, empty if there is none
 */
public record Transitioned(
        Transition transition,
        TaskState from,
        long count,
        List<Long> ids,
        List<Task> tasks,
        Optional<Duration> untilDeadline) {

    /** Returns a single task. */
    public static Transitioned one(Transition transition, TaskState from, long id, Optional<Duration> untilDeadline) {
        return new Transitioned(transition, from, 1, List.of(id), List.of(), untilDeadline);
    }

    /** Returns many tasks. The deadlines of those that were TAKEN are other ones now, which no statement has answered. */
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

    /** Returns their state now; empty if they are gone. */
    public Optional<TaskState> to() {
        return transition.to();
    }
}
