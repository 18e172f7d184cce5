package org.tasktube.store.jpa;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
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
import java.util.concurrent.ThreadLocalRandom;
import org.tasktube.StoreException;
import org.tasktube.Task;
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

    /** How many deadlines one sweep handles, so that its transaction stays short. */
    private static final int SWEEP_BATCH = 500;

    /** When everything due is locked by others, who are about to end it, look again soon, but not at once. */
    private static final Duration LOCKED_RETRY = Duration.ofMillis(100);

    /** How often a task of a unique key may vanish between the put that found it and the look for it. */
    private static final int KEY_RETRIES = 10;

    private final Jdbc jdbc;
    private final Database database;
    private final Statements sql;
    private final Entities entities;

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
            if (jdbc.single("put", on -> on.first(sql.tubeThere, row -> true, tube.id()))
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
        if (on.first(sql.tubeThere, row -> true, tube.id()).isEmpty()) {
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
            List<String> before =
                    tube.subQueues() ? on.list(sql.oldUtube, row -> row.getString(1), id, tube.id()) : List.of();
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
                for (String utube : before) {
                    on.update(sql.note, tube.id(), utube);
                }
            }
            return replaced;
        });
    }

    // Take

    @Override
    public List<ClaimedTask> claim(StoredTube tube, Holder holder, Place after, int max) {
        Database.Claim claim =
                new Database.Claim(tube.id(), tube.name(), holder.session(), holder.node(), newToken(), after, max);
        if (tube.subQueues() && !jdbc.inTransaction()) {
            return claim(on -> database.settleAndClaim(on, sql, claim));
        }
        return claim(on -> database.claim(on, sql, claim));
    }

    private List<ClaimedTask> claim(Jdbc.Work<List<ClaimedTask>> work) {
        return database.claimsInOneStatement() ? jdbc.single("take", work) : jdbc.atomic("take", work);
    }

    /** Tokens are random so that no two servers need to agree on them; 0 means not taken. */
    private static long newToken() {
        return ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
    }

    @Override
    public void settle(StoredTube tube) {
        jdbc.atomic("settle sub-queues", on -> {
            database.settle(on, tube.id());
            return null;
        });
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
        on.list(
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
    public int giveBack(StoredTube tube, Holder holder, Collection<Task> tasks) {
        Map<Long, Long> tokens = tokens(tasks);
        return jdbc.atomic("give back", on -> {
            Set<Long> held = lockHeld(on, tube, holder, tokens);
            return held.isEmpty()
                    ? 0
                    : changeOn(on, tube, sql.giveBack, row -> true, held).size();
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
        return change("release all", tube, sql.releaseAll, row -> row.getLong(1), tube.id());
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
            List<TubeCount> gone = on.list(sql.truncate, JpaTaskStore::count, tube.id());
            if (tube.hasCapacity()) {
                on.update(
                        sql.addPlaces,
                        tube.id(),
                        gone.stream().mapToLong(TubeCount::tasks).sum());
            }
            return gone;
        });
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
                : on.list(change.plain(), row, arguments);
    }

    private static boolean mustFollow(StoredTube tube, Change change) {
        return tube.subQueues() || (change.removes() && tube.hasCapacity());
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
        return new HashSet<>(jdbc.single("poll", on -> on.list(sql.readyTubes, row -> row.getInt(1), tubes)));
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

    private List<Sweep.Swept> sweepBatch(Jdbc.Statement on, Set<Integer> told) throws SQLException {
        List<Long> due = on.list(sql.dueEvents, row -> row.getLong(1), SWEEP_BATCH);
        if (due.isEmpty()) {
            return List.of();
        }
        Map<Group, List<Long>> groups = new LinkedHashMap<>();
        on.list(
                sql.lockDue,
                row -> groups.computeIfAbsent(new Group(row.getInt(2), state(row, 3)), group -> new ArrayList<>())
                        .add(row.getLong(1)),
                due);
        List<Sweep.Swept> swept = new ArrayList<>();
        List<Long> toReady = new ArrayList<>();
        List<Long> toRemove = new ArrayList<>();
        groups.forEach((group, ids) -> {
            boolean removed = !comesBack(group.state);
            (removed ? toRemove : toReady).addAll(ids);
            List<Task> tasks = removed && told.contains(group.tube) ? find(ids) : List.of();
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

    private static boolean comesBack(TaskState state) {
        return state == TaskState.TAKEN || state == TaskState.DELAYED;
    }

    /** Tasks that only this transaction changes; the name of the tube is for the caller to set. */
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
