package org.tasktube.store;

import java.time.Duration;
import java.util.Optional;
import org.tasktube.TaskFailure;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;

/**
 * A transition to apply, with the values that it sets.
 *
 * @param from the state that the task must have, for a transition by id: one of the states in {@link Transition#from}
 * @param delay the time until a released task is READY again
 * @param ttl the new ttl of a released task, which counts from the end of the delay
 * @param increment the time by which touch postpones the deadline and the end of the ttl
 * @param failure the failure of a delivery, which the task keeps
 */
public record Change(
        Transition transition,
        Optional<TaskState> from,
        Optional<Duration> delay,
        Optional<Duration> ttl,
        Optional<Duration> increment,
        Optional<TaskResult> result,
        Optional<TaskFailure> failure) {

    private static final Optional<Duration> NO_TIME = Optional.empty();

    private Change(Transition transition, Optional<TaskState> from, Optional<Duration> delay, Optional<Duration> ttl) {
        this(transition, from, delay, ttl, NO_TIME, Optional.empty(), Optional.empty());
    }

    /** Returns a transition without values. */
    public static Change of(Transition transition) {
        return new Change(transition, Optional.empty(), NO_TIME, NO_TIME);
    }

    /** Returns a transition for a task that must have this state. */
    public static Change from(TaskState from, Transition transition) {
        return new Change(transition, Optional.of(from), NO_TIME, NO_TIME);
    }

    /** Returns a release after a delay. Without a new ttl, the delay extends the ttl. */
    public static Change release(Duration delay, Optional<Duration> ttl) {
        Transition release = delay.toMillis() > 0 ? Transition.RELEASE_DELAYED : Transition.RELEASE;
        return new Change(release, Optional.empty(), Optional.of(delay), ttl);
    }

    /** Returns the change after a failed delivery: a release after the delay, or a burial if there is no delay. */
    public static Change failed(TaskFailure failure, Optional<Duration> delay) {
        return delay.map(later -> release(later, Optional.empty()))
                .orElseGet(() -> of(Transition.BURY))
                .with(failure);
    }

    /** Returns the burial of a task that nobody holds, with a reason. */
    public static Change burial(TaskState from, TaskFailure why) {
        return from(from, Transition.BURY_UNHELD).with(why);
    }

    /** Returns the call to the holder of a task to end it, or the reason of a deletion. */
    public static Change cancel(TaskState from, TaskFailure why) {
        return from(from, Transition.CANCEL).with(why);
    }

    private Change with(TaskFailure why) {
        return new Change(transition, from, delay, ttl, increment, result, Optional.of(why));
    }

    /** Returns a touch by an increment. */
    public static Change touch(Duration increment) {
        return new Change(
                Transition.TOUCH,
                Optional.empty(),
                NO_TIME,
                NO_TIME,
                Optional.of(increment),
                Optional.empty(),
                Optional.empty());
    }

    /** Returns an ack that keeps a result. */
    public static Change result(TaskResult result) {
        return new Change(
                Transition.ACK_RESULT,
                Optional.empty(),
                NO_TIME,
                NO_TIME,
                NO_TIME,
                Optional.of(result),
                Optional.empty());
    }
}
