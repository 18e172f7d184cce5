package org.tasktube.test;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;

/** The clock of the database: the system's, put forward by tests. Public, because H2 calls it by its name. */
public final class KitClock {

    private static final AtomicReference<Duration> AHEAD = new AtomicReference<>(Duration.ZERO);

    private KitClock() {}

    public static Instant now() {
        return Instant.now().plus(AHEAD.get());
    }

    /** Goes with the system's time again. */
    static void reset() {
        AHEAD.set(Duration.ZERO);
    }

    static void advance(Duration time) {
        AHEAD.accumulateAndGet(time, Duration::plus);
    }
}
