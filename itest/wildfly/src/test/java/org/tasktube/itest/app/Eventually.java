package org.tasktube.itest.app;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what a server brings about and nothing signals. */
public final class Eventually {

    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final long SHORTEST = 5_000_000;
    private static final long LONGEST = 50_000_000;

    private Eventually() {}

    public static void holds(BooleanSupplier condition, String what) {
        holds(condition, () -> what);
    }

    /** As {@link #holds(BooleanSupplier, String)}, with words that are of the end. */
    public static void holds(BooleanSupplier condition, Supplier<String> what) {
        holds(LIMIT, condition, what);
    }

    /** Checks less often the longer it takes: most checks ask a server. */
    public static void holds(Duration limit, BooleanSupplier condition, Supplier<String> what) {
        long begin = System.nanoTime();
        for (long waited = 0; !condition.getAsBoolean(); waited = System.nanoTime() - begin) {
            if (waited > limit.toNanos()) {
                throw new AssertionError("not within " + limit + ": " + what.get());
            }
            LockSupport.parkNanos(Math.min(LONGEST, Math.max(SHORTEST, waited / 8)));
        }
    }
}
