package org.tasktube.store.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.tasktube.Fingerprint;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.TaskEvent;
import org.tasktube.store.StoredTube;
import org.tasktube.store.TaskId;
import org.tasktube.store.TaskLog;
import org.tasktube.store.Transition;

/**
 * The histories of tasks, which the transactions of their moves have written.
 *
 * <p>If the store fails, a method throws {@link org.tasktube.StoreException}.
 */
public final class Histories {

    /** The most moves that one transaction removes: some ten milliseconds of work. */
    static final int BATCH = 5_000;

    /** The most tubes that one call looks at. Each takes some statements. */
    static final int MOST_TUBES = 20;

    /** The number of a put whose move has no row. The ids of rows begin after it. */
    private static final long PUT_IN_ROW = 1;

    private final Jdbc jdbc;
    private final Dialect dialect;
    private final KnownTubes known;

    /** In place of the retention of a dropped tube: all its moves are old. */
    private static final long NO_RETENTION = -TubeDefinition.MAX_HISTORY_RETENTION.toMillis();

    /** The tube where the next removal begins. */
    private volatile int next = Integer.MIN_VALUE;

    /** True if a batch of this round through the tubes was full, so that more may be left. */
    private volatile boolean anotherRound;

    Histories(Jdbc jdbc, Dialect dialect, KnownTubes known) {
        this.jdbc = jdbc;
        this.dialect = dialect;
        this.known = known;
    }

    /**
     * Returns a part of the history of a task, as the caller's transaction sees it.
     *
     * @param after the number of the move before the first one to return
     * @param moves the most moves to return
     * @param puts the most tasks to return that its deliveries put
     */
    public TaskLog of(StoredTube tube, long id, long after, int moves, int puts) {
        Parameters of = Parameters.of("tube", tube.id(), "task", id, "after", after);
        return jdbc.reading("read the history of a task", dialect::beginReading, connection -> {
            SqlConnection on = connection.within(Scans.SECONDS);
            List<TaskLog.Move> kept = new ArrayList<>();
            if (after == 0) {
                put(on, of).ifPresent(kept::add);
            }
            kept.addAll(on.list(sql("history_of_task"), Histories::move, of.and("max", moves - kept.size())));
            return new TaskLog(
                    kept,
                    on.first(sql("first_move"), Histories::parent, of).flatMap(parent -> parent),
                    on.list(sql("puts_of_task"), Histories::put, of.and("max", puts)),
                    on.first(sql("now"), row -> Rows.instant(row, 1), Parameters.NONE)
                            .orElseThrow());
        });
    }

    /**
     * Returns the put whose move has no row. It is the first move of its task.
     *
     * <p>The second statement sees what removed the task, because the first one has seen the removal. One statement for
     * both would read all moves of a task that is there.
     */
    private Optional<TaskLog.Move> put(SqlConnection on, Parameters of) throws SQLException {
        Optional<Optional<TaskLog.Move>> there = on.first(sql("put_in_task"), Histories::putInRow, of);
        return there.isPresent()
                ? there.get()
                : on.first(sql("put_of_removed"), Histories::putInRow, of).flatMap(put -> put);
    }

    /** Returns the last tasks of a unique key that are gone. The history has those whose end it keeps. */
    public List<TaskLog.Gone> gone(String key, int max) {
        return jdbc.reading("look for the tasks of a key that are gone", dialect::beginReading, connection -> connection
                .within(Scans.SECONDS)
                .list(
                        sql("gone_of_key"),
                        row -> new TaskLog.Gone(
                                new TaskId(row.getInt(1), row.getLong(2)),
                                Transition.valueOf(row.getString(3)).event(),
                                Rows.instant(row, 4)),
                        Parameters.of("key", key, "max", max)));
    }

    private static Optional<TaskLog.Move> putInRow(ResultSet row) throws SQLException {
        if (!row.getBoolean("shown")) {
            return Optional.empty();
        }
        return Optional.of(new TaskLog.Move(
                PUT_IN_ROW,
                Histories.event(
                        row.getObject("put_at", OffsetDateTime.class).toInstant(),
                        Transition.valueOf(row.getString("put_event")),
                        null,
                        0,
                        row.getString("put_server"),
                        null,
                        null,
                        row.getString("put_by"),
                        instant(row, "put_until"),
                        null)));
    }

    private static TaskLog.Move move(ResultSet row) throws SQLException {
        String from = row.getString("from_state");
        return new TaskLog.Move(
                row.getLong("id"),
                Histories.event(
                        row.getObject("at", OffsetDateTime.class).toInstant(),
                        Transition.valueOf(row.getString("event")),
                        from == null ? null : TaskState.of(from.charAt(0)),
                        row.getInt("attempt"),
                        row.getString("server"),
                        row.getString("bean"),
                        row.getObject("session", UUID.class),
                        row.getString("made_by"),
                        instant(row, "until_at"),
                        failure(row)));
    }

    private static Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    private static TaskEvent.Failure failure(ResultSet row) throws SQLException {
        String type = row.getString("error_type");
        return type == null
                ? null
                : new TaskEvent.Failure(
                        Fingerprint.hex(row.getLong("failure")),
                        type,
                        row.getString("error_message"),
                        Optional.ofNullable(row.getString("error_trace")).filter(trace -> !trace.isEmpty()));
    }

    private static Optional<TaskId> parent(ResultSet row) throws SQLException {
        long task = row.getLong("parent_task");
        return row.wasNull() ? Optional.empty() : Optional.of(new TaskId(row.getInt("parent_tube"), task));
    }

    private static TaskLog.Put put(ResultSet row) throws SQLException {
        return new TaskLog.Put(new TaskId(row.getInt(1), row.getLong(2)), Rows.instant(row, 3));
    }

    // Removal

    /**
     * Removes moves that are older than the retention of their tube, and moves of dropped tubes, some thousand at most.
     * Returns whether more may be left. Callers are never in a transaction. One call removes one batch of the next tube
     * that has old moves, or looks at some tubes that have few.
     */
    public boolean removeOld() {
        int looked = 0;
        for (Optional<Integer> tube = tubeAfter(next); tube.isPresent(); tube = tubeAfter(tube.get())) {
            if (removeOf(tube.get())) {
                next = tube.get() - 1;
                anotherRound = true;
                return true;
            }
            if (++looked == MOST_TUBES) {
                next = tube.get();
                return true;
            }
        }
        next = Integer.MIN_VALUE;
        boolean more = anotherRound;
        anotherRound = false;
        return more;
    }

    private Optional<Integer> tubeAfter(int tube) {
        return jdbc.glance(
                "look for old history",
                on -> on.first(sql("next_history"), row -> row.getInt(1), Parameters.of("after", tube)));
    }

    /** Removes one batch; returns whether more may be left. */
    private boolean removeOf(int tube) {
        return jdbc.atomic("remove old history", on -> {
            Parameters of = Parameters.of("tube", tube, "max", BATCH);
            Optional<Long> retention = on.first(sql("history_retention"), row -> row.getLong(1), of);
            if (retention.isEmpty()) {
                known.forget(tube);
            }
            boolean mine = on.first(sql("try_lock_history"), row -> row.getBoolean(1), of)
                    .orElse(false);
            return mine && remove(on, of.and("retention", retention.orElse(NO_RETENTION)));
        });
    }

    private boolean remove(SqlConnection on, Parameters of) throws SQLException {
        long[] old = on.first(sql("old_history"), row -> new long[] {row.getLong(1), row.getLong(2)}, of)
                .orElseThrow();
        if (old[1] > 0) {
            on.update(sql("remove_history"), of.and("upto", old[0]));
        }
        return old[1] == BATCH;
    }

    private NamedStatement sql(String name) {
        return dialect.statements().get(name);
    }

    /**
     * Returns a move as callers get it.
     *
     * @param server null for none, as with the other references here
     */
    public static TaskEvent event(
            Instant at,
            Transition transition,
            TaskState from,
            int attempt,
            String server,
            String bean,
            UUID session,
            String by,
            Instant until,
            TaskEvent.Failure failure) {
        return new TaskEvent(
                at,
                transition.event(),
                Optional.ofNullable(from),
                transition.to(),
                attempt,
                Optional.ofNullable(server),
                Optional.ofNullable(bean),
                Optional.ofNullable(session),
                Optional.ofNullable(by),
                Optional.ofNullable(until),
                Optional.ofNullable(failure),
                note(transition));
    }

    private static Optional<String> note(Transition transition) {
        return switch (transition) {
            case REPLACE, REPLACE_DELAYED -> Optional.of("replaced the data and times");
            case HEARTBEAT -> Optional.of("heartbeat");
            case RETURN_UNSTARTED -> Optional.of("not begun; the attempt does not count");
            default -> Optional.empty();
        };
    }
}
