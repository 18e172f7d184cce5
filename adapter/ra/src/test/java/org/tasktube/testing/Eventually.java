package org.tasktube.testing;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what other threads bring about and nothing signals. */
public final class Eventually {

    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final long SHORTEST = 1_000_000;
    private static final long LONGEST = 100_000_000;

    private Eventually() {}

    /** Checks less often the longer it takes: a check may ask a database, and it takes time from what it waits for. */
    public static void holds(BooleanSupplier condition, String what) {
        long begin = System.nanoTime();
        for (long waited = 0; !condition.getAsBoolean(); waited = System.nanoTime() - begin) {
            // JUnit interrupts a test whose time is over, and an interrupted thread does not park
            if (waited > LIMIT.toNanos() || Thread.currentThread().isInterrupted()) {
                throw new AssertionError("not within " + Duration.ofNanos(waited) + ": " + what);
            }
            LockSupport.parkNanos(Math.min(LONGEST, Math.max(SHORTEST, waited / 8)));
        }
    }
}
