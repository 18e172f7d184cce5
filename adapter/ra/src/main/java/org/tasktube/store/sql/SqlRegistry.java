package org.tasktube.store.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.tasktube.StoreException;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeMode;
import org.tasktube.admin.TubeChange;
import org.tasktube.store.ModeSetting;
import org.tasktube.store.Peer;
import org.tasktube.store.Registry;
import org.tasktube.store.Released;
import org.tasktube.store.ServerLoad;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Taken;
import org.tasktube.store.Transition;

/** Tubes, servers and sessions in H2 or PostgreSQL. */
final class SqlRegistry implements Registry {

    /** The node number of the row that keeps a session without connections. */
    private static final int NO_NODE = 0;

    private final Jdbc jdbc;
    private final Dialect dialect;
    private final Statements sql;
    private final Releases releases;
    private final KnownHistory known;
    private final Tubes tubes;

    SqlRegistry(Jdbc jdbc, Dialect dialect, Entities entities, KnownHistory known) {
        this.jdbc = jdbc;
        this.dialect = dialect;
        this.sql = dialect.statements();
        this.releases = new Releases(jdbc, dialect, new Keeping(dialect, known));
        this.known = known;
        this.tubes = new Tubes(jdbc, dialect, entities, known);
    }

    @Override
    public void close() {
        // The task store closes the resources that both share
    }

    // Tubes

    @Override
    public List<StoredTube> tubes() {
        return tubes.all();
    }

    @Override
    public Optional<StoredTube> tube(String name) {
        return tubes.find(name);
    }

    @Override
    public Optional<StoredTube> createTube(TubeDefinition tube, boolean subQueues) {
        return tubes.create(tube, subQueues);
    }

    @Override
    public void dropTube(StoredTube tube) {
        tubes.drop(tube);
    }

    @Override
    public Optional<ModeSetting> setMode(StoredTube tube, TubeMode mode, String by, String reason) {
        return tubes.setMode(tube, mode, by, reason);
    }

    @Override
    public Optional<ModeSetting> mode(StoredTube tube) {
        return tubes.mode(tube);
    }

    @Override
    public Optional<StoredTube> change(StoredTube tube, TubeChange change) {
        return tubes.change(tube, change);
    }

    // Servers

    /** Also reads the tubes: from here on this server releases tasks, and writes that into their histories. */
    @Override
    public int registerNode(String name) {
        known.server(name);
        tubes.all();
        return jdbc.single(
                        "register this server",
                        on -> on.first(sql.get("register_node"), row -> row.getInt(1), Parameters.of("name", name)))
                .orElseThrow();
    }

    @Override
    public boolean seen(int node) {
        return jdbc.single("write the heartbeat", on -> on.update(sql.get("seen"), Parameters.of("node", node))) == 1;
    }

    @Override
    public List<Peer> peers(String ownName, Duration ownTimeout, Duration timeout) {
        return jdbc.single(
                "find other servers",
                on -> on.list(
                        sql.get("peers"),
                        SqlRegistry::peer,
                        Parameters.of(
                                "name", ownName, "own_timeout", ownTimeout.toMillis(), "timeout", timeout.toMillis())));
    }

    private static Peer peer(ResultSet row) throws SQLException {
        return new Peer(row.getInt(1), row.getString(2), Rows.instant(row, 3), row.getBoolean(4), row.getBoolean(5));
    }

    @Override
    public List<ServerLoad> servers() {
        return jdbc.reading("read the servers", dialect::beginReading, connection -> {
            SqlConnection on = connection.within(Scans.SECONDS);
            return on.list(sql.get("servers"), SqlRegistry::load, Parameters.of("tubes", tubeIds(on)));
        });
    }

    private static ServerLoad load(ResultSet row) throws SQLException {
        return new ServerLoad(
                row.getInt(1),
                row.getString(2),
                Rows.instant(row, 3),
                Rows.instant(row, 4),
                row.getBoolean(5),
                row.getLong(6),
                row.getLong(7));
    }

    @Override
    public boolean markDead(Peer silent) {
        OffsetDateTime seenAt = silent.seenAt().atOffset(ZoneOffset.UTC);
        return jdbc.single(
                        "mark a server as dead",
                        on -> on.update(sql.get("mark_dead"), Parameters.of("node", silent.node(), "seen_at", seenAt)))
                == 1;
    }

    @Override
    public List<Released> releaseDead(Duration sessionTtr) {
        List<Integer> dead = jdbc.single(
                "find dead servers", on -> on.list(sql.get("dead_nodes"), row -> row.getInt(1), Parameters.NONE));
        if (dead.isEmpty()) {
            return List.of();
        }
        List<Released> released = new ArrayList<>();
        for (int node : dead) {
            released.addAll(leaveSessions(node, sessionTtr));
        }
        List<Taken> unheld = taken().stream().filter(Taken::isUnheld).toList();
        released.addAll(release(unheld));
        Set<Integer> stillHold =
                taken().stream().filter(Taken::isUnheld).map(Taken::node).collect(Collectors.toSet());
        dead.stream().filter(node -> !stillHold.contains(node)).forEach(this::forget);
        return released;
    }

    private void forget(int node) {
        jdbc.single("forget a dead server", on -> on.update(sql.get("forget_node"), Parameters.of("node", node)));
    }

    /**
     * Uses one transaction per session. If another server has locked one, the dead server stays until the next round.
     */
    private List<Released> leaveSessions(int node, Duration sessionTtr) {
        List<UUID> sessions = jdbc.single(
                "find sessions",
                on -> on.list(
                        sql.get("sessions_of_node"), row -> row.getObject(1, UUID.class), Parameters.of("node", node)));
        List<Released> released = new ArrayList<>();
        for (UUID session : sessions) {
            try {
                released.addAll(leave(session, node, sessionTtr, Transition.SERVER_END));
            } catch (StoreException e) {
                Log.LOG.sessionIsLocked(session, node, e.getMessage());
            }
        }
        return released;
    }

    @Override
    public List<Released> leave(int node, Duration sessionTtr) {
        jdbc.single("mark this server as stopped", on -> on.update(sql.get("leave"), Parameters.of("node", node)));
        return releaseDead(sessionTtr);
    }

    // Custody

    @Override
    public List<Taken> taken() {
        return jdbc.single(
                "find TAKEN tasks",
                on -> on.list(sql.get("taken"), SqlRegistry::taken, Parameters.of("tubes", tubeIds(on))));
    }

    /** Returns all tubes' ids, by which a query finds an index. A join might read the whole table. */
    private List<Integer> tubeIds(SqlConnection on) throws SQLException {
        return on.list(sql.get("tube_ids"), row -> row.getInt(1), Parameters.NONE);
    }

    private static Taken taken(ResultSet row) throws SQLException {
        return new Taken(
                row.getInt(1),
                row.getLong(2),
                row.getObject(3, UUID.class),
                row.getLong(4),
                row.getInt(5),
                row.getBoolean(6),
                row.getBoolean(7));
    }

    @Override
    public List<Released> release(Collection<Taken> takings) {
        return releases.inBatches(takings, Transition.SERVER_END);
    }

    @Override
    public List<Released> returnUnstarted(Collection<Taken> takings) {
        return releases.inBatches(takings, Transition.RETURN_UNSTARTED);
    }

    @Override
    public void adopt(Collection<Taken> takings, int node) {
        if (!takings.isEmpty()) {
            jdbc.atomic("adopt tasks", on -> {
                List<Long> held = releases.lock(on, takings);
                return held.isEmpty() ? 0 : on.update(sql.get("adopt"), Parameters.of("node", node, "ids", held));
            });
        }
    }

    // Sessions

    /** Also removes the row without a server: the session may continue after others took its server for dead. */
    @Override
    public void publish(UUID session, int node) {
        jdbc.atomic("register a session", on -> {
            lockNodes(on, session);
            on.update(sql.get("leave_session"), Parameters.of("session", session, "node", NO_NODE));
            on.update(sql.get("leave_session"), Parameters.of("session", session, "node", node));
            return on.update(sql.get("join_session"), Parameters.of("session", session, "node", node));
        });
    }

    /** Locks a session, and returns its servers. A later statement sees the changes of others during the wait. */
    private List<Integer> lockNodes(SqlConnection on, UUID session) throws SQLException {
        dialect.lockSession(on, session);
        return on.list(sql.get("nodes_of_session"), row -> row.getInt(1), Parameters.of("session", session));
    }

    @Override
    public boolean join(UUID session, int node) {
        return jdbc.atomic("join a session", on -> {
            List<Integer> nodes = lockNodes(on, session);
            if (nodes.isEmpty()) {
                return false;
            }
            on.update(sql.get("leave_session"), Parameters.of("session", session, "node", NO_NODE));
            if (!nodes.contains(node)) {
                on.update(sql.get("join_session"), Parameters.of("session", session, "node", node));
            }
            return true;
        });
    }

    @Override
    public List<Released> leave(UUID session, int node, Duration sessionTtr) {
        return leave(session, node, sessionTtr, Transition.SESSION_END);
    }

    private List<Released> leave(UUID session, int node, Duration sessionTtr, Transition transition) {
        return jdbc.atomic("leave a session", on -> leave(on, session, node, sessionTtr, transition));
    }

    /**
     * Removes a server from a session. If two servers leave at once, the lock makes one of them the last. If others
     * took a server for dead and removed its rows, it is the last as well.
     */
    private List<Released> leave(SqlConnection on, UUID session, int node, Duration sessionTtr, Transition transition)
            throws SQLException {
        List<Integer> nodes = lockNodes(on, session);
        on.update(sql.get("leave_session"), Parameters.of("session", session, "node", node));
        if (nodes.stream().anyMatch(other -> other != node)) {
            return List.of();
        }
        if (!sessionTtr.isZero()) {
            on.update(sql.get("keep_session"), Parameters.of("session", session, "ttr", sessionTtr.toMillis()));
            return List.of();
        }
        return end(on, session, transition);
    }

    @Override
    public List<Released> expireSessions() {
        List<UUID> expired = jdbc.single(
                "find expired sessions",
                on -> on.list(sql.get("expired_sessions"), row -> row.getObject(1, UUID.class), Parameters.NONE));
        List<Released> released = new ArrayList<>();
        for (UUID session : expired) {
            released.addAll(jdbc.atomic("end a session", on -> expire(on, session)));
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
        List<Taken> held = on.list(
                sql.get("taken_by_session"),
                SqlRegistry::taken,
                Parameters.of("tubes", tubeIds(on), "session", session));
        return held.isEmpty() ? List.of() : Releases.grouped(releases.release(on, held, transition));
    }
}
