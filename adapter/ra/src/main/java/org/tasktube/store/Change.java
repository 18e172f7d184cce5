package org.tasktube.store;

import java.time.Duration;
import java.util.Optional;
import org.tasktube.TaskFailure;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;

/**
 * A transition to apply, with the values that it sets.
 *
 * @param from the state that a task must be in, for a transition by id; narrower than what {@link Transition#from} allows
 * @param delay until a released task is READY again
 * @param ttl a new life of a released task, which counts from the end of the delay
 * @param increment by how much touch moves the deadline and the end of life away
 * @param failure what a task remembers of a failed delivery
 */
public record Change(
        Transition transition,
        Optional<TaskState> from,
        Optional<Duration> delay,
        Optional<Duration> ttl,
        Optional<Duration> increment,
        Optional<TaskResult> result,
        Optional<TaskFailure> failure) {

    /** Returns a transition without values. */
    public static Change of(Transition transition) {
        return new Change(
                transition,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /** Returns a transition of a task that must be in that state. */
    public static Change from(TaskState from, Transition transition) {
        Change plain = of(transition);
        return new Change(
                transition, Optional.of(from), plain.delay, plain.ttl, plain.increment, plain.result, plain.failure);
    }

    /** Returns the release after a delay. Without a new ttl the delay prolongs the task's life. */
    public static Change release(Duration delay, Optional<Duration> ttl) {
        Change release = of(delay.toMillis() > 0 ? Transition.RELEASE_DELAYED : Transition.RELEASE);
        return new Change(
                release.transition,
                release.from,
                Optional.of(delay),
                ttl,
                release.increment,
                release.result,
                release.failure);
    }

    /** Returns the end of a failed delivery: a release after the delay, or a burial without one. */
    public static Change failed(TaskFailure failure, Optional<Duration> delay) {
        Change change = delay.map(later -> release(later, Optional.empty())).orElseGet(() -> of(Transition.BURY));
        return new Change(
                change.transition,
                change.from,
                change.delay,
                change.ttl,
                change.increment,
                change.result,
                Optional.of(failure));
    }

    /** Returns the touch by an increment. */
    public static Change touch(Duration increment) {
        Change touch = of(Transition.TOUCH);
        return new Change(
                touch.transition,
                touch.from,
                touch.delay,
                touch.ttl,
                Optional.of(increment),
                touch.result,
                touch.failure);
    }

    /** Returns the ack that keeps a result. */
    public static Change result(TaskResult result) {
        Change ack = of(Transition.ACK_RESULT);
        return new Change(
                ack.transition, ack.from, ack.delay, ack.ttl, ack.increment, Optional.of(result), ack.failure);
    }
}
