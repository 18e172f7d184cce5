package org.tasktube;

import java.time.Duration;
import java.util.Optional;

/**
 * The options of a release. Instances are immutable. Each method returns a changed copy, and throws the constructor's
 * {@link IllegalArgumentException} for a value out of its bounds.
 *
 * @param delay the time before the task becomes READY again, 0 or more. As in put, it is added to the remaining time to
 *     live. (tarantool's older API does not add it.)
 * @param ttl the remaining time to live from now, at least 1 ms, without the delay. By default the task keeps its end
 *     of life
 */
public record ReleaseOptions(Optional<Duration> delay, Optional<Duration> ttl) {

    private static final ReleaseOptions DEFAULTS = new ReleaseOptions(Optional.empty(), Optional.empty());

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if the delay is below 0, the ttl is below 1 ms, or a duration is over
     *     {@link TubeDefinition#MAX_DURATION}
     */
    public ReleaseOptions {
        delay.ifPresent(value -> Limits.checkDelay("delay", value));
        ttl.ifPresent(value -> Limits.checkSpan("ttl", value));
    }

    /** Returns options of which none is set: the task becomes READY at once, in its old place. */
    public static ReleaseOptions defaults() {
        return DEFAULTS;
    }

    /** Returns a copy with a delay, 0 to {@link TubeDefinition#MAX_DURATION}. */
    public ReleaseOptions delay(Duration value) {
        return new ReleaseOptions(Optional.of(value), ttl);
    }

    /** Returns a copy with a remaining time to live, 1 ms to {@link TubeDefinition#MAX_DURATION}. */
    public ReleaseOptions ttl(Duration value) {
        return new ReleaseOptions(delay, Optional.of(value));
    }
}
