package org.tasktube;

import java.time.Duration;
import java.util.Optional;

/**
 * How a task is released. Immutable; each method returns a changed copy, and refuses by an {@link IllegalArgumentException}
 * what the constructor does.
 *
 * @param delay the time before the task becomes ready again; it is added to what is left of its life, as in put
 *     (tarantool's older API does not add it)
 * @param ttl what is left of its life from now, the delay not counted; without one its old end stands
 */
public record ReleaseOptions(Optional<Duration> delay, Optional<Duration> ttl) {

    private static final ReleaseOptions DEFAULTS = new ReleaseOptions(Optional.empty(), Optional.empty());

    /** @throws IllegalArgumentException for a delay below 0, a ttl below a millisecond, or a duration over the limit */
    public ReleaseOptions {
        delay.ifPresent(value -> Limits.checkDelay("delay", value));
        ttl.ifPresent(value -> Limits.checkSpan("ttl", value));
    }

    /** No option set: ready at once, in its place. */
    public static ReleaseOptions defaults() {
        return DEFAULTS;
    }

    public ReleaseOptions delay(Duration value) {
        return new ReleaseOptions(Optional.of(value), ttl);
    }

    public ReleaseOptions ttl(Duration value) {
        return new ReleaseOptions(delay, Optional.of(value));
    }
}
