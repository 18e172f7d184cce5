package org.tasktube.inflow;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * A pause in claiming. It doubles each time the server refuses a delivery, until a delivery succeeds. Not thread-safe.
 */
final class Pause {

    static final Duration FIRST = Duration.ofMillis(100);
    static final Duration LONGEST = Duration.ofSeconds(10);

    private final LongSupplier nanoTime;
    private Duration length = Duration.ZERO;
    private long endsAt;

    /** @param nanoTime the time in nanoseconds, as {@link System#nanoTime} gives it */
    Pause(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.endsAt = nanoTime.getAsLong();
    }

    /** Begins the next pause, and returns its length. */
    Duration begin() {
        Duration next = length.isZero() ? FIRST : length.multipliedBy(2);
        length = next.compareTo(LONGEST) > 0 ? LONGEST : next;
        endsAt = nanoTime.getAsLong() + length.toNanos();
        return length;
    }

    /** Makes the next pause short again. A pause that has begun continues. */
    void reset() {
        length = Duration.ZERO;
    }

    boolean isOver() {
        return left() == 0;
    }

    /** Returns the remaining pause in nanoseconds; {@link Long#MAX_VALUE} if it is over. */
    long untilOver() {
        long left = left();
        return left > 0 ? left : Long.MAX_VALUE;
    }

    /** Returns the remaining pause in nanoseconds. */
    long left() {
        return Math.max(0, endsAt - nanoTime.getAsLong());
    }
}
