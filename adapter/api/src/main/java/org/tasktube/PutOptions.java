package org.tasktube;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How a task is put. What is not set comes from the tube's definition. Durations are exact to the millisecond and at
 * most {@link TubeDefinition#MAX_DURATION}. Immutable; each method returns a changed copy.
 *
 * @param pri smaller first, from 0
 * @param ttl the time to live, after which a task that nobody holds is removed; the delay is added to it
 * @param ttr the time to run, after which a taken task is made ready again; without one it is the tube's, else the ttl,
 *     else infinite
 * @param delay the time before the task becomes ready
 */
public record PutOptions(OptionalInt pri, Optional<Duration> ttl, Optional<Duration> ttr, Optional<Duration> delay) {

    private static final PutOptions DEFAULTS =
            new PutOptions(OptionalInt.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /**
     * @throws IllegalArgumentException for a pri or delay below 0, a ttl or ttr below a millisecond, or a duration over
     *     the limit
     */
    public PutOptions {
        pri.ifPresent(Limits::checkPri);
        ttl.ifPresent(value -> Limits.checkSpan("ttl", value));
        ttr.ifPresent(value -> Limits.checkSpan("ttr", value));
        delay.ifPresent(value -> Limits.checkDelay("delay", value));
    }

    /** No option set: everything as the tube has it. */
    public static PutOptions defaults() {
        return DEFAULTS;
    }

    public PutOptions pri(int value) {
        return new PutOptions(OptionalInt.of(value), ttl, ttr, delay);
    }

    public PutOptions ttl(Duration value) {
        return new PutOptions(pri, Optional.of(value), ttr, delay);
    }

    public PutOptions ttr(Duration value) {
        return new PutOptions(pri, ttl, Optional.of(value), delay);
    }

    public PutOptions delay(Duration value) {
        return new PutOptions(pri, ttl, ttr, Optional.of(value));
    }
}
