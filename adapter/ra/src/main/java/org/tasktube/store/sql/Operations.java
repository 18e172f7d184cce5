package org.tasktube.store.sql;

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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.tasktube.StoreException;
import org.tasktube.TaskFailure;
import org.tasktube.TaskMeta;
import org.tasktube.TaskState;
import org.tasktube.admin.ChangedTasks;
import org.tasktube.admin.Operation;
import org.tasktube.admin.OperationAct;
import org.tasktube.admin.OperationSize;
import org.tasktube.admin.OperationState;
import org.tasktube.admin.TaskFilter;
import org.tasktube.store.IdRanges;
import org.tasktube.store.StoredOperation;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transition;
import org.tasktube.store.Transitioned;

/**
 * Keeps the acts on many tasks, and applies them to tasks of the database. Each method is atomic, and part of the
 * caller's transaction if it has one. Each statement has a limit of time.
 *
 * <p>If the database fails, a method throws {@link org.tasktube.StoreException}.
 */
public final class Operations {

    /**
     * The result of one batch.
     *
     * @param looked the number of tasks that it has looked at for the first time
     * @param place the position of the next batch
     */
    public record Progress(long looked, long changed, long skipped, String place, List<Long> deferred) {}

    /**
     * The tasks that a batch wanted to change.
     *
     * @param ids the tasks that are locked now
     * @param deferred the tasks that another transaction has locked, or has changed since they were read
     * @param skipped the number of tasks that are gone or in another state
     */
    public record Locked(List<Long> ids, List<Long> deferred, int skipped) {}

    /** The most characters of the column {@code error}. */
    private static final int MAX_ERROR = 1_000;

    /** The SQL states of a wait for a lock that took too long: of PostgreSQL, and of H2. */
    private static final Set<String> LOCK_TIMEOUT = Set.of("55P03", "HYT00");

    private final Jdbc jdbc;
    private final Tables tables;
    private final Dialect dialect;
    private final KnownTubes known;
    private final Map<Act, TrackedStatement> statements = new ConcurrentHashMap<>();

    /** An act on the tasks of a table. */
    private record Act(OperationAct act, boolean temporary) {}

    Operations(Jdbc jdbc, Tables tables, KnownTubes known) {
        this.jdbc = jdbc;
        this.tables = tables;
        this.dialect = tables.durable();
        this.known = known;
    }

    // The operations

    /** Adds an operation that waits. Its id is greater than the ids of the tasks that exist. */
    public Operation add(OperationAct act, TaskFilter filter, String by, String reason, OperationSize expected) {
        Parameters values = Parameters.of(
                "act", act.name(),
                "filter", filter.toString(),
                "reason", reason,
                "by", by,
                "expected", expected.tasks(),
                "is_least", expected.isLeast(),
                "up_to", expected.upTo());
        return jdbc.atomic("add an operation", connection -> {
            SqlConnection on = limited(connection);
            long id = on.first(sql("new_ids"), row -> row.getLong(1), Parameters.of("count", 1))
                    .orElseThrow();
            on.update(sql("add_operation"), values.and("id", id));
            return on.first(sql("operation"), Operations::stored, Parameters.of("id", id))
                    .orElseThrow()
                    .operation();
        });
    }

    public Optional<Operation> find(long id) {
        return jdbc.reading("read an operation", dialect::beginReading, on -> limited(on)
                        .first(sql("operation"), Operations::stored, Parameters.of("id", id)))
                .map(StoredOperation::operation);
    }

    /** Returns the operations of smaller ids, the newest first. */
    public List<Operation> page(long before, int limit) {
        Parameters page = Parameters.of("before", before, "max", limit);
        return jdbc
                .reading("list operations", dialect::beginReading, on -> limited(on)
                        .list(sql("operations"), Operations::stored, page))
                .stream()
                .map(StoredOperation::operation)
                .toList();
    }

    /**
     * Makes a server run the next operation, which is RUNNING then. Returns its id; empty if none is left, or
     * another server runs it: one that is up, and has made a batch within the last minute. The caller is in no transaction.
     *
     * @param node the number of the server
     */
    public Optional<Long> take(int node, String server) {
        Parameters values = Parameters.of("node", node, "server", server);
        Optional<Long> taken = Optional.empty();
        while (taken.isEmpty()
                && first("look for an operation", "can_take_operation", values).isPresent()) {
            if (isTaken(values)) {
                taken = first("read the operation that was taken", "taken_operation", values);
            }
        }
        return taken;
    }

    private boolean isTaken(Parameters values) {
        try {
            return jdbc.single("take an operation", on -> limited(on).update(sql("take_operation"), values) == 1);
        } catch (StoreException e) {
            if (e.getCause() instanceof SQLException refused && SqlStates.isUniqueViolation(refused)) {
                return false;
            }
            throw e;
        }
    }

    private Optional<Long> first(String what, String statement, Parameters values) {
        return jdbc.glance(what, on -> limited(on).first(sql(statement), row -> row.getLong(1), values));
    }

    /**
     * Locks an operation until the end of the transaction. Returns empty if it has ended, or the server does not run
     * it.
     */
    public Optional<StoredOperation> lock(long id, int node) {
        return jdbc.single("lock an operation", on -> limited(on)
                .first(sql("lock_operation"), Operations::stored, Parameters.of("id", id, "node", node)));
    }

    /** Adds to the numbers of an operation, and sets its position. */
    public void progress(long id, Progress progress) {
        Parameters values = Parameters.of(
                "id", id,
                "looked", progress.looked(),
                "changed", progress.changed(),
                "skipped", progress.skipped(),
                "place", progress.place(),
                "deferred", progress.deferred().stream().map(String::valueOf).collect(Collectors.joining(" ")));
        jdbc.single(
                "write the progress of an operation", on -> limited(on).update(sql("progress_of_operation"), values));
    }

    /** Cancels an operation. Returns false if it has ended already. */
    public boolean cancel(long id, String by, String reason) {
        return end(
                Parameters.of("id", id, "by", by, "why", reason, "error", null, "node", null),
                OperationState.CANCELLED);
    }

    /**
     * Ends an operation that a server runs. Returns false if it has ended already, or another server runs it.
     *
     * @param state DONE or STOPPED
     */
    public boolean end(long id, int node, OperationState state) {
        return end(Parameters.of("id", id, "by", null, "why", null, "error", null, "node", node), state);
    }

    /** Ends an operation that a server runs as FAILED. Returns false if it has ended, or another server runs it. */
    public boolean fail(long id, int node, String error) {
        String why = error.replace('\0', ' ').substring(0, Math.min(error.length(), MAX_ERROR));
        return end(Parameters.of("id", id, "by", null, "why", null, "error", why, "node", node), OperationState.FAILED);
    }

    private boolean end(Parameters values, OperationState state) {
        Parameters all = values.and("state", String.valueOf(state.letter()));
        return jdbc.single("end an operation", on -> limited(on).update(sql("end_operation"), all) == 1);
    }

    /** Returns whether a call has failed because another transaction has kept a lock for too long. */
    public boolean isLocked(RuntimeException failure) {
        return TaskFailure.causes(failure).stream()
                .anyMatch(cause ->
                        cause instanceof SQLException sql && LOCK_TIMEOUT.contains(String.valueOf(sql.getSQLState())));
    }

    /**
     * Removes at most {@code max} operations that ended longer ago than this. Callers are never in a transaction.
     *
     * @return the number of operations that it found to be too old
     */
    public int removeEnded(Duration retention, int max) {
        Parameters old = Parameters.of("retention", retention.toMillis(), "max", max);
        List<Long> ids = jdbc.glance(
                "find old operations", on -> limited(on).list(sql("old_operations"), row -> row.getLong(1), old));
        if (!ids.isEmpty()) {
            jdbc.single("remove old operations", on -> limited(on)
                    .update(sql("remove_operations"), Parameters.of("ids", ids)));
        }
        return ids.size();
    }

    private static StoredOperation stored(ResultSet row) throws SQLException {
        Operation operation = new Operation(
                row.getLong("id"),
                OperationAct.valueOf(row.getString("act")),
                TaskFilter.parse(row.getString("filter")),
                row.getString("created_by"),
                row.getString("reason"),
                OperationState.of(row.getString("state").charAt(0)),
                instant(row, "created_at").orElseThrow(),
                instant(row, "started_at"),
                instant(row, "ended_at"),
                new OperationSize(row.getLong("expected"), row.getBoolean("is_least"), row.getLong("up_to")),
                row.getLong("looked"),
                row.getLong("changed"),
                row.getLong("skipped"),
                Optional.ofNullable(row.getString("server")),
                Optional.ofNullable(row.getString("cancelled_by")),
                Optional.ofNullable(row.getString("cancel_reason")),
                Optional.ofNullable(row.getString("error")));
        return new StoredOperation(operation, row.getString("place"), ids(row.getString("deferred")));
    }

    private static Optional<Instant> instant(ResultSet row, String column) throws SQLException {
        return Optional.ofNullable(row.getObject(column, OffsetDateTime.class)).map(OffsetDateTime::toInstant);
    }

    private static List<Long> ids(String text) {
        return text.isEmpty()
                ? List.of()
                : Arrays.stream(text.split(" ")).map(Long::valueOf).toList();
    }

    // Tasks

    /**
     * Locks those of these tasks that are in a state, except those that the operation has changed already. Waits for no
     * other transaction.
     *
     * @param tasks the tasks as the caller has read them
     */
    public Locked lock(long operation, StoredTube tube, TaskState from, Collection<TaskMeta> tasks) {
        Map<Long, TaskMeta> read = new HashMap<>();
        tasks.forEach(task -> read.put(task.id(), task));
        Set<Long> wanted = new TreeSet<>(read.keySet());
        Parameters parameters = Parameters.of("tube", tube.id(), "ids", wanted, "from", from, "operation", operation);
        return jdbc.atomic("lock the tasks of an operation", connection -> {
            SqlConnection on = limited(connection);
            List<Long> locked = new ArrayList<>();
            Dialect table = tables.of(tube);
            table.listByIds(
                    on,
                    table.statements().get("lock_for_operation"),
                    row -> isAsRead(row, read.get(row.getLong(1))) && locked.add(row.getLong(1)),
                    parameters);
            Set<Long> left = new TreeSet<>(wanted);
            left.removeAll(new HashSet<>(locked));
            return left.isEmpty()
                    ? new Locked(locked, List.of(), 0)
                    : withLeft(locked, left, left(on, table, from, parameters.and("ids", left)));
        });
    }

    /**
     * Returns whether a locked task is as it was read: the same put, which may be a replacement, and as often taken and
     * buried. If it is not, the filter may not fit any more.
     */
    private static boolean isAsRead(ResultSet row, TaskMeta read) throws SQLException {
        return Rows.instant(row, 2).equals(read.created())
                && row.getInt(3) == read.takenCount()
                && row.getInt(4) == read.buriedCount();
    }

    /** A task that was not locked, or has changed since it was read. */
    private record Left(long id, boolean isInState, boolean isChanged) {}

    private static List<Left> left(SqlConnection on, Dialect table, TaskState from, Parameters parameters)
            throws SQLException {
        return table.listByIds(
                on,
                table.statements().get("left_by_operation"),
                row -> new Left(row.getLong(1), Rows.state(row, 2) == from, row.getBoolean(3)),
                parameters);
    }

    private static Locked withLeft(List<Long> locked, Set<Long> left, List<Left> found) {
        List<Long> deferred = new ArrayList<>();
        int changed = 0;
        for (Left task : found) {
            if (task.isChanged) {
                changed++;
            } else if (task.isInState) {
                deferred.add(task.id);
            }
        }
        return new Locked(locked, deferred, left.size() - changed - deferred.size());
    }

    /** Applies an act to locked tasks that are in a state, and notes which they are. */
    public Transitioned apply(long operation, OperationAct act, StoredTube tube, TaskState from, Collection<Long> ids) {
        Transition transition = transition(act);
        Parameters parameters = Parameters.of("ids", ids, "from", from, "operation", operation);
        Dialect table = tables.of(tube);
        TrackedStatement statement =
                statements.computeIfAbsent(new Act(act, tube.definition().temporary()), key -> statement(table, act));
        boolean isFull =
                tube.subQueues() || (transition.freesCapacity() && tube.hasCapacity()) || tube.keeps(transition, false);
        Parameters move = new HistoryMoves(table, known).values(transition, Optional.of(from));
        return jdbc.atomic("apply an operation", connection -> {
            SqlConnection on = limited(connection);
            List<Long> changed = isFull
                    ? table.full(
                            on,
                            statement,
                            row -> row.getLong(1),
                            move.and("marks", true).and(parameters))
                    : table.listByIds(on, statement.plain(), row -> row.getLong(1), parameters);
            on.update(
                    sql("add_changed"),
                    Parameters.of("operation", operation, "tube", tube.id(), "ids", IdRanges.write(changed)));
            return Transitioned.many(transition, from, changed);
        });
    }

    /** Returns some of the tasks that an operation has changed, in parts after a number. */
    public List<ChangedTasks> changed(long operation, long after, int limit) {
        Parameters page = Parameters.of("operation", operation, "after", after, "max", limit);
        return jdbc.reading("read the tasks of an operation", dialect::beginReading, on -> limited(on)
                .list(sql("changed"), Operations::changedTasks, page));
    }

    private static ChangedTasks changedTasks(ResultSet row) throws SQLException {
        String tube = Optional.ofNullable(row.getString("name")).orElse("#" + row.getInt("tube_id"));
        return new ChangedTasks(row.getLong("id"), tube, IdRanges.read(row.getString("ids")));
    }

    private static TrackedStatement statement(Dialect table, OperationAct act) {
        String name =
                switch (act) {
                    case RETRY -> "kick_by_operation";
                    case DELETE -> "delete_by_operation";
                    case BURY -> "bury_unheld_by_operation";
                    case RELEASE -> "release_all_by_operation";
                };
        return TrackedStatement.of(table.statements(), name, TrackedStatement.IDS);
    }

    private static Transition transition(OperationAct act) {
        return switch (act) {
            case RETRY -> Transition.KICK;
            case DELETE -> Transition.DELETE;
            case BURY -> Transition.BURY_UNHELD;
            case RELEASE -> Transition.RELEASE_ALL;
        };
    }

    private static SqlConnection limited(SqlConnection on) {
        return on.within(Scans.SECONDS);
    }

    private NamedStatement sql(String name) {
        return dialect.statements().get(name);
    }
}
