package org.tasktube.store.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import org.tasktube.SessionOwnerException;
import org.tasktube.StoreException;
import org.tasktube.store.LeftSession;
import org.tasktube.store.Released;
import org.tasktube.store.SessionTerms;
import org.tasktube.store.Taken;
import org.tasktube.store.Transition;

/** The sessions that all servers know, by one row per session and server that has connections of it. */
final class RegisteredSessions {

    /** The node number of the row that keeps a session without connections. */
    private static final int NO_NODE = 0;

    /** The SQL states of a wait for a lock that took too long: PostgreSQL's and H2's. */
    private static final Set<String> LOCK_TIMEOUTS = Set.of("55P03", "HYT00");

    private final Jdbc jdbc;
    private final Dialect dialect;
    private final Statements sql;
    private final Releases releases;

    RegisteredSessions(Jdbc jdbc, Dialect dialect, Releases releases) {
        this.jdbc = jdbc;
        this.dialect = dialect;
        this.sql = dialect.statements();
        this.releases = releases;
    }

    /** A row of a session: a server with connections of it, or {@link #NO_NODE}. */
    private record Membership(int node, SessionTerms terms) {

        static Membership of(ResultSet row) throws SQLException {
            return new Membership(
                    row.getInt(1), new SessionTerms(Rows.until(row, 2), Optional.ofNullable(row.getString(3))));
        }
    }

    /** Also removes the row without a server: the session may continue after others took its server for dead. */
    SessionTerms publish(UUID session, int node, SessionTerms wanted) {
        return changing("register a session", session, on -> {
            List<Membership> rows = lockRows(on, session);
            SessionTerms terms = changed(session, wanted, termsIn(rows).orElse(SessionTerms.NONE));
            remove(on, session, NO_NODE);
            remove(on, session, node);
            if (rows.stream().anyMatch(row -> row.node != NO_NODE && row.node != node)) {
                on.update(sql.get("session_terms"), values(session, terms));
            }
            add(on, session, node, terms);
            return terms;
        });
    }

    private static SessionTerms changed(UUID session, SessionTerms wanted, SessionTerms former) {
        SessionTerms terms = wanted.changing(former);
        wanted.owner().filter(owner -> !terms.owner().equals(wanted.owner())).ifPresent(owner -> {
            throw new SessionOwnerException(session, owner);
        });
        return terms;
    }

    /** Runs work that locks a session. The transaction that has the lock may be that of a server that hangs. */
    private <T> T changing(String what, UUID session, Jdbc.Work<T> work) {
        return jdbc.atomic(what, on -> {
            try {
                return work.on(on);
            } catch (SQLException e) {
                if (LOCK_TIMEOUTS.contains(String.valueOf(e.getSQLState()))) {
                    throw new StoreException(
                            "the database failed to " + what + ": session " + session + " is locked by another"
                                    + " transaction, which has not ended in time; identify again in some seconds ("
                                    + e.getMessage() + ")",
                            e);
                }
                throw e;
            }
        });
    }

    /** Locks a session, and returns its rows. A later statement sees the changes of others during the wait. */
    private List<Membership> lockRows(SqlConnection on, UUID session) throws SQLException {
        dialect.lockSession(on, session);
        return rows(on, session);
    }

    private List<Membership> rows(SqlConnection on, UUID session) throws SQLException {
        return on.list(sql.get("rows_of_session"), Membership::of, Parameters.of("session", session));
    }

    /** All rows of a session have the same terms. */
    private static Optional<SessionTerms> termsIn(List<Membership> rows) {
        return rows.stream().map(Membership::terms).findFirst();
    }

    private static Parameters values(UUID session, SessionTerms terms) {
        return Parameters.of(
                "session",
                session,
                "kept",
                Parameters.millis(terms.kept()),
                "owner",
                terms.owner().orElse(null));
    }

    private void add(SqlConnection on, UUID session, int node, SessionTerms terms) throws SQLException {
        on.update(sql.get("join_session"), values(session, terms).and("node", node));
    }

    private void remove(SqlConnection on, UUID session, int node) throws SQLException {
        on.update(sql.get("leave_session"), Parameters.of("session", session, "node", node));
    }

    Optional<SessionTerms> terms(UUID session) {
        return termsIn(jdbc.single("find a session", on -> rows(on, session)));
    }

    Optional<SessionTerms> join(UUID session, int node) {
        return changing("join a session", session, on -> {
            List<Membership> rows = lockRows(on, session);
            Optional<SessionTerms> terms = termsIn(rows);
            if (terms.isPresent()) {
                remove(on, session, NO_NODE);
                if (rows.stream().noneMatch(row -> row.node == node)) {
                    add(on, session, node, terms.get());
                }
            }
            return terms;
        });
    }

    /**
     * Waits for a registration whose answer was lost, and which may still run. The server may have left the session by
     * {@link #leaveUnknown} meanwhile, and so the row without a server goes as well, unless another server has joined.
     */
    void withdraw(UUID session, int node) {
        changing("withdraw a session", session, on -> {
            List<Membership> rows = lockRows(on, session);
            remove(on, session, node);
            if (rows.stream().allMatch(row -> row.node == node || row.node == NO_NODE)) {
                remove(on, session, NO_NODE);
            }
            return null;
        });
    }

    LeftSession leave(UUID session, int node, Optional<Duration> kept, Duration sessionTtr) {
        return jdbc.atomic("leave a session", on -> leave(on, session, node, kept, sessionTtr, Transition.SESSION_END));
    }

    /**
     * Removes a server from the sessions that it does not know: a dead one knows none. Each session has a transaction
     * of its own. If another server has locked one, the server stays in it until the next round.
     *
     * @param isKnown asked when the session is locked, so that no connection joins it meanwhile
     */
    List<Released> leaveUnknown(int node, Predicate<UUID> isKnown, Duration sessionTtr, Transition transition) {
        List<UUID> sessions = jdbc.glance(
                "find sessions",
                on -> on.list(
                        sql.get("sessions_of_node"), row -> row.getObject(1, UUID.class), Parameters.of("node", node)));
        List<Released> released = new ArrayList<>();
        for (UUID session : sessions) {
            if (isKnown.test(session)) {
                continue;
            }
            try {
                released.addAll(jdbc.atomic("leave a session that its server does not know", on -> {
                    boolean isThere = lockRows(on, session).stream().anyMatch(row -> row.node == node);
                    return isThere && !isKnown.test(session)
                            ? leave(on, session, node, Optional.empty(), sessionTtr, transition)
                                    .released()
                            : List.of();
                }));
            } catch (StoreException e) {
                if (e.isDatabaseAway()) {
                    throw e;
                }
                Log.LOG.sessionIsLocked(session, node, e.getMessage());
            }
        }
        return released;
    }

    /**
     * Removes a server from a session. If two servers leave at once, the lock makes one of them the last. If others
     * took a server for dead and removed its rows, it is the last as well. The time in the rows counts: another server
     * may have set it since this one read it.
     */
    private LeftSession leave(
            SqlConnection on,
            UUID session,
            int node,
            Optional<Duration> kept,
            Duration sessionTtr,
            Transition transition)
            throws SQLException {
        List<Membership> rows = lockRows(on, session);
        remove(on, session, node);
        SessionTerms terms = termsIn(rows).orElse(SessionTerms.NONE);
        Duration ttr = terms.kept().or(() -> kept).orElse(sessionTtr);
        if (rows.stream().anyMatch(other -> other.node != node)) {
            return new LeftSession(ttr, List.of());
        }
        if (!ttr.isZero()) {
            on.update(sql.get("keep_session"), values(session, terms).and("ttr", ttr.toMillis()));
            return new LeftSession(ttr, List.of());
        }
        return new LeftSession(ttr, end(on, session, transition));
    }

    /** Ends each session on its own. If another transaction has locked one, the next round tries that one again. */
    List<Released> expire() {
        List<UUID> expired = jdbc.glance(
                "find expired sessions",
                on -> on.list(sql.get("expired_sessions"), row -> row.getObject(1, UUID.class), Parameters.NONE));
        List<Released> released = new ArrayList<>();
        for (UUID session : expired) {
            try {
                released.addAll(jdbc.atomic("end a session", on -> expire(on, session)));
            } catch (StoreException e) {
                if (e.isDatabaseAway()) {
                    throw e;
                }
                Log.LOG.sessionIsNotEnded(session, e.getMessage());
            }
        }
        return Releases.grouped(released);
    }

    /** Skips a session that another server has locked to join it. If a server has joined, the row is gone. */
    private List<Released> expire(SqlConnection on, UUID session) throws SQLException {
        return dialect.tryLockSession(on, session)
                        && on.update(sql.get("expire_session"), Parameters.of("session", session)) > 0
                ? end(on, session, Transition.SESSION_END)
                : List.of();
    }

    /**
     * Skips tasks that others have locked. They stay with the session's server, which finds that they have no holder.
     */
    private List<Released> end(SqlConnection on, UUID session, Transition transition) throws SQLException {
        List<Taken> held = releases.takenBy(on, session);
        return held.isEmpty() ? List.of() : Releases.grouped(releases.release(on, held, transition));
    }
}
