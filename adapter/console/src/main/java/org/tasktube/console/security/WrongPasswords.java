package org.tasktube.console.security;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The wrong passwords of each name, with the bounds that the server has for its own count. The server forgets its count
 * whenever the console reads the roles of a user who has a page open: others could guess on without a lock.
 */
final class WrongPasswords {

    /** The most names. Beyond these, those that are not locked any more are forgotten, and then all. */
    private static final int MOST_NAMES = 10_000;

    private static final String SETTINGS = "wildfly.elytron.realm.tasktube.brute-force.";
    private static final int MOST = 10;
    private static final int MINUTES = 15;

    private static final Map<String, Count> COUNTS = new ConcurrentHashMap<>();

    private WrongPasswords() {}

    /** @param last the time of the last one, of the monotonic clock */
    private record Count(int wrong, long last) {

        boolean isLocked() {
            return wrong >= Integer.getInteger(SETTINGS + "max-failed-attempts", MOST) && !isOver();
        }

        boolean isOver() {
            int minutes = Integer.getInteger(SETTINGS + "lockout-interval", MINUTES);
            return System.nanoTime() - last > Duration.ofMinutes(minutes).toNanos();
        }
    }

    static void add(String name) {
        if (COUNTS.size() >= MOST_NAMES) {
            COUNTS.values().removeIf(Count::isOver);
            if (COUNTS.size() >= MOST_NAMES) {
                COUNTS.clear();
            }
        }
        COUNTS.merge(
                name,
                new Count(1, System.nanoTime()),
                (before, one) ->
                        before.isOver() ? one : before.isLocked() ? before : new Count(before.wrong + 1, one.last));
    }

    /** Forgets those of a name after a right password, unless it is locked. */
    static void forget(String name) {
        if (!isLocked(name)) {
            COUNTS.remove(name);
        }
    }

    /** Returns whether a name has had too many wrong passwords lately. */
    static boolean isLocked(String name) {
        Count count = COUNTS.get(name);
        return count != null && count.isLocked();
    }
}
