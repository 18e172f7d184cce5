package org.tasktube.console.security;

import java.time.Duration;
import java.util.Set;
import org.tasktube.admin.UserLogin;

/**
 * A login as this server knows it.
 *
 * @param key see {@link UserLogin#key()}
 * @param roles the roles that the user had when they were asked for
 * @param askedAt the time of that, of the monotonic clock
 * @param begunAt the time of the login, of the same clock
 * @param isKept false if its row could not be written, because the database was away
 */
record Login(String key, String user, String address, Set<String> roles, long askedAt, long begunAt, boolean isKept) {

    /** The age of roles, in milliseconds, at which they are asked for again; tests set less than a minute. */
    private static final String ASK_AGAIN = "tasktube.console.ask-roles-again";

    private static final int MINUTE = 60_000;

    static Login begin(String key, String user, String address, Set<String> roles, boolean isKept) {
        long now = System.nanoTime();
        return new Login(key, user, address, roles, now, now, isKept);
    }

    /** Returns a login that was begun before this server has seen it. */
    static Login of(UserLogin row, Set<String> roles) {
        long now = System.nanoTime();
        long age = Duration.between(row.since(), row.seen()).toNanos();
        return new Login(row.key(), row.user(), row.address(), roles, now, now - age, true);
    }

    Login with(Set<String> present, boolean kept) {
        return new Login(key, user, address, present, System.nanoTime(), begunAt, kept);
    }

    /** Returns whether its row and the roles of its user have to be read again. */
    boolean isOld() {
        return isOver(askedAt, Duration.ofMillis(Long.getLong(ASK_AGAIN, MINUTE)));
    }

    /** Returns whether its time is over for certain. The database knows it better, while it is there. */
    boolean isOver() {
        return isOver(begunAt, UserLogin.LONGEST) || isOver(askedAt, UserLogin.LONGEST_IDLE);
    }

    private static boolean isOver(long begin, Duration time) {
        return System.nanoTime() - begin > time.toNanos();
    }
}
