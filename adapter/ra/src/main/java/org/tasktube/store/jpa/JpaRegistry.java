package org.tasktube.store.jpa;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.tasktube.StoreException;
import org.tasktube.TubeDefinition;
import org.tasktube.store.Peer;
import org.tasktube.store.Registry;
import org.tasktube.store.Released;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Taken;

/** Tubes, servers and sessions in H2 or PostgreSQL. */
final class JpaRegistry implements Registry {

    /** How many tasks one transaction releases, so that it stays short. */
    private static final int BATCH = 1_000;

    private final Jdbc jdbc;
    private final Database database;
    private final Statements sql;
    private final ServerStatements servers;
    private final Entities entities;

    JpaRegistry(Jdbc jdbc, Database database, Statements sql, Entities entities) {
        this.jdbc = jdbc;
        this.database = database;
        this.sql = sql;
        this.servers = new ServerStatements(database);
        this.entities = entities;
    }

    @Override
    public void close() {
        // The store of tasks closes what both have
    }

    // Tubes

    @Override
    public List<StoredTube> tubes() {
        return entities
                .look(em -> em.createQuery("SELECT t FROM Tube t ORDER BY t.name", TubeEntity.class)
                        .getResultList())
                .stream()
                .map(TubeEntity::toStored)
                .toList();
    }

    @Override
    public Optional<StoredTube> tube(String name) {
        return entities.look(em -> em.createQuery("SELECT t FROM Tube t WHERE t.name = :name", TubeEntity.class)
                        .setParameter("name", name)
                        .getResultStream()
                        .findFirst())
                .map(TubeEntity::toStored);
    }

    @Override
    public Optional<StoredTube> createTube(TubeDefinition tube, boolean subQueues) {
        try {
            return jdbc.atomic("create tube " + tube.name(), on -> insert(on, tube, subQueues))
                    .map(id -> new StoredTube(id, tube, subQueues));
        } catch (StoreException e) {
            if (JpaStores.isUniqueViolation(e)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private Optional<Integer> insert(Jdbc.Statement on, TubeDefinition tube, boolean subQueues) throws SQLException {
        Optional<Integer> id = on.first(
                sql.createTube,
                row -> row.getInt(1),
                tube.name(),
                tube.type(),
                tube.pri(),
                JpaTaskStore.millis(tube.ttl()),
                JpaTaskStore.millis(tube.ttr()),
                tube.delay().toMillis(),
                tube.capacity().isPresent() ? tube.capacity().getAsInt() : null,
                tube.temporary(),
                subQueues);
        if (id.isPresent() && tube.capacity().isPresent() && !tube.temporary()) {
            on.update(sql.addPlaces, id.get(), (long) tube.capacity().getAsInt());
        }
        return id;
    }

    @Override
    public void dropTube(StoredTube tube) {
        jdbc.atomic("drop tube " + tube.name(), on -> {
            database.closeTube(on, tube);
            on.update(sql.dropTube, tube.id());
            database.updateByIds(on, sql.dropTasks, database.tasksWhere(on, Statements.ALL, tube.id()));
            on.update(sql.dropNotes, tube.id());
            on.update(sql.dropParked, tube.id());
            return on.update(sql.dropPlaces, tube.id());
        });
    }

    // Servers

    @Override
    public int registerNode(String name) {
        return jdbc.single("register this server", on -> on.first(servers.register, row -> row.getInt(1), name))
                .orElseThrow();
    }

    @Override
    public boolean seen(int node) {
        return jdbc.single("say that this server is up", on -> on.update(servers.seen, node)) == 1;
    }

    @Override
    public List<Peer> peers(String ownName, Duration ownTimeout, Duration timeout) {
        return jdbc.single(
                "look for other servers",
                on -> on.list(servers.peers, JpaRegistry::peer, ownName, ownTimeout.toMillis(), timeout.toMillis()));
    }

    private static Peer peer(ResultSet row) throws SQLException {
        return new Peer(
                row.getInt(1),
                row.getString(2),
                row.getObject(3, OffsetDateTime.class).toInstant(),
                row.getBoolean(4),
                row.getBoolean(5));
    }

    @Override
    public boolean markDead(Peer silent) {
        OffsetDateTime seenAt = silent.seenAt().atOffset(ZoneOffset.UTC);
        return jdbc.single("take a server for dead", on -> on.update(servers.markDead, silent.node(), seenAt)) == 1;
    }

    @Override
    public List<Released> releaseDead(Duration sessionTtr) {
        List<Integer> dead = jdbc.single("look for dead servers", on -> on.list(servers.dead, row -> row.getInt(1)));
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
        jdbc.single("forget a dead server", on -> on.update(servers.forget, node, node));
    }

    /** Each in a transaction of its own; a session that another server has locked keeps the dead one for the next time. */
    private List<Released> leaveSessions(int node, Duration sessionTtr) {
        List<UUID> sessions = jdbc.single(
                "look for sessions", on -> on.list(servers.sessionsOf, row -> row.getObject(1, UUID.class), node));
        List<Released> released = new ArrayList<>();
        for (UUID session : sessions) {
            try {
                released.addAll(leave(session, node, sessionTtr));
            } catch (StoreException e) {
                Log.LOG.sessionIsLocked(session, node, e.getMessage());
            }
        }
        return released;
    }

    @Override
    public List<Released> leave(int node, Duration sessionTtr) {
        jdbc.single("say that this server goes", on -> on.update(servers.goes, node));
        return releaseDead(sessionTtr);
    }

    // Custody

    @Override
    public List<Taken> taken() {
        return jdbc.single("look for what is taken", on -> on.list(servers.taken, JpaRegistry::taken, tubeIds(on)));
    }

    /** An index is found by the ids of the tubes; a join might read the whole table. */
    private List<Integer> tubeIds(Jdbc.Statement on) throws SQLException {
        return on.list(servers.tubeIds, row -> row.getInt(1));
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
        return inBatches(takings, servers.release);
    }

    @Override
    public List<Released> giveBack(Collection<Taken> takings) {
        return inBatches(takings, sql.giveBack);
    }

    @Override
    public void adopt(Collection<Taken> takings, int node) {
        if (!takings.isEmpty()) {
            jdbc.atomic("adopt tasks", on -> {
                List<Long> held = lock(on, takings);
                return held.isEmpty() ? 0 : on.update(servers.adopt, node, held);
            });
        }
    }

    private List<Released> inBatches(Collection<Taken> takings, Change release) {
        List<Taken> all = List.copyOf(takings);
        List<Released> released = new ArrayList<>();
        for (int from = 0; from < all.size(); from += BATCH) {
            List<Taken> batch = all.subList(from, Math.min(all.size(), from + BATCH));
            released.addAll(jdbc.atomic("release tasks", on -> release(on, batch, release)));
        }
        return grouped(released);
    }

    private List<Released> release(Jdbc.Statement on, Collection<Taken> takings, Change release) throws SQLException {
        List<Long> held = lock(on, takings);
        Map<Long, Integer> tubes = new HashMap<>();
        takings.forEach(taken -> tubes.put(taken.id(), taken.tube()));
        return held.isEmpty()
                ? List.of()
                : database.follow(
                        on, release, row -> new Released(tubes.get(row.getLong(1)), List.of(row.getLong(1))), held);
    }

    /** Those that are with the same taking still, locked; what others have locked is passed over. */
    private List<Long> lock(Jdbc.Statement on, Collection<Taken> takings) throws SQLException {
        Map<Long, Long> tokens = new HashMap<>();
        takings.forEach(taken -> tokens.put(taken.id(), taken.token()));
        List<Long> held = new ArrayList<>();
        database.listByIds(
                on,
                servers.lockTaken,
                row -> row.getLong(2) == tokens.get(row.getLong(1)) && held.add(row.getLong(1)),
                tokens.keySet());
        return held;
    }

    // Sessions

    /** One that goes on after others took its server for dead has a connection again. */
    @Override
    public void publish(UUID session, int node) {
        jdbc.atomic("make a session known", on -> {
            lockNodes(on, session);
            on.update(servers.leaveSession, session, 0);
            on.update(servers.leaveSession, session, node);
            return on.update(servers.joinSession, session, node);
        });
    }

    /** The servers of a session, which stay as they are. A later statement sees what others did while this one waited. */
    private List<Integer> lockNodes(Jdbc.Statement on, UUID session) throws SQLException {
        database.lockSession(on, session);
        return on.list(servers.nodesOfSession, row -> row.getInt(1), session);
    }

    @Override
    public boolean join(UUID session, int node) {
        return jdbc.atomic("join a session", on -> {
            List<Integer> nodes = lockNodes(on, session);
            if (nodes.isEmpty()) {
                return false;
            }
            on.update(servers.leaveSession, session, 0);
            if (!nodes.contains(node)) {
                on.update(servers.joinSession, session, node);
            }
            return true;
        });
    }

    @Override
    public List<Released> leave(UUID session, int node, Duration sessionTtr) {
        return jdbc.atomic("leave a session", on -> leave(on, session, node, sessionTtr));
    }

    /**
     * The lock makes one of two servers that leave at once the last. A server whose rows others have removed, because they
     * took it for dead, is the last as well.
     */
    private List<Released> leave(Jdbc.Statement on, UUID session, int node, Duration sessionTtr) throws SQLException {
        List<Integer> nodes = lockNodes(on, session);
        on.update(servers.leaveSession, session, node);
        if (nodes.stream().anyMatch(other -> other != node)) {
            return List.of();
        }
        if (!sessionTtr.isZero()) {
            on.update(servers.keepSession, session, sessionTtr.toMillis());
            return List.of();
        }
        return end(on, session);
    }

    @Override
    public List<Released> expireSessions() {
        List<UUID> expired = jdbc.single(
                "look for expired sessions",
                on -> on.list(servers.expiredSessions, row -> row.getObject(1, UUID.class)));
        List<Released> released = new ArrayList<>();
        for (UUID session : expired) {
            released.addAll(jdbc.atomic("end a session", on -> expire(on, session)));
        }
        return grouped(released);
    }

    /** Somebody who has the session's lock may be taking it up again. Who has done so meanwhile has removed the row. */
    private List<Released> expire(Jdbc.Statement on, UUID session) throws SQLException {
        return database.triesSession(on, session) && on.update(servers.expireSession, session) > 0
                ? end(on, session)
                : List.of();
    }

    /** What somebody has locked stays with the session's server, which finds that nobody holds it any more. */
    private List<Released> end(Jdbc.Statement on, UUID session) throws SQLException {
        List<Taken> held = on.list(servers.takenBySession, JpaRegistry::taken, tubeIds(on), session);
        return held.isEmpty() ? List.of() : grouped(release(on, held, servers.release));
    }

    private static List<Released> grouped(List<Released> single) {
        Map<Integer, List<Long>> byTube = new LinkedHashMap<>();
        single.forEach(task ->
                byTube.computeIfAbsent(task.tube(), tube -> new ArrayList<>()).addAll(task.ids()));
        List<Released> grouped = new ArrayList<>();
        byTube.forEach((tube, ids) -> grouped.add(new Released(tube, ids)));
        return grouped;
    }
}
