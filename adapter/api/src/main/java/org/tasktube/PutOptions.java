package org.tasktube;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How a task is put. What is not set comes from the tube's definition. Durations are exact to the millisecond and at
 * most {@link TubeDefinition#MAX_DURATION}. Immutable; each method returns a changed copy, and refuses by an {@link
 * IllegalArgumentException} what the constructor does.
 *
 * @param pri smaller first, from 0, as in tarantool/queue (its older API counts the other way, 0 to 255, greater first)
 * @param ttl the time to live, after which a task that nobody holds is removed; the delay is added to it
 * @param ttr the time to run, after which a taken task is made ready again; without one it is the tube's, else the ttl,
 *     else infinite
 * @param delay the time before the task becomes ready
 * @param utube the sub-queue, 1 to {@value #MAX_UTUBE} characters; a task without one is held back by none
 * @param urgent goes ahead of every READY task, also those of pri 0, so that no pri is given with it; with a delay the
 *     task is put as any other
 */
public record PutOptions(
        OptionalInt pri,
        Optional<Duration> ttl,
        Optional<Duration> ttr,
        Optional<Duration> delay,
        Optional<String> utube,
        boolean urgent) {

    /** The most characters of a sub-queue's name. */
    public static final int MAX_UTUBE = 255;

    private static final PutOptions DEFAULTS = new PutOptions(
            OptionalInt.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), false);

    /**
     * @throws IllegalArgumentException for a pri or delay below 0, a ttl or ttr below a millisecond, a duration over the
     *     limit, or a sub-queue's name that is empty or too long
     */
    public PutOptions {
        pri.ifPresent(Limits::checkPri);
        ttl.ifPresent(value -> Limits.checkSpan("ttl", value));
        ttr.ifPresent(value -> Limits.checkSpan("ttr", value));
        delay.ifPresent(value -> Limits.checkDelay("delay", value));
        utube.ifPresent(value -> Limits.checkKey("utube", value, MAX_UTUBE));
    }

    /** No option set: everything as the tube has it. */
    public static PutOptions defaults() {
        return DEFAULTS;
    }

    public PutOptions pri(int value) {
        return new PutOptions(OptionalInt.of(value), ttl, ttr, delay, utube, urgent);
    }

    public PutOptions ttl(Duration value) {
        return new PutOptions(pri, Optional.of(value), ttr, delay, utube, urgent);
    }

    public PutOptions ttr(Duration value) {
        return new PutOptions(pri, ttl, Optional.of(value), delay, utube, urgent);
    }

    public PutOptions delay(Duration value) {
        return new PutOptions(pri, ttl, ttr, Optional.of(value), utube, urgent);
    }

    public PutOptions utube(String value) {
        return new PutOptions(pri, ttl, ttr, delay, Optional.of(value), urgent);
    }

    /** Ahead of every READY task. (urgent of tarantool's older API.) */
    public PutOptions asUrgent() {
        return new PutOptions(pri, ttl, ttr, delay, utube, true);
    }
}
