package org.tasktube.store.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import org.tasktube.StoreException;
import org.tasktube.TaskState;
import org.tasktube.spi.Position;
import org.tasktube.store.ClaimRange;
import org.tasktube.store.Holder;
import org.tasktube.store.ModeSetting;
import org.tasktube.store.NewTask;
import org.tasktube.store.Put;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transition;

/**
 * Puts tasks. A plain task needs one statement. Any other needs the statements for its slot, its unique key and its
 * sub-queue.
 */
final class Puts {

    /** The time that a put waits for the end of a drop, which may still roll back. */
    private static final Duration DROP_PATIENCE = Duration.ofSeconds(2);

    private static final Duration DROP_PAUSE = Duration.ofMillis(10);

    /**
     * The number of tries if the task of a unique key is removed between the put that found it and the read of its id.
     */
    private static final int KEY_RETRIES = 10;

    /** The longest wait for the end of another transaction that puts or changes the task of the same unique key. */
    static final int KEY_SECONDS = 10;

    private final Jdbc jdbc;
    private final Dialect dialect;
    private final Statements sql;
    private final TrackedStatement plain;
    private final TrackedStatement putAt;
    private final Function<StoredTube, Optional<ModeSetting>> modes;
    private final HistoryMoves moves;

    Puts(Jdbc jdbc, Dialect dialect, Function<StoredTube, Optional<ModeSetting>> modes, HistoryMoves moves) {
        this.jdbc = jdbc;
        this.dialect = dialect;
        this.sql = dialect.statements();
        this.plain = TrackedStatement.of(sql, "put_plain", TrackedStatement.IDS);
        this.putAt = TrackedStatement.of(sql, "put_at", TrackedStatement.IDS);
        this.modes = modes;
        this.moves = moves;
    }

    /**
     * Puts all tasks or none. If nothing was put, looks for the reason.
     *
     * @throws org.tasktube.TubeDrainingException if the tube is DRAINING
     */
    Put put(StoredTube tube, List<NewTask> tasks) {
        return untilDropEnds(tube, () -> putUnlessDropped(tube, tasks));
    }

    /**
     * Puts a plain task, for a holder if no other task comes first.
     *
     * @param before the READY tasks that may come first, asked for when nothing is to be waited for but the database
     */
    Put putFor(StoredTube tube, NewTask task, Holder holder, long token, Supplier<ClaimRange> before) {
        boolean isKept = isKept(tube, task);
        if (tube.hasCapacity()
                || isKept != tube.keeps(Transition.TAKE, false)
                || (isKept && task.parent().isPresent())) {
            return put(tube, List.of(task));
        }
        Parameters values = (isKept ? keptParameters(tube, task) : parameters(tube, task))
                .and("session", holder.session(), "token", token, "node", holder.node());
        Supplier<Parameters> all = () -> {
            ClaimRange range = before.get();
            return values.and(Parameters.after(tube.id(), range.after(), range.max()));
        };
        return untilDropEnds(
                tube,
                () -> isKept ? putForAndKeep(holder, all) : jdbc.single("put", on -> putFor(on, "put_for", all.get())));
    }

    private Put putFor(SqlConnection on, String statement, Parameters parameters) throws SQLException {
        return on.first(sql.get(statement), Puts::putOrTaken, parameters).orElse(Put.NO_TUBE);
    }

    /** Keeps the moves of the put and of the take, by one statement if the database can. */
    private Put putForAndKeep(Holder holder, Supplier<Parameters> parameters) {
        Parameters bean = moves.ofBean(holder);
        if (dialect.tracksInOneStatement()) {
            return jdbc.single("put", on -> putFor(on, "put_for_kept", bean.and(parameters.get())));
        }
        return jdbc.atomic("put", on -> {
            Put put = putFor(on, "put_for_kept", parameters.get());
            if (put.outcome() == Put.Outcome.TAKEN) {
                moves.add(on, bean, put.ids());
            }
            return put;
        });
    }

    private static Put putOrTaken(ResultSet row) throws SQLException {
        return Put.putFor(row.getLong(1), row.getBoolean(2), row.getLong(3), row.getBoolean(4));
    }

    private Put untilDropEnds(StoredTube tube, Supplier<Put> once) {
        long end = System.nanoTime() + DROP_PATIENCE.toNanos();
        while (true) {
            Put put = once.get();
            if (put.outcome() != Put.Outcome.NO_TUBE) {
                return put;
            }
            Optional<ModeSetting> mode = modes.apply(tube);
            if (mode.isEmpty()) {
                jdbc.snapshot().ifPresent(isolation -> {
                    throw new StoreException("nothing was put: the caller's transaction is " + isolation
                            + ", and its snapshot does not have tube '" + tube.name()
                            + "'; if the tube was created since, create it before that transaction, or put in one that is"
                            + " READ COMMITTED");
                });
                return put;
            }
            if (mode.get().isDraining()) {
                throw mode.get().refusal(tube.name());
            }
            if (System.nanoTime() - end > 0) {
                throw new StoreException(
                        "nothing was put: a transaction that drops tube '" + tube.name() + "' has not ended within "
                                + DROP_PATIENCE.toMillis() + " ms; put the tasks again when it has ended");
            }
            LockSupport.parkNanos(DROP_PAUSE.toNanos());
        }
    }

    private Put putUnlessDropped(StoredTube tube, List<NewTask> tasks) {
        try {
            return putOnce(tube, tasks);
        } catch (StoreException e) {
            throw waitedForKey(tube, tasks.get(0), e);
        }
    }

    /** Returns the failure of a put, which names its unique key if it has waited for that. */
    static StoreException waitedForKey(StoredTube tube, NewTask task, StoreException e) {
        if (task.uniqueKey().isEmpty() || !SqlStates.isOverTime(e)) {
            return e;
        }
        return new StoreException(
                "nothing was put: another transaction that has put or changed the task of the unique key '"
                        + task.uniqueKey().get() + "' in tube '" + tube.name() + "' has not ended within "
                        + KEY_SECONDS
                        + " s, or the lock timeout of the datasource. Put the task again when it has ended; if it is the"
                        + " caller's outer transaction, as with REQUIRES_NEW, put in that one",
                e.getCause());
    }

    private Put putOnce(StoredTube tube, List<NewTask> tasks) {
        NewTask first = tasks.get(0);
        return first.uniqueFor().isPresent()
                ? jdbc.together(() -> putForTime(tube, tasks, first.uniqueFor().get()))
                : putNow(tube, tasks);
    }

    /** Puts a task whose key stays taken for a time. The row of the key makes others wait for this transaction. */
    private Put putForTime(StoredTube tube, List<NewTask> tasks, Duration period) {
        Parameters key = key(tube, tasks.get(0)).and("period", period.toMillis());
        for (int i = 0; i < KEY_RETRIES; i++) {
            if (jdbc.atomic("keep a unique key", on -> keepKey(on.within(KEY_SECONDS), key))) {
                Put put = putNow(tube, tasks);
                if (put.outcome() == Put.Outcome.DONE) {
                    jdbc.single(
                            "keep a unique key", on -> on.update(sql.get("key_of_task"), key.and("task", put.id())));
                } else {
                    jdbc.single("keep a unique key", on -> on.update(sql.get("remove_key"), key));
                }
                return put;
            }
            Optional<Long> there = jdbc.single("put", on -> byKey(on, tube, tasks.get(0)));
            if (there.isPresent()) {
                return Put.exists(there.get());
            }
        }
        throw neverFree(tasks.get(0));
    }

    /** Returns false if the key is taken. */
    private boolean keepKey(SqlConnection on, Parameters key) throws SQLException {
        return dialect.insertIfMissing(on, sql.get("insert_key"), key) > 0 || on.update(sql.get("keep_key"), key) > 0;
    }

    private Put putNow(StoredTube tube, List<NewTask> tasks) {
        NewTask first = tasks.get(0);
        if (tasks.size() == 1 && !tube.hasCapacity()) {
            return first.isPlain() ? putPlain(tube, first) : putKeyed(tube, first);
        }
        return jdbc.atomic("put", on -> putIntoSlots(on, tube, tasks));
    }

    private Put putPlain(StoredTube tube, NewTask task) {
        boolean isKept = isKept(tube, task);
        if (isKept && task.parent().isPresent()) {
            Parameters all = moving(tube, task, parameters(tube, task));
            List<Long> id = insert(on -> dialect.full(on, plain, row -> row.getLong(1), all));
            return id.isEmpty() ? Put.NO_TUBE : Put.done(id);
        }
        Parameters parameters = isKept ? keptParameters(tube, task) : parameters(tube, task);
        return jdbc.single(
                        "put", on -> on.first(sql.get(isKept ? "put_kept" : "put"), row -> row.getLong(1), parameters))
                .map(id -> Put.done(List.of(id)))
                .orElse(Put.NO_TUBE);
    }

    private static boolean isKept(StoredTube tube, NewTask task) {
        return tube.keeps(task.transition(), false);
    }

    /** Returns the values of a put whose move is in the task's row. */
    private Parameters keptParameters(StoredTube tube, NewTask task) {
        return parameters(tube, task).and(moves.put(task.transition()));
    }

    /** Runs an insert that is one statement in some databases. */
    private List<Long> insert(Jdbc.Work<List<Long>> insert) {
        return dialect.tracksInOneStatement() ? jdbc.single("put", insert) : jdbc.atomic("put", insert);
    }

    /** Returns the values of a put whose move, if its history has it, is in the task's row or a row of its own. */
    private Parameters moving(StoredTube tube, NewTask task, Parameters parameters) {
        boolean isKept = isKept(tube, task);
        Parameters ofRow = isKept && task.parent().isEmpty() ? moves.put(task.transition()) : HistoryMoves.NO_PUT;
        Parameters row = isKept && task.parent().isPresent()
                ? moves.put(task.transition(), task.parent().get())
                : HistoryMoves.NONE;
        return row.and(ofRow).and("marks", true).and(parameters);
    }

    private Put putKeyed(StoredTube tube, NewTask task) {
        Parameters parameters = parameters(tube, task);
        for (int i = 0; i < KEY_RETRIES; i++) {
            List<Long> id = insert(on -> putAt(on, tube, task, parameters));
            if (!id.isEmpty()) {
                return Put.done(id);
            }
            if (!jdbc.single("put", on -> isOpen(on, tube))) {
                return Put.NO_TUBE;
            }
            Optional<Long> there = jdbc.single("put", on -> byKey(on, tube, task));
            if (there.isPresent()) {
                return Put.exists(there.get());
            }
            jdbc.single("put", on -> freeKey(on, tube, task));
        }
        throw neverFree(task);
    }

    private static StoreException neverFree(NewTask task) {
        return new StoreException("nothing was put: in each of " + KEY_RETRIES
                + " tries another task of the unique key '" + task.uniqueKey().orElse("")
                + "' existed, and was removed before it was read; put the task again");
    }

    private List<Long> putAt(SqlConnection connection, StoredTube tube, NewTask task, Parameters parameters)
            throws SQLException {
        SqlConnection on = task.uniqueKey().isPresent() ? connection.within(KEY_SECONDS) : connection;
        Parameters all = moving(tube, task, parameters);
        return dialect.insertUnlessThere(on, each -> dialect.full(each, putAt, row -> row.getLong(1), all));
    }

    private boolean isOpen(SqlConnection on, StoredTube tube) throws SQLException {
        return on.any(sql.get("tube_is_open"), Parameters.of("tube", tube.id()));
    }

    private Optional<Long> byKey(SqlConnection on, StoredTube tube, NewTask task) throws SQLException {
        return task.uniqueKey().isEmpty()
                ? Optional.empty()
                : on.first(
                                sql.get("id_by_key"),
                                row -> Optional.ofNullable(row.getObject(1, Long.class)),
                                key(tube, task))
                        .flatMap(id -> id);
    }

    /** Takes the key from a task whose ttl is over. Returns false if there is none. */
    private boolean freeKey(SqlConnection on, StoredTube tube, NewTask task) throws SQLException {
        return task.uniqueKey().isPresent() && on.within(KEY_SECONDS).update(sql.get("free_key"), key(tube, task)) > 0;
    }

    boolean freeKey(StoredTube tube, String key) {
        return jdbc.single(
                "free a unique key",
                on -> on.within(KEY_SECONDS)
                                .update(sql.get("remove_key"), Parameters.of("tube", tube.id(), "unique_key", key))
                        > 0);
    }

    int removeOldKeys(int max) {
        return jdbc.atomic("remove old unique keys", on -> {
            List<Parameters> old = on.list(
                    sql.get("lock_old_keys"),
                    row -> Parameters.of("tube", row.getInt(1), "unique_key", row.getString(2)),
                    Parameters.of("max", max));
            if (!old.isEmpty()) {
                on.batch(sql.get("remove_key"), old);
            }
            return old.size();
        });
    }

    private static Parameters key(StoredTube tube, NewTask task) {
        return Parameters.of("tube", tube.id(), "unique_key", task.uniqueKey().orElseThrow());
    }

    private Put putIntoSlots(SqlConnection on, StoredTube tube, List<NewTask> tasks) throws SQLException {
        if (!tube.hasCapacity()) {
            return putMany(on, tube, tasks);
        }
        if (!isOpen(on, tube)) {
            return Put.NO_TUBE;
        }
        // Before a slot is taken: others would not see until the commit that it was given back
        Optional<Long> there = byKey(on, tube, tasks.get(0));
        if (there.isPresent()) {
            return Put.exists(there.get());
        }
        int taken = dialect.takeSlots(on, tube.id(), tasks.size());
        if (taken < tasks.size()) {
            addSlots(on, tube, taken);
            return fullOrThere(on, tube, tasks.get(0));
        }
        if (tasks.size() == 1) {
            return putIntoSlot(on, tube, tasks.get(0));
        }
        Put put = putMany(on, tube, tasks);
        if (put.outcome() == Put.Outcome.NO_TUBE) {
            addSlots(on, tube, taken);
        }
        return put;
    }

    /** Puts a task for which there is a slot, and gives the slot back if it is not put. */
    private Put putIntoSlot(SqlConnection on, StoredTube tube, NewTask task) throws SQLException {
        Parameters parameters = parameters(tube, task);
        for (int i = 0; i < KEY_RETRIES; i++) {
            List<Long> id = putAt(on, tube, task, parameters);
            if (!id.isEmpty()) {
                return Put.done(id);
            }
            // Since the first statement, the tube may have been drained
            Optional<Put> refused =
                    isOpen(on, tube) ? byKey(on, tube, task).map(Put::exists) : Optional.of(Put.NO_TUBE);
            if (refused.isPresent()) {
                addSlots(on, tube, 1);
                return refused.get();
            }
            freeKey(on, tube, task);
        }
        throw neverFree(task);
    }

    private void addSlots(SqlConnection on, StoredTube tube, long count) throws SQLException {
        on.update(sql.get("add_slots"), Parameters.of("tube", tube.id(), "count", count));
    }

    /** Returns the existing task of the key, which needs no slot; else FULL. */
    private Put fullOrThere(SqlConnection on, StoredTube tube, NewTask task) throws SQLException {
        return byKey(on, tube, task).map(Put::exists).orElse(Put.FULL);
    }

    private Put putMany(SqlConnection on, StoredTube tube, List<NewTask> tasks) throws SQLException {
        NewTask first = tasks.get(0);
        boolean inRows = first.parent().isEmpty() && isKept(tube, first);
        List<Long> ids = dialect.putMany(on, tube, tasks, inRows ? moves.put(first.transition()) : HistoryMoves.NO_PUT);
        if (ids.isEmpty()) {
            return Put.NO_TUBE;
        }
        if (!inRows) {
            keepMoves(on, tube, tasks, ids);
        }
        return Put.done(ids);
    }

    /** Adds the moves of several puts by a delivery: one statement per kind of put. */
    private void keepMoves(SqlConnection on, StoredTube tube, List<NewTask> tasks, List<Long> ids) throws SQLException {
        Map<Transition, List<Long>> kept = new EnumMap<>(Transition.class);
        for (int i = 0; i < ids.size(); i++) {
            Transition transition = tasks.get(i).transition();
            if (isKept(tube, tasks.get(i))) {
                kept.computeIfAbsent(transition, kind -> new ArrayList<>()).add(ids.get(i));
            }
        }
        for (Map.Entry<Transition, List<Long>> each : kept.entrySet()) {
            moves.add(on, moves.put(each.getKey(), tasks.get(0).parent().orElseThrow()), each.getValue());
        }
    }

    /**
     * Returns all values that a statement may set in a new task. A READY task of a sub-queue is blocked until its
     * promotion.
     */
    static Parameters parameters(StoredTube tube, NewTask task) {
        OptionalLong number = task.position().number();
        return Parameters.of(
                "tube", tube.id(),
                "state", task.state(),
                "pri", task.pri(),
                "until_deadline", Parameters.millis(task.untilEvent()),
                "until_expiry", Parameters.millis(task.untilExpiry()),
                "ttr", Parameters.millis(task.ttr()),
                "content_type", task.data().contentType(),
                "data", task.data().bytes(),
                "utube", task.utube().orElse(null),
                "blocked", task.utube().isPresent() && task.state() == TaskState.READY,
                "unique_key", task.uniqueKey().orElse(null),
                "headers", HeadersJson.write(task.headers()),
                "number", number.isPresent() ? number.getAsLong() : null,
                "sign", task.position().end() == Position.End.FIRST ? -1L : 1L);
    }
}
