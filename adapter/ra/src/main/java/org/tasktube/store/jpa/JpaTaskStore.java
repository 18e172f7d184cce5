package org.tasktube.store.jpa;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskFailure;
import org.tasktube.TaskMeta;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.spi.Position;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.Holder;
import org.tasktube.store.Moved;
import org.tasktube.store.NewTask;
import org.tasktube.store.Place;
import org.tasktube.store.Put;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Sweep;
import org.tasktube.store.TaskStore;
import org.tasktube.store.TubeCount;

/** Tasks in H2 or PostgreSQL: changes by {@link Statements} over JDBC, looks by JPA over the same connections. */
final class JpaTaskStore implements TaskStore {

    /** How many deadlines a sweep looks at together, so that its transaction stays short. */
    private static final int SWEEP_BATCH = 500;

    /** How often a sweep looks at as many, if others have locked them. */
    private static final int SWEEP_WINDOWS = 10;

    private static final Due FIRST_DUE =
            new Due(Long.MIN_VALUE, OffsetDateTime.of(1, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC));

    /** When everything due is locked by others, who are about to end it, look again soon, but not at once. */
    private static final Duration LOCKED_RETRY = Duration.ofMillis(100);

    /** How many tasks of tubes that are gone are removed in one transaction. */
    private static final int ORPHAN_BATCH = 1_000;

    /** How often a take settles some thousand notes before it answers that nothing is ready. */
    private static final int SETTLE_ROUNDS = 1_000;

    /** How long a put waits for the end of a drop that may yet be rolled back. */
    private static final Duration DROP_PATIENCE = Duration.ofSeconds(2);

    private static final Duration DROP_PAUSE = Duration.ofMillis(10);

    /** How often a task of a unique key may vanish between the put that found it and the look for it. */
    private static final int KEY_RETRIES = 10;

    private final Jdbc jdbc;
    private final Database database;
    private final Statements sql;
    private final Entities entities;

    /** Where the next sweep begins: others have locked what is due before. */
    private volatile Due sweptTo = FIRST_DUE;

    JpaTaskStore(Jdbc jdbc, Database database, Statements sql, Entities entities) {
        this.jdbc = jdbc;
        this.database = database;
        this.sql = sql;
        this.entities = entities;
    }

    @Override
    public void close() {
        entities.close();
    }

    // Put

    @Override
    public Put put(StoredTube tube, List<NewTask> tasks) {
        long end = System.nanoTime() + DROP_PATIENCE.toNanos();
        while (true) {
            Put put = putUnlessDropped(tube, tasks);
            if (put.outcome() != Put.Outcome.NO_TUBE || !isThere(tube)) {
                return put;
            }
            if (System.nanoTime() - end > 0) {
                throw new StoreException(
                        "nothing was put: a transaction that drops tube '" + tube.name() + "' has not ended within "
                                + DROP_PATIENCE.toMillis() + " ms; put it again when that has ended");
            }
            LockSupport.parkNanos(DROP_PAUSE.toNanos());
        }
    }

    private boolean isThere(StoredTube tube) {
        return jdbc.single("put", on -> on.first(sql.tubeThere, row -> true, tube.id()))
                .isPresent();
    }

    private Put putUnlessDropped(StoredTube tube, List<NewTask> tasks) {
        NewTask first = tasks.get(0);
        if (tasks.size() == 1 && !tube.hasCapacity()) {
            return first.isPlain() ? putPlain(tube, first) : putKeyed(tube, first);
        }
        return jdbc.atomic("put", on -> putIntoPlaces(on, tube, tasks));
    }

    private Put putPlain(StoredTube tube, NewTask task) {
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
                                tube.id()))
                .map(id -> Put.done(List.of(id)))
                .orElse(Put.NO_TUBE);
    }

    private Put putKeyed(StoredTube tube, NewTask task) {
        for (int i = 0; i < KEY_RETRIES; i++) {
            Object[] arguments = placed(tube, task);
            Jdbc.Work<List<Long>> insert = on -> database.insertUnlessThere(on, sql.putPlaced, arguments);
            List<Long> id = database.followsInOneStatement() ? jdbc.single("put", insert) : jdbc.atomic("put", insert);
            if (!id.isEmpty()) {
                return Put.done(id);
            }
            if (jdbc.single("put", on -> on.first(sql.tubeOpen, row -> true, tube.id()))
                    .isEmpty()) {
                return Put.NO_TUBE;
            }
            Optional<Long> there = byKey(tube, task);
            if (there.isPresent()) {
                return Put.exists(there.get());
            }
        }
        throw new StoreException("a task of the unique key '" + task.uniqueKey().orElse("")
                + "' came and went while another one was put; put it again");
    }

    private Optional<Long> byKey(StoredTube tube, NewTask task) {
        return task.uniqueKey()
                .flatMap(key -> jdbc.single("put", on -> on.first(sql.byKey, row -> row.getLong(1), tube.id(), key)));
    }

    private static Object[] placed(StoredTube tube, NewTask task) {
        OptionalLong number = task.position().number();
        return new Object[] {
            number.isPresent() ? number.getAsLong() : null,
            task.position().end() == Position.End.FIRST ? -1L : 1L,
            task.state(),
            task.pri(),
            millis(task.untilEvent()),
            millis(task.untilExpiry()),
            millis(task.ttr()),
            task.utube().orElse(null),
            isBehind(task),
            task.uniqueKey().orElse(null),
            task.data().contentType(),
            task.data().bytes(),
            tube.id()
        };
    }

    /** In a sub-queue whose turn it is, is settled when it is seen. */
    private static boolean isBehind(NewTask task) {
        return task.utube().isPresent() && task.state() == TaskState.READY;
    }

    private Put putIntoPlaces(Jdbc.Statement on, StoredTube tube, List<NewTask> tasks) throws SQLException {
        if (on.first(sql.tubeOpen, row -> true, tube.id()).isEmpty()) {
            return Put.NO_TUBE;
        }
        if (tube.hasCapacity()) {
            int taken = database.takePlaces(on, tube.id(), tasks.size());
            if (taken < tasks.size()) {
                on.update(sql.addPlaces, tube.id(), (long) taken);
                return fullOrThere(on, tube, tasks.get(0));
            }
        }
        if (tasks.size() > 1) {
            return Put.done(putNumbered(on, tube, tasks));
        }
        List<Long> id = database.insertUnlessThere(on, sql.putPlaced, placed(tube, tasks.get(0)));
        if (id.isEmpty()) {
            on.update(sql.addPlaces, tube.id(), 1L);
            return fullOrThere(on, tube, tasks.get(0));
        }
        return Put.done(id);
    }

    /** A task of the key needs no place. */
    private Put fullOrThere(Jdbc.Statement on, StoredTube tube, NewTask task) throws SQLException {
        Optional<Long> there = task.uniqueKey().isEmpty()
                ? Optional.empty()
                : on.first(
                        sql.byKey,
                        row -> row.getLong(1),
                        tube.id(),
                        task.uniqueKey().get());
        return there.map(Put::exists).orElse(Put.FULL);
    }

    private List<Long> putNumbered(Jdbc.Statement on, StoredTube tube, List<NewTask> tasks) throws SQLException {
        List<Long> ids = on.list(sql.newIds, row -> row.getLong(1), (long) tasks.size());
        List<Object[]> rows = new ArrayList<>();
        Set<String> utubes = new LinkedHashSet<>();
        for (int i = 0; i < ids.size(); i++) {
            rows.add(numbered(tube, tasks.get(i), ids.get(i)));
            tasks.get(i).utube().ifPresent(utubes::add);
        }
        on.batch(sql.putNumbered, rows);
        if (!utubes.isEmpty()) {
            on.batch(
                    sql.note,
                    utubes.stream()
                            .map(utube -> new Object[] {tube.id(), utube})
                            .toList());
        }
        return ids;
    }

    private static Object[] numbered(StoredTube tube, NewTask task, long id) {
        long ord =
                switch (task.position().end()) {
                    case FIRST -> -id;
                    case LAST -> id;
                    case NUMBER -> task.position().number().orElseThrow();
                };
        return new Object[] {
            id,
            ord,
            task.state(),
            task.pri(),
            millis(task.untilEvent()),
            millis(task.untilExpiry()),
            millis(task.ttr()),
            task.utube().orElse(null),
            isBehind(task),
            task.uniqueKey().orElse(null),
            task.data().contentType(),
            task.data().bytes(),
            tube.id()
        };
    }

    /** Both sub-queues are noted: the one that it was in, and the one that it is in. */
    @Override
    public Optional<Moved> replace(StoredTube tube, long id, TaskState from, NewTask task) {
        return jdbc.atomic("replace", on -> {
            Optional<String> before = tube.subQueues() ? oldUtube(on, tube, id, from) : Optional.empty();
            Optional<Moved> replaced = changeOn(
                            on,
                            tube,
                            sql.replace,
                            JpaTaskStore::moved,
                            task.state(),
                            task.pri(),
                            millis(task.untilEvent()),
                            millis(task.untilExpiry()),
                            millis(task.ttr()),
                            task.utube().orElse(null),
                            isBehind(task),
                            task.data().contentType(),
                            task.data().bytes(),
                            id,
                            tube.id(),
                            from)
                    .stream()
                    .findFirst();
            if (replaced.isPresent()) {
                if (before.isPresent()) {
                    on.update(sql.note, tube.id(), before.get());
                }
            }
            return replaced;
        });
    }

    /** Locked, so that it is the one that the task leaves. */
    private Optional<String> oldUtube(Jdbc.Statement on, StoredTube tube, long id, TaskState from) throws SQLException {
        return on.first(sql.oldUtube, row -> Optional.ofNullable(row.getString(1)), id, tube.id(), from)
                .flatMap(utube -> utube);
    }

    // Take

    @Override
    public List<ClaimedTask> claim(StoredTube tube, Holder holder, long token, Place after, int max) {
        Database.Claim claim =
                new Database.Claim(tube.id(), tube.name(), holder.session(), holder.node(), token, after, max);
        return tube.subQueues() && !jdbc.inTransaction()
                ? settleAndClaim(claim)
                : claim(on -> database.claim(on, sql, claim));
    }

    /** Each round is a transaction of its own: where the time of a transaction is limited, what the others settled stays. */
    private List<ClaimedTask> settleAndClaim(Database.Claim claim) {
        for (int round = 1; ; round++) {
            Database.Claimed claimed = claim(on -> database.settleAndClaim(on, sql, claim));
            if (!claimed.tasks().isEmpty() || !claimed.notesLeft() || round == SETTLE_ROUNDS) {
                return claimed.tasks();
            }
        }
    }

    private <T> T claim(Jdbc.Work<T> work) {
        return database.claimsInOneStatement() ? jdbc.single("take", work) : jdbc.atomic("take", work);
    }

    @Override
    public void settle(StoredTube tube) {
        Jdbc.Work<Boolean> work = on -> database.settle(on, tube.id());
        for (int round = 1; settle(work) && round < SETTLE_ROUNDS; round++) {
            // Notes are left, and not enough was ready among those that were looked at
        }
    }

    /** One statement where that is possible, so that no server that stands still has the lock of those who settle. */
    private boolean settle(Jdbc.Work<Boolean> work) {
        return database.settlesInOneStatement()
                ? jdbc.single("settle sub-queues", work)
                : jdbc.atomic("settle sub-queues", work);
    }

    // Moves

    @Override
    public boolean ack(StoredTube tube, Holder holder, Task task) {
        Object[] held = {task.id(), tube.id(), holder.session(), task.token()};
        if (mustFollow(tube, sql.ack)) {
            return !change("ack", tube, sql.ack, row -> true, held).isEmpty();
        }
        return jdbc.single("ack", on -> on.update(sql.ackPlain, held) == 1);
    }

    @Override
    public boolean ackAll(StoredTube tube, Holder holder, Collection<Task> tasks) {
        Map<Long, Long> tokens = tokens(tasks);
        return jdbc.atomic("ack", on -> {
            if (!lockHeld(on, tube, holder, tokens).equals(tokens.keySet())) {
                return false;
            }
            changeOn(on, tube, sql.remove, row -> true, tokens.keySet());
            return true;
        });
    }

    private static Map<Long, Long> tokens(Collection<Task> tasks) {
        Map<Long, Long> tokens = new TreeMap<>();
        tasks.forEach(task -> tokens.put(task.id(), task.token()));
        return tokens;
    }

    /** Which of these tasks those takings hold. */
    private Set<Long> lockHeld(Jdbc.Statement on, StoredTube tube, Holder holder, Map<Long, Long> tokens)
            throws SQLException {
        Set<Long> held = new TreeSet<>();
        database.listByIds(
                on,
                sql.lockHeld,
                row -> row.getLong(2) == tokens.get(row.getLong(1)) && held.add(row.getLong(1)),
                tube.id(),
                holder.session(),
                tokens.keySet());
        return held;
    }

    @Override
    public Optional<Moved> done(StoredTube tube, Holder holder, Task task, TaskResult result) {
        long ttl = result.ttl().toMillis();
        return move(
                "ack",
                sql.done,
                tube,
                holder,
                task,
                outcome(result.outcome()),
                ttl,
                result.data().contentType(),
                result.data().bytes(),
                ttl,
                ttl);
    }

    private static String outcome(TaskResult.Outcome outcome) {
        return outcome == TaskResult.Outcome.COMPLETED ? "c" : "r";
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
        return change("bury", tube, sql.buryIdle, JpaTaskStore::moved, id, tube.id(), from).stream()
                .findFirst();
    }

    @Override
    public Optional<Moved> touch(StoredTube tube, Holder holder, Task task, Duration increment) {
        return stay("touch", sql.touch, tube, holder, task, increment.toMillis(), increment.toMillis());
    }

    @Override
    public Optional<Moved> heartbeat(StoredTube tube, Holder holder, Task task) {
        return stay("heartbeat", sql.heartbeat, tube, holder, task);
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
            String what, Change change, StoredTube tube, Holder holder, Task task, Object... first) {
        return change(what, tube, change, JpaTaskStore::moved, held(tube, holder, task, first)).stream()
                .findFirst();
    }

    /** A guarded change of what a taking goes on holding. */
    private Optional<Moved> stay(
            String what, Change change, StoredTube tube, Holder holder, Task task, Object... first) {
        return jdbc.single(what, on -> on.first(change.plain(), JpaTaskStore::moved, held(tube, holder, task, first)));
    }

    private static Object[] held(StoredTube tube, Holder holder, Task task, Object... first) {
        List<Object> arguments = new ArrayList<>(Arrays.asList(first));
        arguments.addAll(List.of(task.id(), tube.id(), holder.session(), task.token()));
        return arguments.toArray();
    }

    private static Moved moved(ResultSet row) throws SQLException {
        long millis = row.getLong(1);
        return new Moved(row.wasNull() ? Optional.empty() : Optional.of(Duration.ofMillis(Math.max(0, millis))));
    }

    @Override
    public List<Long> giveBack(StoredTube tube, Holder holder, Collection<Task> tasks) {
        Map<Long, Long> tokens = tokens(tasks);
        return jdbc.atomic("give back", on -> {
            Set<Long> held = lockHeld(on, tube, holder, tokens);
            return held.isEmpty() ? List.of() : changeOn(on, tube, sql.giveBack, row -> row.getLong(1), held);
        });
    }

    @Override
    public List<Long> kick(StoredTube tube, int max) {
        return jdbc.atomic("kick", on -> {
            List<Long> ids = database.lockInOrder(on, sql, tube.id(), TaskState.BURIED.letter(), Place.START, max);
            return ids.isEmpty() ? ids : changeOn(on, tube, sql.kick, row -> row.getLong(1), ids);
        });
    }

    @Override
    public Optional<Moved> dig(StoredTube tube, long id) {
        return change("dig", tube, sql.dig, JpaTaskStore::moved, id, tube.id(), TaskState.BURIED).stream()
                .findFirst();
    }

    @Override
    public Optional<TaskState> delete(StoredTube tube, long id) {
        return change("delete", tube, sql.delete, row -> state(row, 1), id, tube.id()).stream()
                .findFirst();
    }

    @Override
    public List<Long> releaseAll(StoredTube tube) {
        Jdbc.Work<List<Long>> work = on -> changeOn(
                on, tube, sql.releaseAll, row -> row.getLong(1), database.tasksWhere(on, Statements.TAKEN, tube.id()));
        return database.followsInOneStatement() ? jdbc.single("release all", work) : jdbc.atomic("release all", work);
    }

    @Override
    public List<Long> releaseSession(StoredTube tube, UUID session, Collection<Long> ids) {
        return change("release", tube, sql.releaseSession, row -> row.getLong(1), session, ids);
    }

    /** What others put into a sub-queue meanwhile stays, and may be the first of it after the commit. */
    @Override
    public List<TubeCount> truncate(StoredTube tube) {
        return jdbc.atomic("truncate", on -> {
            if (tube.subQueues() && !database.followsInOneStatement()) {
                on.update(sql.noteAll, tube.id());
            }
            List<TubeCount> gone = database.listByIds(
                    on, sql.truncate, JpaTaskStore::count, database.tasksWhere(on, Statements.ALL, tube.id()));
            if (tube.hasCapacity()) {
                on.update(
                        sql.addPlaces,
                        tube.id(),
                        gone.stream().mapToLong(TubeCount::tasks).sum());
            }
            return TubeCount.sum(gone);
        });
    }

    @Override
    public List<Task> removeAll(StoredTube tube) {
        return jdbc.atomic("truncate", on -> {
            List<Task> gone = database.listByIds(
                    on, sql.removeAll, row -> task(tube, row), database.tasksWhere(on, Statements.ALL, tube.id()));
            List<Object[]> utubes = gone.stream()
                    .flatMap(task -> task.utube().stream())
                    .distinct()
                    .map(utube -> new Object[] {tube.id(), utube})
                    .toList();
            if (!utubes.isEmpty()) {
                on.batch(sql.note, utubes);
            }
            if (tube.hasCapacity()) {
                on.update(sql.addPlaces, tube.id(), (long) gone.size());
            }
            return gone;
        });
    }

    @Override
    public <T> T together(Supplier<T> calls) {
        return jdbc.together(calls);
    }

    private <T> List<T> change(String what, StoredTube tube, Change change, Jdbc.Row<T> row, Object... arguments) {
        Jdbc.Work<List<T>> work = on -> changeOn(on, tube, change, row, arguments);
        return mustFollow(tube, change) && !database.followsInOneStatement()
                ? jdbc.atomic(what, work)
                : jdbc.single(what, work);
    }

    private <T> List<T> changeOn(
            Jdbc.Statement on, StoredTube tube, Change change, Jdbc.Row<T> row, Object... arguments)
            throws SQLException {
        return mustFollow(tube, change)
                ? database.follow(on, change, row, arguments)
                : database.listByIds(on, change.plain(), row, arguments);
    }

    private static boolean mustFollow(StoredTube tube, Change change) {
        return tube.subQueues() || (change.removes() && tube.hasCapacity());
    }

    // Looks

    @Override
    public Optional<Task> find(StoredTube tube, long id) {
        return entity(tube, id).map(task -> task.toTask(tube.name()));
    }

    /** By JDBC, on whose connection calls are made together. */
    @Override
    public List<Task> tasks(StoredTube tube, Collection<Long> ids) {
        return jdbc.single("look", on -> on.list(sql.tasks, row -> task(tube, row), tube.id(), ids));
    }

    private static Task task(StoredTube tube, ResultSet row) throws SQLException {
        String utube = row.getString(6);
        return new Task(
                row.getLong(1),
                tube.name(),
                state(row, 2),
                row.getInt(3),
                row.getInt(4),
                row.getLong(5),
                Optional.ofNullable(utube),
                TaskData.of(row.getString(7), row.getBytes(8)));
    }

    @Override
    public Optional<UUID> holder(StoredTube tube, long id) {
        return jdbc.single("look", on -> on.first(sql.holder, row -> row.getObject(1, UUID.class), id, tube.id()));
    }

    @Override
    public Optional<TaskMeta> meta(StoredTube tube, long id) {
        return entity(tube, id).map(task -> task.toMeta(tube.name(), now()));
    }

    @Override
    public Optional<TaskResult> result(StoredTube tube, long id) {
        return entity(tube, id).flatMap(TaskEntity::toResult);
    }

    private Optional<TaskEntity> entity(StoredTube tube, long id) {
        return entities.look(
                em -> em.createQuery("SELECT t FROM Task t WHERE t.id = :id AND t.tubeId = :tube", TaskEntity.class)
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

    @Override
    public Map<Long, TaskState> states(Collection<Long> ids) {
        Map<Long, TaskState> states = new HashMap<>();
        jdbc.single("look", on -> on.list(sql.states, row -> states.put(row.getLong(1), state(row, 2)), ids));
        return states;
    }

    /** The state, and that there is a time, are in the text of the query: partial indexes are found by that. */
    @Override
    public Optional<Task> first(StoredTube tube, TaskState state) {
        String order =
                state == TaskState.DELAYED ? " AND t.eventAt IS NOT NULL ORDER BY t.eventAt" : " ORDER BY t.pri, t.ord";
        return entities.look(em -> em.createQuery(
                                "SELECT t FROM Task t WHERE t.tubeId = :tube AND t.state = '" + state.letter() + "'"
                                        + " AND t.behind = false" + order,
                                TaskEntity.class)
                        .setParameter("tube", tube.id())
                        .setMaxResults(1)
                        .getResultStream()
                        .findFirst())
                .map(task -> task.toTask(tube.name()));
    }

    @Override
    public List<Task> page(StoredTube tube, TaskState state, long afterId, int limit) {
        return entities
                .look(em -> em.createQuery(
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

    @Override
    public List<TubeCount> counts() {
        return jdbc.single("count", on -> on.list(sql.counts, JpaTaskStore::count));
    }

    @Override
    public Set<Integer> readyTubes(Collection<Integer> tubes) {
        return jdbc.single("poll", on -> {
            Set<Integer> ready = new HashSet<>(on.list(sql.readyTubes, row -> row.getInt(1), tubes));
            ready.addAll(database.freedTubes(on, tubes));
            return ready;
        });
    }

    @Override
    public Set<Integer> freeTubes(Collection<Integer> tubes) {
        return new HashSet<>(jdbc.single("poll", on -> on.list(sql.freeTubes, row -> row.getInt(1), tubes)));
    }

    private static TubeCount count(ResultSet row) throws SQLException {
        return new TubeCount(row.getInt(1), state(row, 2), row.getLong(3));
    }

    private static TaskState state(ResultSet row, int column) throws SQLException {
        return TaskState.of(row.getString(column).charAt(0));
    }

    // Tubes that are gone

    @Override
    public int removeOrphans() {
        List<Integer> gone = jdbc.single("look for tasks of tubes that are gone", on -> {
            // The tubes are read after what is of them: a tube that was made meanwhile is among them
            Set<Integer> used = new TreeSet<>(on.list(sql.usedTubes, row -> row.getInt(1)));
            on.list(sql.tubes, row -> used.remove(row.getInt(1)));
            return List.copyOf(used);
        });
        int removed = 0;
        if (!gone.isEmpty()) {
            int batch;
            do {
                batch = jdbc.atomic("remove tasks of tubes that are gone", on -> removeOrphans(on, gone));
                removed += batch;
            } while (batch == ORPHAN_BATCH);
            jdbc.atomic("remove what is left of tubes that are gone", on -> {
                on.update(sql.removeNotes, gone);
                on.update(sql.removeParked, gone);
                return on.update(sql.removePlaces, gone);
            });
        }
        return removed;
    }

    /** What somebody has locked is removed another time. */
    private int removeOrphans(Jdbc.Statement on, List<Integer> tubes) throws SQLException {
        List<Long> ids = on.list(sql.lockOrphans, row -> row.getLong(1), tubes, ORPHAN_BATCH);
        return ids.isEmpty() ? 0 : on.list(sql.remove.plain(), row -> true, ids).size();
    }

    // Deadlines

    @Override
    public Sweep sweep(Set<Integer> told) {
        Optional<Duration> next = jdbc.single("look for deadlines", on -> on.first(sql.nextEvent, JpaTaskStore::moved))
                .flatMap(Moved::untilEvent);
        if (next.isEmpty() || !next.get().isZero()) {
            return new Sweep(List.of(), next);
        }
        List<Sweep.Swept> swept = jdbc.atomic("end deadlines", on -> sweepBatch(on, told));
        return new Sweep(swept, Optional.of(swept.isEmpty() ? LOCKED_RETRY : Duration.ZERO));
    }

    private record Group(int tube, TaskState state) {}

    private record Due(long id, OffsetDateTime at) {}

    private List<Sweep.Swept> sweepBatch(Jdbc.Statement on, Set<Integer> told) throws SQLException {
        Map<Group, List<Long>> groups = lockDue(on);
        List<Sweep.Swept> swept = new ArrayList<>();
        List<Long> toReady = new ArrayList<>();
        List<Long> toRemove = new ArrayList<>();
        groups.forEach((group, ids) -> {
            boolean removed = !comesBack(group.state);
            (removed ? toRemove : toReady).addAll(ids);
            List<Task> tasks = told.contains(group.tube) ? find(ids) : List.of();
            swept.add(new Sweep.Swept(group.tube, group.state, ids, tasks));
        });
        if (!toReady.isEmpty()) {
            database.follow(on, sql.makeReady, row -> true, toReady);
        }
        if (!toRemove.isEmpty()) {
            database.follow(on, sql.remove, row -> true, toRemove);
        }
        return swept;
    }

    /**
     * Windows of what is due, in order, until enough of it was not locked by others. If many windows are locked, the next sweep
     * looks on from there: the cost of one is bounded, and nothing stays behind what others have locked.
     */
    private Map<Group, List<Long>> lockDue(Jdbc.Statement on) throws SQLException {
        Map<Group, List<Long>> groups = new LinkedHashMap<>();
        int locked = 0;
        Due last = sweptTo;
        for (int window = 0; window < SWEEP_WINDOWS && locked < SWEEP_BATCH / 2; window++) {
            List<Due> due = on.list(
                    sql.dueEvents,
                    row -> new Due(row.getLong(1), row.getObject(2, OffsetDateTime.class)),
                    last.at,
                    last.at,
                    last.id,
                    SWEEP_BATCH);
            if (!due.isEmpty()) {
                locked += lockDue(on, due.stream().map(Due::id).toList(), groups);
            }
            if (due.size() < SWEEP_BATCH) {
                last = FIRST_DUE;
                break;
            }
            last = due.get(due.size() - 1);
        }
        sweptTo = last;
        return groups;
    }

    private int lockDue(Jdbc.Statement on, List<Long> due, Map<Group, List<Long>> groups) throws SQLException {
        return on.list(
                        sql.lockDue,
                        row -> groups.computeIfAbsent(
                                        new Group(row.getInt(2), state(row, 3)), group -> new ArrayList<>())
                                .add(row.getLong(1)),
                        due)
                .size();
    }

    private static boolean comesBack(TaskState state) {
        return state == TaskState.TAKEN || state == TaskState.DELAYED;
    }

    /** Tasks that this transaction has locked and not changed yet; the name of the tube is for the caller to set. */
    private List<Task> find(List<Long> ids) {
        return entities
                .look(em -> em.createQuery("SELECT t FROM Task t WHERE t.id IN :ids", TaskEntity.class)
                        .setParameter("ids", ids)
                        .getResultList())
                .stream()
                .map(task -> task.toTask(""))
                .toList();
    }

    static Long millis(Optional<Duration> duration) {
        return duration.map(Duration::toMillis).orElse(null);
    }
}
