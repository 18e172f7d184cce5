package org.tasktube.admin;

import java.time.Duration;
import java.time.Instant;

/**
 * The login of a user at a console. It is a row of the database, so that it holds on all servers and after their
 * restart, and so that any of them can end it. It is over {@link #LONGEST} after its begin, and {@link #LONGEST_IDLE}
 * after its last use, by the database's clock.
 *
 * @param key the SHA-256 of the secret that the user's browser keeps, as 64 hexadecimal digits. Nobody can log in by it
 * @param user the name of the user
 * @param address the address of the client at the login
 * @param server the server that used it last
 * @param since the time of the login
 * @param seen the time of its last use, which is noted once per minute
 */
public record UserLogin(String key, String user, String address, String server, Instant since, Instant seen) {

    /** The longest time of a login. */
    public static final Duration LONGEST = Duration.ofHours(12);

    /** The longest time without a use. */
    public static final Duration LONGEST_IDLE = Duration.ofHours(8);

    /** The most logins of a user. A further one ends the oldest. */
    public static final int MOST_PER_USER = 20;

    /** The length of a key. */
    public static final int KEY_LENGTH = 64;
}
