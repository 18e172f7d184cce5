package org.tasktube;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The options of a put. An option that is not set comes from the tube's definition. Durations are exact to the
 * millisecond and at most {@link TubeDefinition#MAX_DURATION}.
 *
 * <p>Instances are immutable. Each method returns a changed copy, and throws the constructor's
 * {@link IllegalArgumentException} for a value out of its bounds.
 *
 * @param pri the priority, from 0, smaller first, as in tarantool/queue (its older API counts from 0 to 255, greater
 *     first)
 * @param ttl the time to live, at least 1 ms. After it, a task that is not TAKEN is removed. The delay is added to it
 * @param ttr the time to run, at least 1 ms. After it, a TAKEN task becomes READY again. The default is the tube's ttr,
 *     else the ttl, else infinite
 * @param delay the time before the task becomes READY, 0 or more
 * @param utube the sub-queue, 1 to {@value #MAX_UTUBE} characters. A task without a sub-queue waits for no other task
 * @param urgent true if the task goes ahead of every READY task, also of pri 0; it then takes no pri. With a delay the
 *     task is put like any other
 */
public record PutOptions(
        OptionalInt pri,
        Optional<Duration> ttl,
        Optional<Duration> ttr,
        Optional<Duration> delay,
        Optional<String> utube,
        boolean urgent) {

    /** The maximum length of a sub-queue's name, in characters. */
    public static final int MAX_UTUBE = 255;

    private static final PutOptions DEFAULTS = new PutOptions(
            OptionalInt.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), false);

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if pri or delay is below 0, ttl or ttr is below 1 ms, a duration is over
     *     {@link TubeDefinition#MAX_DURATION}, or the sub-queue's name is empty or too long
     */
    public PutOptions {
        pri.ifPresent(Limits::checkPri);
        ttl.ifPresent(value -> Limits.checkSpan("ttl", value));
        ttr.ifPresent(value -> Limits.checkSpan("ttr", value));
        delay.ifPresent(value -> Limits.checkDelay("delay", value));
        utube.ifPresent(value -> Limits.checkKey("utube", value, MAX_UTUBE));
    }

    /** Returns options of which none is set: all values come from the tube. */
    public static PutOptions defaults() {
        return DEFAULTS;
    }

    /** Returns a copy with a priority, from 0, smaller first. */
    public PutOptions pri(int value) {
        return new PutOptions(OptionalInt.of(value), ttl, ttr, delay, utube, urgent);
    }

    /** Returns a copy with a time to live, 1 ms to {@link TubeDefinition#MAX_DURATION}. */
    public PutOptions ttl(Duration value) {
        return new PutOptions(pri, Optional.of(value), ttr, delay, utube, urgent);
    }

    /** Returns a copy with a time to run, 1 ms to {@link TubeDefinition#MAX_DURATION}. */
    public PutOptions ttr(Duration value) {
        return new PutOptions(pri, ttl, Optional.of(value), delay, utube, urgent);
    }

    /** Returns a copy with a delay, 0 to {@link TubeDefinition#MAX_DURATION}. */
    public PutOptions delay(Duration value) {
        return new PutOptions(pri, ttl, ttr, Optional.of(value), utube, urgent);
    }

    /** Returns a copy with a sub-queue, 1 to {@value #MAX_UTUBE} characters. */
    public PutOptions utube(String value) {
        return new PutOptions(pri, ttl, ttr, delay, Optional.of(value), urgent);
    }

    /** Returns a copy that goes ahead of every READY task. (urgent of tarantool's older API.) */
    public PutOptions asUrgent() {
        return new PutOptions(pri, ttl, ttr, delay, utube, true);
    }
}
