package org.tasktube.store.jpa;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import javax.sql.DataSource;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.TaskMeta;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.Holder;
import org.tasktube.store.Moved;
import org.tasktube.store.NewTask;
import org.tasktube.store.Place;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Sweep;
import org.tasktube.store.TaskStore;
import org.tasktube.store.TubeCount;

/** Tasks in H2 or PostgreSQL: changes by {@link Statements} over JDBC, looks by JPA over the same connections. */
public final class JpaTaskStore implements TaskStore {

    /** How many deadlines one sweep handles, so that its transaction stays short. */
    private static final int SWEEP_BATCH = 500;

    /** When everything due is locked by others, who are about to end it, look again soon, but not at once. */
    private static final Duration LOCKED_RETRY = Duration.ofMillis(100);

    /** What H2 says of a name that is taken; PostgreSQL is asked not to say it. */
    private static final String UNIQUE_VIOLATION = "23505";

    private final Jdbc jdbc;
    private final Database database;
    private final Statements sql;
    private final EntityManagerFactory entities;

    private JpaTaskStore(Jdbc jdbc, Database database, EntityManagerFactory entities) {
        this.jdbc = jdbc;
        this.database = database;
        this.sql = new Statements(database);
        this.entities = entities;
    }

    /**
     * Opens the tables that a datasource leads to, making them if they are missing and that is allowed.
     *
     * @throws StoreUnavailableException if the database does not answer, or the tables are not TaskTube's
     */
    public static JpaTaskStore open(DataSource dataSource, boolean createTables) throws StoreUnavailableException {
        Database database = prepare(dataSource, createTables);
        try {
            return new JpaTaskStore(new Jdbc(dataSource), database, new PersistenceUnit(dataSource).open());
        } catch (PersistenceException e) {
            throw new StoreUnavailableException(
                    "the tables are not as TaskTube needs them: " + innermost(e).getMessage() + "; compare them with "
                            + database.schemaFile(),
                    e);
        }
    }

    private static Throwable innermost(Throwable thrown) {
        return thrown.getCause() == null ? thrown : innermost(thrown.getCause());
    }

    private static Database prepare(DataSource dataSource, boolean createTables) throws StoreUnavailableException {
        try (Connection connection = dataSource.getConnection()) {
            Database database = Database.of(connection.getMetaData().getDatabaseProductName());
            connection.setAutoCommit(false);
            try {
                new Schema(database).prepare(new Jdbc.Statement(connection), createTables);
                connection.commit();
            } finally {
                // Undoes what was half made, and nothing after a commit
                connection.rollback();
                connection.setAutoCommit(true);
            }
            return database;
        } catch (SQLException e) {
            throw new StoreUnavailableException(e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        entities.close();
    }

    // Tubes

    @Override
    public List<StoredTube> tubes() {
        return look(em -> em.createQuery("SELECT t FROM Tube t ORDER BY t.name", TubeEntity.class)
                        .getResultList())
                .stream()
                .map(TubeEntity::toStored)
                .toList();
    }

    @Override
    public Optional<StoredTube> tube(String name) {
        return look(em -> em.createQuery("SELECT t FROM Tube t WHERE t.name = :name", TubeEntity.class)
                        .setParameter("name", name)
                        .getResultStream()
                        .findFirst())
                .map(TubeEntity::toStored);
    }

    @Override
    public Optional<StoredTube> createTube(TubeDefinition tube) {
        try {
            return insertTube(tube).map(id -> new StoredTube(id, tube));
        } catch (StoreException e) {
            if (e.getCause() instanceof SQLException cause && UNIQUE_VIOLATION.equals(cause.getSQLState())) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private Optional<Integer> insertTube(TubeDefinition tube) {
        return jdbc.single(
                "create tube " + tube.name(),
                on -> on.first(
                        sql.createTube,
                        row -> row.getInt(1),
                        tube.name(),
                        tube.type(),
                        tube.pri(),
                        millis(tube.ttl()),
                        millis(tube.ttr()),
                        tube.delay().toMillis()));
    }

    @Override
    public void dropTube(StoredTube tube) {
        jdbc.atomic("drop tube " + tube.name(), on -> {
            // The row first: a put that comes now finds no tube
            on.update(sql.dropTube, tube.id());
            return on.list(sql.truncate, row -> true, tube.id());
        });
    }

    // Tasks

    @Override
    public Optional<Long> put(StoredTube tube, NewTask task) {
        return jdbc.single(
                "put",
                on -> on.first(
                        sql.put,
                        row -> row.getLong(1),
                        task.state(),
                        task.pri(),
                        millis(task.untilEvent()),
                        millis(task.untilExpiry()),
                        millis(task.ttr()),
                        task.data().contentType(),
                        task.data().bytes(),
                        tube.id()));
    }

    @Override
    public List<ClaimedTask> claim(StoredTube tube, Holder holder, Place after, int max) {
        Database.Claim claim =
                new Database.Claim(tube.id(), tube.name(), holder.session(), holder.node(), newToken(), after, max);
        Jdbc.Work<List<ClaimedTask>> work = on -> database.claim(on, sql, claim);
        return database.claimsInOneStatement() ? jdbc.single("take", work) : jdbc.atomic("take", work);
    }

    /** Tokens are random so that no two servers need to agree on them; 0 means not taken. */
    private static long newToken() {
        return ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
    }

    @Override
    public boolean ack(StoredTube tube, Holder holder, Task task) {
        return jdbc.single("ack", on -> on.update(sql.ack, task.id(), tube.id(), holder.session(), task.token()) == 1);
    }

    @Override
    public Optional<Moved> release(StoredTube tube, Holder holder, Task task) {
        return move("release", sql.release, tube, holder, task);
    }

    @Override
    public Optional<Moved> release(StoredTube tube, Holder holder, Task task, Duration delay, Optional<Duration> ttl) {
        long later = delay.toMillis();
        if (ttl.isEmpty()) {
            return later == 0
                    ? release(tube, holder, task)
                    : move("release", sql.releaseDelayed, tube, holder, task, later, later);
        }
        long life = later + ttl.get().toMillis();
        return later == 0
                ? move("release", sql.releaseForLife, tube, holder, task, life, life)
                : move("release", sql.releaseDelayedForLife, tube, holder, task, later, life);
    }

    @Override
    public Optional<Moved> requeue(StoredTube tube, Holder holder, Task task) {
        return move("requeue", sql.requeue, tube, holder, task);
    }

    @Override
    public Optional<Moved> bury(StoredTube tube, Holder holder, Task task) {
        return move("bury", sql.bury, tube, holder, task);
    }

    @Override
    public Optional<Moved> buryIdle(StoredTube tube, long id, TaskState from) {
        return jdbc.single("bury", on -> on.first(sql.buryIdle, JpaTaskStore::moved, id, tube.id(), from));
    }

    @Override
    public Optional<Moved> touch(StoredTube tube, Holder holder, Task task, Duration increment) {
        return move("touch", sql.touch, tube, holder, task, increment.toMillis(), increment.toMillis());
    }

    @Override
    public Optional<Moved> heartbeat(StoredTube tube, Holder holder, Task task) {
        return move("heartbeat", sql.heartbeat, tube, holder, task);
    }

    @Override
    public Optional<Moved> fail(
            StoredTube tube, Holder holder, Task task, TaskFailure failure, Optional<Duration> delay) {
        Object[] error = {failure.type(), failure.message(), failure.trace()};
        if (delay.isEmpty()) {
            return move("bury", sql.failBuried, tube, holder, task, error);
        }
        long later = delay.get().toMillis();
        return later == 0
                ? move("release", sql.failReady, tube, holder, task, error)
                : move("release", sql.failDelayed, tube, holder, task, error[0], error[1], error[2], later, later);
    }

    /** A guarded change of what a taking holds. */
    private Optional<Moved> move(
            String what, String statement, StoredTube tube, Holder holder, Task task, Object... first) {
        List<Object> arguments = new ArrayList<>(List.of(first));
        arguments.addAll(List.of(task.id(), tube.id(), holder.session(), task.token()));
        return jdbc.single(what, on -> on.first(statement, JpaTaskStore::moved, arguments.toArray()));
    }

    private static Moved moved(ResultSet row) throws SQLException {
        long millis = row.getLong(1);
        return new Moved(row.wasNull() ? Optional.empty() : Optional.of(Duration.ofMillis(Math.max(0, millis))));
    }

    @Override
    public int giveBack(StoredTube tube, Holder holder, Collection<Task> tasks) {
        Set<Long> tokens = new HashSet<>();
        tasks.forEach(task -> tokens.add(task.token()));
        List<Long> ids = tasks.stream().map(Task::id).toList();
        return jdbc.single("give back", on -> on.update(sql.giveBack, holder.session(), tokens, ids));
    }

    @Override
    public int kick(StoredTube tube, int max) {
        return jdbc.atomic("kick", on -> {
            List<Long> ids = database.lockInOrder(on, sql, tube.id(), TaskState.BURIED.letter(), Place.START, max);
            return ids.isEmpty() ? 0 : on.update(sql.kick, ids);
        });
    }

    @Override
    public Optional<Moved> dig(StoredTube tube, long id) {
        return jdbc.single("dig", on -> on.first(sql.dig, JpaTaskStore::moved, id, tube.id()));
    }

    @Override
    public Optional<TaskState> delete(StoredTube tube, long id) {
        return jdbc.single("delete", on -> on.first(sql.delete, row -> state(row, 1), id, tube.id()));
    }

    @Override
    public long releaseAll(StoredTube tube) {
        return jdbc.single("release all", on -> on.update(sql.releaseAll, tube.id()));
    }

    @Override
    public int releaseSession(StoredTube tube, Holder holder, Collection<Long> ids) {
        return jdbc.single("release", on -> on.update(sql.releaseSession, holder.session(), ids));
    }

    @Override
    public List<TubeCount> truncate(StoredTube tube) {
        return jdbc.single("truncate", on -> on.list(sql.truncate, JpaTaskStore::count, tube.id()));
    }

    // Looks

    @Override
    public Optional<Task> find(StoredTube tube, long id) {
        return entity(tube, id).map(task -> task.toTask(tube.name()));
    }

    @Override
    public Optional<UUID> holder(StoredTube tube, long id) {
        return jdbc.single("look", on -> on.first(sql.holder, row -> row.getObject(1, UUID.class), id, tube.id()));
    }

    @Override
    public Optional<TaskMeta> meta(StoredTube tube, long id) {
        return entity(tube, id).map(task -> task.toMeta(tube.name(), now()));
    }

    private Optional<TaskEntity> entity(StoredTube tube, long id) {
        return look(em -> em.createQuery("SELECT t FROM Task t WHERE t.id = :id AND t.tubeId = :tube", TaskEntity.class)
                .setParameter("id", id)
                .setParameter("tube", tube.id())
                .getResultStream()
                .findFirst());
    }

    private Instant now() {
        return jdbc.single("read its clock", on -> on.first(
                        sql.now, row -> row.getObject(1, OffsetDateTime.class).toInstant())
                .orElseThrow());
    }

    /** The state, and that there is a time, are in the text of the query: partial indexes are found by that. */
    @Override
    public Optional<Task> first(StoredTube tube, TaskState state) {
        String order =
                state == TaskState.DELAYED ? " AND t.eventAt IS NOT NULL ORDER BY t.eventAt" : " ORDER BY t.pri, t.ord";
        return look(em -> em.createQuery(
                                "SELECT t FROM Task t WHERE t.tubeId = :tube AND t.state = '" + state.letter() + "'"
                                        + order,
                                TaskEntity.class)
                        .setParameter("tube", tube.id())
                        .setMaxResults(1)
                        .getResultStream()
                        .findFirst())
                .map(task -> task.toTask(tube.name()));
    }

    @Override
    public List<Task> page(StoredTube tube, TaskState state, long afterId, int limit) {
        return look(em -> em.createQuery(
                                "SELECT t FROM Task t WHERE t.tubeId = :tube AND t.state = '" + state.letter()
                                        + "' AND t.id > :after ORDER BY t.id",
                                TaskEntity.class)
                        .setParameter("tube", tube.id())
                        .setParameter("after", afterId)
                        .setMaxResults(limit)
                        .getResultList())
                .stream()
                .map(task -> task.toTask(tube.name()))
                .toList();
    }

    private <T> T look(Function<EntityManager, T> query) {
        try (EntityManager em = entities.createEntityManager()) {
            return query.apply(em);
        } catch (PersistenceException e) {
            throw new StoreException("the database failed to answer: " + e.getMessage(), e);
        }
    }

    @Override
    public List<TubeCount> counts() {
        return jdbc.single("count", on -> on.list(sql.counts, JpaTaskStore::count));
    }

    @Override
    public Set<Integer> readyTubes(Collection<Integer> tubes) {
        return new HashSet<>(jdbc.single("poll", on -> on.list(sql.readyTubes, row -> row.getInt(1), tubes)));
    }

    private static TubeCount count(ResultSet row) throws SQLException {
        return new TubeCount(row.getInt(1), state(row, 2), row.getLong(3));
    }

    private static TaskState state(ResultSet row, int column) throws SQLException {
        return TaskState.of(row.getString(column).charAt(0));
    }

    // Time and servers

    @Override
    public Sweep sweep() {
        Optional<Duration> next = jdbc.single("look for deadlines", on -> on.first(sql.nextEvent, JpaTaskStore::moved))
                .flatMap(Moved::untilEvent);
        if (next.isEmpty() || !next.get().isZero()) {
            return new Sweep(List.of(), next);
        }
        List<Sweep.Swept> swept = jdbc.atomic("end deadlines", this::sweepBatch);
        return new Sweep(swept, Optional.of(swept.isEmpty() ? LOCKED_RETRY : Duration.ZERO));
    }

    private List<Sweep.Swept> sweepBatch(Jdbc.Statement on) throws SQLException {
        List<Long> due = on.list(sql.dueEvents, row -> row.getLong(1), SWEEP_BATCH);
        if (due.isEmpty()) {
            return List.of();
        }
        Map<TaskState, List<Due>> locked = new EnumMap<>(TaskState.class);
        on.list(sql.lockDue, row -> new Due(row.getLong(1), row.getInt(2), state(row, 3)), due)
                .forEach(task -> locked.computeIfAbsent(task.state, s -> new ArrayList<>())
                        .add(task));
        List<Sweep.Swept> swept = new ArrayList<>();
        for (Map.Entry<TaskState, List<Due>> entry : locked.entrySet()) {
            List<Long> ids = entry.getValue().stream().map(Due::id).toList();
            on.update(comesBack(entry.getKey()) ? sql.makeReady : sql.remove, ids);
            swept.addAll(summed(entry.getKey(), entry.getValue()));
        }
        return swept;
    }

    private static boolean comesBack(TaskState state) {
        return state == TaskState.TAKEN || state == TaskState.DELAYED;
    }

    private static List<Sweep.Swept> summed(TaskState state, List<Due> tasks) {
        Map<Integer, Long> byTube = new HashMap<>();
        tasks.forEach(task -> byTube.merge(task.tube, 1L, Long::sum));
        return byTube.entrySet().stream()
                .map(tube -> new Sweep.Swept(tube.getKey(), state, tube.getValue()))
                .toList();
    }

    private record Due(long id, int tube, TaskState state) {}

    @Override
    public int registerNode(String name) {
        return jdbc.single("register this server", on -> on.first(sql.registerNode, row -> row.getInt(1), name))
                .orElseThrow();
    }

    @Override
    public int servers() {
        return look(em -> em.createQuery("SELECT count(n) FROM Node n", Long.class)
                        .getSingleResult())
                .intValue();
    }

    @Override
    public boolean seen(int node) {
        return jdbc.single("say that this server is up", on -> on.update(sql.seen, node)) == 1;
    }

    @Override
    public List<TubeCount> releaseDead(String ownName, Duration ownTimeout, Duration timeout) {
        return jdbc.atomic("look for dead servers", on -> {
            List<TubeCount> released = new ArrayList<>();
            for (int node :
                    on.list(sql.deadNodes, row -> row.getInt(1), ownName, ownTimeout.toMillis(), timeout.toMillis())) {
                released.addAll(release(on, node));
            }
            return released;
        });
    }

    @Override
    public List<TubeCount> leave(int node) {
        return jdbc.atomic("leave", on -> release(on, node));
    }

    private List<TubeCount> release(Jdbc.Statement on, int node) throws SQLException {
        Map<Integer, Long> byTube = new HashMap<>();
        on.list(sql.releaseNode, row -> row.getInt(1), node).forEach(tube -> byTube.merge(tube, 1L, Long::sum));
        on.update(sql.forgetNode, node);
        return byTube.entrySet().stream()
                .map(tube -> new TubeCount(tube.getKey(), TaskState.TAKEN, tube.getValue()))
                .toList();
    }

    private static Long millis(Optional<Duration> duration) {
        return duration.map(Duration::toMillis).orElse(null);
    }
}
