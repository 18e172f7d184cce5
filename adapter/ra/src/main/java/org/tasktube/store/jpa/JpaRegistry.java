package org.tasktube.store.jpa;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.tasktube.StoreException;
import org.tasktube.TubeDefinition;
import org.tasktube.store.Registry;
import org.tasktube.store.Released;
import org.tasktube.store.StoredTube;

/** Tubes, servers and sessions in H2 or PostgreSQL. */
final class JpaRegistry implements Registry {

    private final Jdbc jdbc;
    private final Database database;
    private final Statements sql;
    private final Entities entities;

    JpaRegistry(Jdbc jdbc, Database database, Statements sql, Entities entities) {
        this.jdbc = jdbc;
        this.database = database;
        this.sql = sql;
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
            // The row first: a put that comes now finds no tube
            on.update(sql.dropTube, tube.id());
            on.update(sql.dropTasks, tube.id());
            on.update(sql.dropNotes, tube.id());
            return on.update(sql.dropPlaces, tube.id());
        });
    }

    // Servers

    @Override
    public int registerNode(String name) {
        return jdbc.single("register this server", on -> on.first(sql.registerNode, row -> row.getInt(1), name))
                .orElseThrow();
    }

    @Override
    public int servers() {
        return entities.look(em -> em.createQuery("SELECT count(n) FROM Node n", Long.class)
                        .getSingleResult())
                .intValue();
    }

    @Override
    public boolean seen(int node) {
        return jdbc.single("say that this server is up", on -> on.update(sql.seen, node)) == 1;
    }

    @Override
    public List<Released> releaseDead(String ownName, Duration ownTimeout, Duration timeout, Duration sessionTtr) {
        Jdbc.Work<List<Integer>> look =
                on -> on.list(sql.deadNodes, row -> row.getInt(1), ownName, ownTimeout.toMillis(), timeout.toMillis());
        // Mostly nobody is dead, and one statement says so
        if (jdbc.single("look for dead servers", look).isEmpty()) {
            return List.of();
        }
        return jdbc.atomic("release what dead servers hold", on -> {
            List<Released> released = new ArrayList<>();
            for (int node : look.on(on)) {
                released.addAll(forget(on, node, sessionTtr));
            }
            return released;
        });
    }

    @Override
    public List<Released> leave(int node, Duration sessionTtr) {
        return jdbc.atomic("leave", on -> forget(on, node, sessionTtr));
    }

    private List<Released> forget(Jdbc.Statement on, int node, Duration sessionTtr) throws SQLException {
        List<Released> released = grouped(database.follow(on, sql.releaseNode, JpaRegistry::released, node));
        for (UUID session : on.list(sql.sessionsOf, row -> row.getObject(1, UUID.class), node)) {
            released.addAll(leave(on, session, node, sessionTtr));
        }
        on.update(sql.forgetNode, node);
        return released;
    }

    // Sessions

    @Override
    public void publish(UUID session, int node) {
        jdbc.single("make a session known", on -> on.update(sql.joinSession, session, node));
    }

    @Override
    public boolean join(UUID session, int node) {
        return jdbc.atomic("join a session", on -> {
            List<Integer> nodes = on.list(sql.lockSession, row -> row.getInt(1), session);
            if (nodes.isEmpty()) {
                return false;
            }
            on.update(sql.leaveSession, session, 0);
            if (!nodes.contains(node)) {
                on.update(sql.joinSession, session, node);
            }
            return true;
        });
    }

    @Override
    public List<Released> leave(UUID session, int node, Duration sessionTtr) {
        return jdbc.atomic("leave a session", on -> leave(on, session, node, sessionTtr));
    }

    /** The lock makes one of two servers that leave at once the last. */
    private List<Released> leave(Jdbc.Statement on, UUID session, int node, Duration sessionTtr) throws SQLException {
        List<Integer> nodes = on.list(sql.lockSession, row -> row.getInt(1), session);
        on.update(sql.leaveSession, session, node);
        if (!nodes.equals(List.of(node))) {
            return List.of();
        }
        if (!sessionTtr.isZero()) {
            on.update(sql.keepSession, session, sessionTtr.toMillis());
            return List.of();
        }
        return end(on, session);
    }

    @Override
    public List<Released> expireSessions() {
        Jdbc.Work<List<UUID>> look = on -> on.list(sql.expiredSessions, row -> row.getObject(1, UUID.class));
        if (jdbc.single("look for expired sessions", look).isEmpty()) {
            return List.of();
        }
        return jdbc.atomic("end sessions", on -> {
            List<Released> released = new ArrayList<>();
            for (UUID session : look.on(on)) {
                on.update(sql.forgetSession, session);
                released.addAll(end(on, session));
            }
            return released;
        });
    }

    private List<Released> end(Jdbc.Statement on, UUID session) throws SQLException {
        return grouped(database.follow(on, sql.releaseExpired, JpaRegistry::released, session));
    }

    private static Released released(ResultSet row) throws SQLException {
        return new Released(row.getInt(1), List.of(row.getLong(2)));
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
