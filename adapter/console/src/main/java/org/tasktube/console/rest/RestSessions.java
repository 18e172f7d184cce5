package org.tasktube.console.rest;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.tasktube.SessionExpiredException;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.ProblemException;

/**
 * The sessions that users have by REST, on this server. Each belongs to the user who made it, and ends after a time
 * without a call. The adapter then releases its tasks by itself.
 */
@ApplicationScoped
public class RestSessions {

    /** The header with the id of a session. */
    static final String HEADER = "TaskTube-Session";

    /** The most sessions on a server. */
    static final int MAX = 1_000;

    /** The most sessions of a user on a server. */
    static final int MAX_OF_USER = 100;

    private final LongSupplier nanoTime;
    private final Map<UUID, Owned> sessions = new HashMap<>();

    private record Owned(String user, Duration keep, long end) {}

    RestSessions() {
        this(System::nanoTime);
    }

    RestSessions(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Fails if the user, or this server, has as many sessions as it can have. */
    synchronized void checkRoom(String user) {
        removeEnded();
        if (sessions.size() >= MAX) {
            throw tooMany("this server has " + MAX);
        }
        if (sessions.values().stream().filter(owned -> owned.user.equals(user)).count() >= MAX_OF_USER) {
            throw tooMany("the user " + user + " has " + MAX_OF_USER);
        }
    }

    private static ProblemException tooMany(String whose) {
        return new ProblemException(
                Kind.TOO_MANY,
                whose + " sessions by REST, which is the most; take in one of them, or wait for its end");
    }

    /** Adds a new session of a user, for which {@link #checkRoom} has found room a moment before. */
    synchronized void add(UUID id, String user, Duration keep) {
        sessions.put(id, new Owned(user, keep, nanoTime.getAsLong() + keep.toNanos()));
    }

    /** Returns the session of a header, whose time begins anew. Fails unless it belongs to the user. */
    synchronized UUID use(String header, String user) {
        UUID id = parse(header);
        removeEnded();
        Owned owned = sessions.get(id);
        if (owned == null) {
            throw new SessionExpiredException(id);
        }
        if (!owned.user.equals(user)) {
            throw new ProblemException(
                    Kind.FORBIDDEN, "the session " + id + " belongs to another user; take in a session of your own");
        }
        renew(id);
        return id;
    }

    /** Begins the time of a session anew, at the end of a call. */
    synchronized void renew(UUID id) {
        sessions.computeIfPresent(
                id, (key, owned) -> new Owned(owned.user, owned.keep, nanoTime.getAsLong() + owned.keep.toNanos()));
    }

    private void removeEnded() {
        long now = nanoTime.getAsLong();
        sessions.values().removeIf(owned -> now - owned.end >= 0);
    }

    private static UUID parse(String header) {
        try {
            UUID id = UUID.fromString(header);
            if (id.toString().equalsIgnoreCase(header)) {
                return id;
            }
        } catch (IllegalArgumentException e) {
            // Refused below
        }
        throw new ProblemException(
                Kind.VALUE,
                "the header " + HEADER + " takes the id of a session as a take has returned it, 36 characters");
    }
}
