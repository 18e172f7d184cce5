package org.tasktube.testing;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for what other threads bring about and nothing signals. */
public final class Eventually {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    private Eventually() {}

    public static void holds(BooleanSupplier condition, String what) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("not within " + LIMIT + ": " + what);
            }
            java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
        }
    }
}
