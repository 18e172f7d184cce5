package org.tasktube.store.sql;

import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntPredicate;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.store.Change;
import org.tasktube.store.Sweep;
import org.tasktube.store.Transition;
import org.tasktube.store.Transitioned;

/** Applies the transitions whose deadline has passed: the ends of ttr, delay, ttl, and of the ttl of results. */
final class Sweeps {

    /** The most deadlines that a sweep reads at once, so that its transaction stays short. */
    private static final int BATCH = 500;

    /** The most times that a sweep reads as many, if other transactions have locked the tasks. */
    private static final int WINDOWS = 10;

    private static final Due FIRST_DUE =
            new Due(Long.MIN_VALUE, OffsetDateTime.of(1, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC));

    /** The time until the next sweep if other transactions, which are about to end, have locked all due tasks. */
    private static final Duration LOCKED_RETRY = Duration.ofMillis(100);

    private record Due(long id, OffsetDateTime at) {}

    private record Group(int tube, TaskState state, boolean followed) {}

    private final Jdbc jdbc;
    private final Dialect dialect;
    private final Statements sql;
    private final HistoryMoves moves;
    private final TrackedStatement toReady;
    private final TrackedStatement toGone;

    /** The start of the next sweep. Other transactions have locked the due tasks before it. */
    private volatile Due sweptTo = FIRST_DUE;

    Sweeps(Jdbc jdbc, Dialect dialect, HistoryMoves moves) {
        this.jdbc = jdbc;
        this.dialect = dialect;
        this.moves = moves;
        this.sql = dialect.statements();
        this.toReady = TrackedStatement.of(sql, "deadline_to_ready", TrackedStatement.IDS);
        this.toGone = TrackedStatement.of(sql, "deadline_to_gone", TrackedStatement.IDS);
    }

    /**
     * Applies due transitions.
     *
     * @param observed whether the tasks of a tube are to be returned. It is asked when they are locked: who sets a listener
     *     and then puts a task is notified of the end of that
     */
    Sweep sweep(IntPredicate observed) {
        Optional<Duration> next = jdbc.glance(
                        "find deadlines",
                        on -> on.first(sql.get("next_deadline"), row -> Rows.until(row, 1), Parameters.NONE))
                .flatMap(until -> until);
        if (next.isEmpty() || !next.get().isZero()) {
            return Sweep.none(next);
        }
        return jdbc.atomic("apply deadlines", on -> sweepBatch(on, observed));
    }

    private Sweep sweepBatch(SqlConnection on, IntPredicate observed) throws SQLException {
        List<Sweep.Swept> swept = new ArrayList<>();
        List<Duration> lags = new ArrayList<>();
        Map<TaskState, List<Long>> byState = new EnumMap<>(TaskState.class);
        for (Map.Entry<Group, List<Long>> entry : lockDue(on, lags).entrySet()) {
            Group group = entry.getKey();
            List<Long> ids = entry.getValue();
            byState.computeIfAbsent(group.state, state -> new ArrayList<>()).addAll(ids);
            List<Task> tasks = observed.test(group.tube) ? tasks(on, group.tube, ids) : List.of();
            swept.add(new Sweep.Swept(
                    group.tube,
                    new Transitioned(
                            Transition.atDeadline(group.state),
                            group.state,
                            ids.size(),
                            ids,
                            tasks,
                            Optional.empty(),
                            group.followed)));
        }
        for (Map.Entry<TaskState, List<Long>> entry : byState.entrySet()) {
            change(on, Change.from(entry.getKey(), Transition.atDeadline(entry.getKey())), entry.getValue());
        }
        return new Sweep(swept, Optional.of(swept.isEmpty() ? LOCKED_RETRY : Duration.ZERO), lags);
    }

    private void change(SqlConnection on, Change change, List<Long> ids) throws SQLException {
        TrackedStatement statement = change.transition().to().isEmpty() ? toGone : toReady;
        dialect.full(on, statement, row -> true, moves.values(change).and("marks", true, "ids", ids));
    }

    /**
     * Reads tasks that this transaction has locked and not changed yet. A sweep of many tubes does not know the tubes'
     * names.
     */
    private List<Task> tasks(SqlConnection on, int tube, List<Long> ids) throws SQLException {
        return on.list(sql.get("tasks"), row -> Rows.task("", row), Parameters.of("tube", tube, "ids", ids));
    }

    /**
     * Locks due tasks. Reads windows of them, in order, until enough are locked. If other transactions have locked many
     * windows, the next sweep continues after these. So the cost of a sweep is bounded, and it waits for no lock.
     */
    private Map<Group, List<Long>> lockDue(SqlConnection on, List<Duration> lags) throws SQLException {
        Map<Group, List<Long>> groups = new LinkedHashMap<>();
        int locked = 0;
        Due last = sweptTo;
        for (int window = 0; window < WINDOWS && locked < BATCH / 2; window++) {
            List<Due> due = on.list(
                    sql.get("due"),
                    row -> new Due(row.getLong(1), row.getObject(2, OffsetDateTime.class)),
                    Parameters.of("swept_to", last.at, "swept_id", last.id, "max", BATCH));
            if (!due.isEmpty()) {
                locked += lockDue(on, due.stream().map(Due::id).toList(), groups, lags);
            }
            if (due.size() < BATCH) {
                last = FIRST_DUE;
                break;
            }
            last = due.get(due.size() - 1);
        }
        sweptTo = last;
        return groups;
    }

    private int lockDue(SqlConnection on, List<Long> due, Map<Group, List<Long>> groups, List<Duration> lags)
            throws SQLException {
        return on.list(
                        sql.get("lock_due"),
                        row -> {
                            lags.add(Duration.ofMillis(row.getLong(4)));
                            return groups.computeIfAbsent(
                                            new Group(row.getInt(2), Rows.state(row, 3), row.getBoolean(5)),
                                            group -> new ArrayList<>())
                                    .add(row.getLong(1));
                        },
                        Parameters.of("ids", due))
                .size();
    }
}
