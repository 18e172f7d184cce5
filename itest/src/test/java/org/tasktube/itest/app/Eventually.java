package org.tasktube.itest.app;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what a server brings about and nothing signals. */
public final class Eventually {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private Eventually() {}

    public static void holds(BooleanSupplier condition, String what) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("not within " + LIMIT + ": " + what);
            }
            LockSupport.parkNanos(5_000_000);
        }
    }
}
