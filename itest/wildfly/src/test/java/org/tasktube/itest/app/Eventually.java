package org.tasktube.itest.app;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what a server brings about and nothing signals. */
public final class Eventually {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private Eventually() {}

    public static void holds(BooleanSupplier condition, String what) {
        holds(condition, () -> what);
    }

    /** As {@link #holds(BooleanSupplier, String)}, with words that are of the end. */
    public static void holds(BooleanSupplier condition, Supplier<String> what) {
        holds(LIMIT, condition, what);
    }

    public static void holds(Duration limit, BooleanSupplier condition, Supplier<String> what) {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("not within " + limit + ": " + what.get());
            }
            LockSupport.parkNanos(5_000_000);
        }
    }
}
