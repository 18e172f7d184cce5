package org.tasktube.testing;

import java.time.Instant;

/** H2's clock in the test; H2 calls it, and so it is public. */
public final class StandingClock {

    private static volatile Instant time = TestStore.START;

    private StandingClock() {}

    public static Instant now() {
        return time;
    }

    static void set(Instant to) {
        time = to;
    }
}
