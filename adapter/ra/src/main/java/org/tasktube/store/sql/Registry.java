package org.tasktube.store.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.tasktube.SessionOwnerException;
import org.tasktube.StoreException;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeMode;
import org.tasktube.admin.DeadServer;
import org.tasktube.admin.OldTransaction;
import org.tasktube.admin.TubeChange;
import org.tasktube.store.LeftSession;
import org.tasktube.store.ModeSetting;
import org.tasktube.store.Peer;
import org.tasktube.store.Pulse;
import org.tasktube.store.RegistryNews;
import org.tasktube.store.Released;
import org.tasktube.store.ServerLoad;
import org.tasktube.store.SessionTerms;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Taken;
import org.tasktube.store.Transition;

/**
 * The tubes, the servers and the registered sessions of one database: all that its servers must agree on besides tasks.
 * Each method is atomic. If the caller has a transaction, the methods for tubes are part of it. The other methods are
 * never called in a transaction.
 *
 * <p>If the database fails, a method throws {@link org.tasktube.StoreException}.
 */
public final class Registry {

    private final Jdbc jdbc;
    private final Dialect dialect;
    private final Statements sql;
    private final Releases releases;
    private final KnownTubes known;
    private final Tubes tubes;
    private final RegisteredSessions sessions;

    Registry(Jdbc jdbc, Tables tables, Entities entities, KnownTubes known) {
        this.jdbc = jdbc;
        this.dialect = tables.durable();
        this.sql = dialect.statements();
        this.releases = new Releases(jdbc, tables, known);
        this.known = known;
        this.tubes = new Tubes(jdbc, tables, entities, known);
        this.sessions = new RegisteredSessions(jdbc, dialect, releases);
    }

    // Tubes

    public List<StoredTube> tubes() {
        return tubes.all();
    }

    public Optional<StoredTube> tube(String name) {
        return tubes.find(name);
    }

    /** Creates a tube. Returns empty if a tube of that name exists. */
    public Optional<StoredTube> createTube(TubeDefinition tube, boolean subQueues) {
        return tubes.create(tube, subQueues);
    }

    /** Removes a tube with its tasks in the database. */
    public void dropTube(StoredTube tube) {
        tubes.drop(tube, true);
    }

    /**
     * Removes a tube likewise, unless a task of it is TAKEN. An open transaction may have taken one, and commit while
     * this waits for it.
     *
     * @throws org.tasktube.TubeInUseException if a task is TAKEN; then the caller's transaction must roll back
     */
    public void dropIdleTube(StoredTube tube) {
        tubes.drop(tube, false);
    }

    /**
     * Sets the mode of a tube. Returns empty if the tube has that mode already, or no longer exists.
     *
     * @param reason empty for OPEN
     */
    public Optional<ModeSetting> setMode(StoredTube tube, TubeMode mode, String by, String reason) {
        return tubes.setMode(tube, mode, by, reason);
    }

    /** Returns the mode of a tube; empty if the tube no longer exists. */
    public Optional<ModeSetting> mode(StoredTube tube) {
        return tubes.mode(tube);
    }

    /** Changes defaults of a tube. Returns the tube after the change; empty if it no longer exists. */
    public Optional<StoredTube> change(StoredTube tube, TubeChange change) {
        return tubes.change(tube, change);
    }

    // Servers

    /** Registers a server that has started; returns its number. */
    public int registerNode(String name) {
        checkVersion();
        beginHistories(name);
        jdbc.single("forget the servers of former days", on -> on.update(sql.get("forget_nodes"), Parameters.NONE));
        return jdbc.single(
                        "register this server",
                        on -> on.first(sql.get("register_node"), row -> row.getInt(1), Parameters.of("name", name)))
                .orElseThrow();
    }

    /**
     * Removes the tasks of temporary tubes if no server of another name is up. The table gets its pages back, which it
     * lacks after a crash of the database.
     *
     * @param first whether the server has started just now, so that no task of its own is there
     */
    public void beginTemporary(String name, boolean first) {
        if (first) {
            jdbc.single(
                    "empty the temporary tubes",
                    on -> on.update(sql.get("empty_temporary"), Parameters.of("name", name)));
        }
        if (jdbc.single(
                        "give the table of temporary tubes pages",
                        on -> on.update(sql.get("grow_temporary"), Parameters.NONE))
                > 0) {
            jdbc.single("leave the pages", on -> on.update(sql.get("remove_growth"), Parameters.NONE));
        }
    }

    /**
     * Takes up the work of a server that was registered before the store was opened again. Returns false if other
     * servers have taken it for dead.
     */
    public boolean resumeNode(int node, String name) {
        checkVersion();
        beginHistories(name);
        return jdbc.single(
                        "write the heartbeat",
                        on -> on.update(sql.get("seen"), Parameters.of("node", node, "name", name, "work", null)))
                == 1;
    }

    /** A server that was silent may find that others have migrated the tables since. */
    private void checkVersion() {
        int version = jdbc.glance(
                        "read the version of the tables",
                        on -> on.first(sql.get("schema_version"), row -> row.getInt(1), Parameters.NONE))
                .orElse(0);
        if (version != Migration.VERSION) {
            throw new StoreException("TaskTube's tables are of version " + version + ", and this adapter needs "
                    + Migration.VERSION + "; it opens them again");
        }
    }

    /** Reads the tubes: from here on this server releases tasks, and writes that into their histories. */
    private void beginHistories(String name) {
        known.server(name);
        tubes.all();
    }

    /**
     * Writes the heartbeat of a server, and reads all servers, by one statement. See {@link #peers}. It uses no other
     * table, so that no lock of one holds it up.
     *
     * @param work the line of its work that it shows the others
     */
    public Pulse beat(int node, String work, String ownName, Duration ownTimeout, Duration timeout) {
        Parameters parameters = silence(ownName, ownTimeout, timeout).and("node", node, "work", work);
        List<Pulse> rows =
                jdbc.glance("write the heartbeat", on -> on.list(sql.get("beat"), Registry::pulseOfServer, parameters));
        return new Pulse(
                rows.stream().anyMatch(Pulse::known),
                rows.stream().flatMap(each -> each.servers().stream()).toList(),
                rows.stream().flatMap(each -> each.dead().stream()).toList());
    }

    /** Reads the row of one server. */
    private static Pulse pulseOfServer(ResultSet row) throws SQLException {
        boolean isKnown = row.getBoolean(9);
        return row.getObject(7) == null
                ? new Pulse(isKnown, List.of(peer(row)), List.of())
                : new Pulse(
                        isKnown,
                        List.of(),
                        List.of(new DeadServer(row.getString(2), row.getInt(1), Rows.instant(row, 7), row.getLong(8))));
    }

    /** Returns the news. A poll has them, too. */
    public RegistryNews news() {
        return jdbc.glance(
                        "read the news of tubes and sessions",
                        on -> on.first(sql.get("news"), row -> Rows.news(row, 1), Parameters.NONE))
                .orElseThrow();
    }

    /**
     * Returns all servers.
     *
     * @param ownTimeout the silence after which a server of the name {@code ownName} is overdue, which is most likely a
     *     former run that was killed
     * @param timeout the silence after which any other server is overdue
     */
    public List<Peer> peers(String ownName, Duration ownTimeout, Duration timeout) {
        return jdbc.glance(
                "find other servers",
                on -> on.list(sql.get("peers"), Registry::peer, silence(ownName, ownTimeout, timeout)));
    }

    private static Parameters silence(String ownName, Duration ownTimeout, Duration timeout) {
        return Parameters.of("name", ownName, "own_timeout", ownTimeout.toMillis(), "timeout", timeout.toMillis());
    }

    private static Peer peer(ResultSet row) throws SQLException {
        return new Peer(
                row.getInt(1),
                row.getString(2),
                Rows.instant(row, 3),
                row.getBoolean(4),
                row.getBoolean(5),
                row.getString(6));
    }

    /**
     * Returns all servers with their tasks and sessions, by number, also those that are gone for less than a day. Reads
     * all TAKEN tasks, by an index.
     */
    public List<ServerLoad> servers() {
        return jdbc.reading("read the servers", dialect::beginReading, connection -> {
            SqlConnection on = connection.within(Scans.SECONDS);
            return on.list(sql.get("servers"), Registry::load, Parameters.NONE);
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
                row.getLong(7),
                row.getBoolean(8),
                row.getLong(9),
                row.getObject(10) == null ? Optional.empty() : Optional.of(Rows.instant(row, 10)));
    }

    /** Leaves a dead server out of the answers to heartbeats. Returns whether it was among them. */
    public boolean dismiss(int node) {
        return jdbc.single(
                        "dismiss a dead server", on -> on.update(sql.get("dismiss_node"), Parameters.of("node", node)))
                == 1;
    }

    /**
     * Marks a server as dead, unless it has written a heartbeat since {@link Peer#seenAt}. Returns whether this call
     * marked it.
     */
    public boolean markDead(Peer silent) {
        OffsetDateTime seenAt = silent.seenAt().atOffset(ZoneOffset.UTC);
        return jdbc.single(
                        "mark a server as dead",
                        on -> on.update(sql.get("mark_dead"), Parameters.of("node", silent.node(), "seen_at", seenAt)))
                == 1;
    }

    /**
     * Releases the tasks of dead servers, and forgets each dead server that holds no task any more. Skips tasks that
     * other transactions have locked. The next call releases them, and forgets their servers.
     *
     * <p>If a registered session has connections on other servers, it keeps its tasks. If it has lost its last
     * connection, it keeps them for the time of its {@link SessionTerms}, or for the ttr of sessions.
     *
     * @param sessionTtr the time for which a session without a time of its own keeps its tasks; zero for none
     */
    public List<Released> releaseDead(Duration sessionTtr) {
        return releaseDead(sessionTtr, node -> false);
    }

    private List<Released> releaseDead(Duration sessionTtr, IntPredicate isOwn) {
        List<Integer> dead = jdbc.glance(
                "find dead servers", on -> on.list(sql.get("dead_nodes"), row -> row.getInt(1), Parameters.NONE));
        if (dead.isEmpty()) {
            return List.of();
        }
        List<Released> released = new ArrayList<>();
        Map<Integer, Long> ofNodes = new HashMap<>();
        for (int node : dead) {
            List<Released> left = sessions.leaveUnknown(node, session -> false, sessionTtr, Transition.SERVER_END);
            ofNodes.put(node, left.stream().mapToLong(each -> each.ids().size()).sum());
            released.addAll(left);
        }
        List<Taken> unheld = taken().stream().filter(Taken::isUnheld).toList();
        List<Released> tasks = release(unheld);
        released.addAll(tasks);
        Set<Long> ready = tasks.stream().flatMap(each -> each.ids().stream()).collect(Collectors.toSet());
        unheld.stream()
                .filter(task -> ready.contains(task.id()))
                .forEach(task -> ofNodes.merge(task.node(), 1L, Long::sum));
        Set<Integer> stillHold =
                taken().stream().filter(Taken::isUnheld).map(Taken::node).collect(Collectors.toSet());
        for (int node : dead) {
            Parameters of =
                    Parameters.of("node", node, "released", ofNodes.get(node), "is_all", !stillHold.contains(node));
            jdbc.single(
                    "keep that a server is gone",
                    on -> on.update(sql.get("released_of_node"), of.and("is_own", isOwn.test(node))));
        }
        return released;
    }

    /**
     * Marks a server that stops as dead, and does the same as {@link #releaseDead}. But while another server is up, the
     * one that stops is not forgotten: the other learns of it by {@link #peers}, and forgets it.
     */
    public List<Released> leave(int node, Duration sessionTtr) {
        jdbc.single("mark this server as stopped", on -> on.update(sql.get("leave"), Parameters.of("node", node)));
        return releaseDead(sessionTtr, dead -> dead == node);
    }

    /** Returns the transaction of anybody that is open for the longest time, if that is at least so long. */
    public Optional<OldTransaction> oldestTransaction(Duration atLeast) {
        return jdbc.glance(
                "find the oldest transaction",
                on -> on.first(
                        sql.get("oldest_transaction"),
                        row -> new OldTransaction(
                                row.getString(1),
                                row.getObject(2, OffsetDateTime.class).toInstant(),
                                Duration.ofMillis(row.getLong(3)),
                                row.getString(4)),
                        Parameters.of("at_least", atLeast.toMillis())));
    }

    // HolderCheck

    /** Returns all tasks that are TAKEN. */
    public List<Taken> taken() {
        return jdbc.glance("find TAKEN tasks", releases::taken);
    }

    /**
     * Makes these tasks READY, each one only if the same taking still holds it. Skips tasks that other transactions
     * have locked.
     */
    public List<Released> release(Collection<Taken> takings) {
        return releases.inBatches(takings, Transition.SERVER_END);
    }

    /**
     * Makes tasks READY whose work has not begun, so that their attempts do not count: each one only if the same taking
     * still holds it. Skips tasks that other transactions have locked.
     */
    public List<Released> returnUnstarted(Collection<Taken> takings) {
        return releases.inBatches(takings, Transition.RETURN_UNSTARTED);
    }

    // Sessions

    /**
     * Registers a session with a server that has connections of it, so that other servers can join it. If it is
     * registered, a given time replaces its former one on all servers. Its first owner stays.
     *
     * @param wanted the terms to set; an empty one stays as it is
     * @return the terms of the session from now on
     * @throws SessionOwnerException if the session has another owner than the given one
     */
    public SessionTerms publish(UUID session, int node, SessionTerms wanted) {
        return sessions.publish(session, node, wanted);
    }

    /** Returns the terms of a session; empty if it is not registered, or has expired. */
    public Optional<SessionTerms> terms(UUID session) {
        return sessions.terms(session);
    }

    /** Adds a server to a registered session. Returns empty if the session is not registered, or has expired. */
    public Optional<SessionTerms> join(UUID session, int node) {
        return sessions.join(session, node);
    }

    /**
     * Removes a server from a registered session, because the server has no connection of it any more. If no other
     * server has one, the session's tasks are released: at once if the session's time is zero, else after that time.
     *
     * @param kept the session's time if the registry has none
     * @param sessionTtr the time of a session without a time of its own
     */
    public LeftSession leave(UUID session, int node, Optional<Duration> kept, Duration sessionTtr) {
        return sessions.leave(session, node, kept, sessionTtr);
    }

    /**
     * Removes a server from the registered sessions that it does not know, as {@link #leave} does. A database that
     * another one has replaced may have lost that the server has left them.
     *
     * @param isKnown whether the server knows a session; asked while nobody can join it
     */
    public List<Released> leaveUnknown(int node, Predicate<UUID> isKnown, Duration sessionTtr) {
        return sessions.leaveUnknown(node, isKnown, sessionTtr, Transition.SESSION_END);
    }

    /** Removes a server from a session that has ended on it, and whose registration may have failed. */
    public void withdraw(UUID session, int node) {
        sessions.withdraw(session, node);
    }

    /** Releases the tasks of sessions whose ttr is over, and forgets these sessions. */
    public List<Released> expireSessions() {
        return sessions.expire();
    }
}
