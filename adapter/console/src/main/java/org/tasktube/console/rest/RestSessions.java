package org.tasktube.console.rest;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.tasktube.TubeConnection;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.ProblemException;

/**
 * Bounds the sessions that users have by REST, on this server. The adapter knows all sessions of all servers with their
 * owners. It ends each after a time without a call. So a request may name a session that another server has made, or
 * this one before it was killed.
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
    private final Map<Claim, Room> rooms = new HashMap<>();

    /** A session that a user names. Another user may own it, who has a room of it, too. */
    private record Claim(UUID session, String user) {}

    /**
     * The room for a session, which is free after the session's time without a call, and not while calls of it run.
     *
     * @param keep the time of the session; zero until it is known that the user has the session
     */
    private record Room(Duration keep, long end, int calls) {}

    RestSessions() {
        this(System::nanoTime);
    }

    RestSessions(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Keeps room for a new session of a user, so that no other one takes it while the user waits for tasks. Returns
     * what {@link #giveUp} needs. Fails if the user, or this server, has as many sessions as it can have.
     */
    synchronized UUID reserve(String user) {
        UUID room = UUID.randomUUID();
        begin(new Claim(room, user));
        return room;
    }

    /** Gives room back. */
    synchronized void giveUp(UUID room, String user) {
        rooms.remove(new Claim(room, user));
    }

    /**
     * Keeps the room of a call for a session that its user has, until the session has been without a call for a time.
     */
    synchronized void keep(UUID id, String user, Duration keep) {
        Claim claim = new Claim(id, user);
        Room room = rooms.getOrDefault(claim, new Room(keep, nanoTime.getAsLong(), 0));
        rooms.put(claim, new Room(keep, nanoTime.getAsLong() + keep.toNanos(), room.calls));
    }

    /** Makes a connection join a session. Fails unless the session belongs to the user. */
    void join(TubeConnection connection, UUID id, String user) {
        keep(id, user, connection.identify(id, user));
    }

    /**
     * Does a call that {@linkplain #join joins} the session of a header. The session's room does not become free while
     * the call runs, as the call may wait for longer than the session's time.
     */
    <T> T during(String header, String user, Function<UUID, T> call) {
        Claim claim = new Claim(parse(header), user);
        begin(claim);
        try {
            return call.apply(claim.session);
        } finally {
            end(claim);
        }
    }

    private synchronized void begin(Claim claim) {
        removeEnded();
        Room room = rooms.get(claim);
        if (room == null) {
            checkRoom(claim.user);
            room = new Room(Duration.ZERO, nanoTime.getAsLong(), 0);
        }
        rooms.put(claim, new Room(room.keep, room.end, room.calls + 1));
    }

    private void checkRoom(String user) {
        if (rooms.size() >= MAX) {
            throw tooMany("this server has " + MAX);
        }
        if (rooms.keySet().stream().filter(claim -> claim.user.equals(user)).count() >= MAX_OF_USER) {
            throw tooMany("the user " + user + " has " + MAX_OF_USER);
        }
    }

    private static ProblemException tooMany(String whose) {
        return new ProblemException(
                Kind.TOO_MANY,
                whose + " sessions by REST, which is the most; take in one of them, or wait for its end");
    }

    private synchronized void end(Claim claim) {
        rooms.computeIfPresent(
                claim, (key, room) -> new Room(room.keep, nanoTime.getAsLong() + room.keep.toNanos(), room.calls - 1));
    }

    private void removeEnded() {
        long now = nanoTime.getAsLong();
        rooms.values().removeIf(room -> room.calls == 0 && now - room.end >= 0);
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
