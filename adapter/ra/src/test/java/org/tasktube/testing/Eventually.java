package org.tasktube.testing;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what other threads bring about and nothing signals. */
public final class Eventually {

    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final long SHORTEST = 1_000_000;
    private static final long LONGEST = 20_000_000;

    private Eventually() {}

    /** Checks less often the longer it takes: a check may ask a database, and it takes time from what it waits for. */
    public static void holds(BooleanSupplier condition, String what) {
        long begin = System.nanoTime();
        for (long waited = 0; !condition.getAsBoolean(); waited = System.nanoTime() - begin) {
            if (waited > LIMIT.toNanos()) {
                throw new AssertionError("not within " + LIMIT + ": " + what);
            }
            LockSupport.parkNanos(Math.min(LONGEST, Math.max(SHORTEST, waited / 8)));
        }
    }
}
