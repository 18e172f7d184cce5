package org.tasktube.node;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps logs short: each reason is logged when it is new, and again after some time if it continues. */
public final class LogThrottle {

    private static final long AGAIN = Duration.ofMinutes(1).toNanos();
    private static final int MOST_REASONS = 100;

    private final Map<String, Long> logged = new ConcurrentHashMap<>();

    public boolean isNew(String reason) {
        long now = System.nanoTime();
        if (logged.size() > MOST_REASONS) {
            logged.clear();
        }
        Long before = logged.putIfAbsent(String.valueOf(reason), now);
        return before == null || (now - before > AGAIN && logged.replace(String.valueOf(reason), before, now));
    }

    /** Ends the current reason, so that it counts as new the next time. */
    void forget() {
        logged.clear();
    }
}
