package org.tasktube.store.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.store.Change;
import org.tasktube.store.Holder;
import org.tasktube.store.NewTask;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transition;
import org.tasktube.store.Transitioned;

/** Applies transitions to single tasks and to several. {@link #name} returns the name of the statement. */
final class Transitions {

    private static final Map<Transition, String> NAMES = names("_");
    private static final Map<Transition, String> WORDS = names(" ");

    private final Jdbc jdbc;
    private final Dialect dialect;
    private final Statements sql;
    private final FailureKinds kinds;
    private final HistoryMoves moves;
    private final Map<String, TrackedStatement> tracked = new ConcurrentHashMap<>();

    Transitions(Jdbc jdbc, Dialect dialect, FailureKinds kinds, HistoryMoves moves) {
        this.jdbc = jdbc;
        this.dialect = dialect;
        this.sql = dialect.statements();
        this.kinds = kinds;
        this.moves = moves;
    }

    private static Map<Transition, String> names(String separator) {
        Map<Transition, String> names = new EnumMap<>(Transition.class);
        for (Transition transition : Transition.values()) {
            names.put(transition, transition.name().toLowerCase(Locale.ROOT).replace("_", separator));
        }
        return names;
    }

    /** Returns the name of a change's statement: the name of the transition, with an ending for further values. */
    static String name(Change change) {
        String name = NAMES.get(change.transition());
        if (change.ttl().isPresent()) {
            return name + "_for_ttl";
        }
        return change.failure().isPresent() ? name + "_failed" : name;
    }

    // Single tasks

    Optional<Transitioned> apply(StoredTube tube, Change change, Holder holder, Task task) {
        change.failure().ifPresent(failure -> kinds.write(failure.fingerprint()));
        Parameters held = values(change)
                .and(HistoryMoves.holder(holder))
                .and("id", task.id(), "tube", tube.id(), "token", task.token(), "followed", false);
        Optional<Transitioned> done = one(tube, change, TaskState.TAKEN, task.id(), held);
        return done.isPresent() || !change.transition().isAck() ? done : ackFollowed(tube, change, task, held);
    }

    /** Acks a task that others wait for, if it is one. */
    private Optional<Transitioned> ackFollowed(StoredTube tube, Change change, Task task, Parameters held) {
        return jdbc.together(() -> {
            Optional<Transitioned> done = one(tube, change, TaskState.TAKEN, task.id(), held.and("followed", true));
            return done.map(acked -> {
                jdbc.single(what(change), on -> endParents(on, List.of(task.id())));
                return acked.withFollowers(true);
            });
        });
    }

    private boolean endParents(SqlConnection on, Collection<Long> parents) throws SQLException {
        dialect.updateByIds(on, sql.get("end_parents"), Parameters.of("ids", parents));
        return true;
    }

    Optional<Transitioned> apply(StoredTube tube, Change change, long id) {
        if (change.transition() == Transition.DELETE) {
            return delete(tube, change, id);
        }
        change.failure().ifPresent(failure -> kinds.write(failure.fingerprint()));
        TaskState from = change.from()
                .orElseGet(() -> change.transition().from().iterator().next());
        return one(tube, change, from, id, values(change).and("id", id, "tube", tube.id(), "from", from));
    }

    private Optional<Transitioned> delete(StoredTube tube, Change change, long id) {
        return run(
                        tube,
                        change,
                        tracked(name(change), TrackedStatement.STATES),
                        row -> Transitioned.one(change.transition(), Rows.state(row, 2), id, Optional.empty())
                                .withFollowers(row.getBoolean(3)),
                        Parameters.of("id", id, "tube", tube.id()))
                .stream()
                .findFirst();
    }

    /** Deletes a task that nobody holds. Adds the reason to the history of a task in any state. */
    Optional<Transitioned> cancel(StoredTube tube, long id, TaskFailure why) {
        return jdbc.together(() -> {
            Optional<TaskState> unheld = state("lock_unheld", tube, id);
            Optional<TaskState> state = unheld.or(() -> state("state_of", tube, id));
            state.filter(any -> tube.keeps(Transition.CANCEL, true)).ifPresent(from -> {
                Change cancel = Change.cancel(from, why);
                jdbc.single("cancel a task", on -> {
                    moves.add(on, moves.values(cancel).and(values(cancel)), List.of(id));
                    return true;
                });
            });
            if (unheld.isEmpty()) {
                return state.map(held -> Transitioned.one(Transition.CANCEL, TaskState.TAKEN, id, Optional.empty()));
            }
            return run(
                            tube,
                            Change.of(Transition.DELETE),
                            tracked("delete_unheld", TrackedStatement.STATES),
                            row -> Transitioned.one(Transition.DELETE, Rows.state(row, 2), id, Optional.empty())
                                    .withFollowers(row.getBoolean(3)),
                            Parameters.of("id", id, "tube", tube.id()))
                    .stream()
                    .findFirst();
        });
    }

    private Optional<TaskState> state(String statement, StoredTube tube, long id) {
        return jdbc.single(
                "cancel a task",
                on -> on.first(
                        sql.get(statement), row -> Rows.state(row, 2), Parameters.of("id", id, "tube", tube.id())));
    }

    private Optional<Transitioned> one(StoredTube tube, Change change, TaskState from, long id, Parameters parameters) {
        if (change.transition().to().isEmpty() && !isFull(tube, change)) {
            boolean removed = jdbc.single(what(change), on -> on.update(sql.get(name(change)), parameters) == 1);
            return removed
                    ? Optional.of(Transitioned.one(change.transition(), from, id, Optional.empty()))
                    : Optional.empty();
        }
        return run(
                        tube,
                        change,
                        tracked(name(change), answer(change)),
                        row -> Transitioned.one(change.transition(), from, id, untilDeadline(change, row)),
                        parameters)
                .stream()
                .findFirst();
    }

    private static String answer(Change change) {
        return change.transition().to().isEmpty() ? TrackedStatement.IDS : TrackedStatement.DEADLINES;
    }

    private static Optional<Duration> untilDeadline(Change change, ResultSet row) throws SQLException {
        return change.transition().to().isEmpty() ? Optional.empty() : Rows.until(row, 2);
    }

    /** Replaces a task. Marks both its former sub-queue and its new one as dirty. */
    Optional<Transitioned> replace(StoredTube tube, long id, TaskState from, NewTask task) {
        Change change =
                Change.from(from, task.state() == TaskState.READY ? Transition.REPLACE : Transition.REPLACE_DELAYED);
        Parameters parameters = Puts.parameters(tube, task).and("id", id, "from", from);
        try {
            return jdbc.atomic("replace", connection -> {
                SqlConnection on = connection.within(Puts.KEY_SECONDS);
                Optional<String> left = tube.subQueues() ? lockUtube(on, parameters) : Optional.empty();
                Optional<Transitioned> replaced = runOn(
                                on,
                                tube,
                                change,
                                tracked("replace", TrackedStatement.DEADLINES + ", state"),
                                row -> Transitioned.one(
                                        Rows.state(row, 3) == TaskState.READY
                                                ? Transition.REPLACE
                                                : Transition.REPLACE_DELAYED,
                                        from,
                                        id,
                                        Rows.until(row, 2)),
                                parameters)
                        .stream()
                        .findFirst();
                if (replaced.isPresent() && left.isPresent()) {
                    on.update(sql.get("mark"), Parameters.of("tube", tube.id(), "utube", left.get()));
                }
                return replaced;
            });
        } catch (StoreException e) {
            throw Puts.waitedForKey(tube, task, e);
        }
    }

    private Optional<String> lockUtube(SqlConnection on, Parameters parameters) throws SQLException {
        return on.first(sql.get("lock_utube"), row -> Optional.ofNullable(row.getString(1)), parameters)
                .flatMap(utube -> utube);
    }

    // Many tasks

    Transitioned applyToHeld(StoredTube tube, Change change, Holder holder, Collection<Task> tasks) {
        return applyToHeld(tube, change, holder, tasks, "lock_held");
    }

    private Transitioned applyToHeld(
            StoredTube tube, Change change, Holder holder, Collection<Task> tasks, String lock) {
        Map<Long, Long> tokens = tokens(tasks);
        return jdbc.atomic(what(change), on -> {
            Locked held = lockHeld(on, lock, tube, holder, tokens);
            // Each that others wait for is acked by itself
            if (change.transition().isAck()) {
                held.ids.removeAll(held.followed);
            }
            return applyToLocked(on, tube, change, holder, held.ids);
        });
    }

    /** PostgreSQL locks and deletes in one statement, which is its own transaction. */
    Transitioned ackUnlocked(StoredTube tube, Holder holder, Collection<Task> tasks) {
        Change ack = Change.of(Transition.ACK);
        if (!dialect.tracksInOneStatement()) {
            return applyToHeld(tube, ack, holder, tasks, "lock_held_unlocked");
        }
        Map<Long, Long> tokens = tokens(tasks);
        Parameters parameters = HistoryMoves.holder(holder)
                .and("tube", tube.id(), "ids", tokens.keySet(), "tokens", List.copyOf(tokens.values()));
        return jdbc.single(what(ack), on -> many(on, tube, ack, "ack_unlocked", parameters));
    }

    Optional<Transitioned> applyToAllHeld(StoredTube tube, Change change, Holder holder, Collection<Task> tasks) {
        Map<Long, Long> tokens = tokens(tasks);
        return jdbc.atomic(what(change), on -> {
            Locked held = lockHeld(on, "lock_held", tube, holder, tokens);
            if (!held.ids.equals(tokens.keySet())) {
                return Optional.empty();
            }
            Transitioned done = applyToLocked(on, tube, change, holder, held.ids);
            boolean ends = change.transition().isAck() && !held.followed.isEmpty();
            return Optional.of(done.withFollowers(ends && endParents(on, held.followed)));
        });
    }

    private Transitioned applyToLocked(
            SqlConnection on, StoredTube tube, Change change, Holder holder, Set<Long> locked) throws SQLException {
        return locked.isEmpty()
                ? many(change, List.of())
                : many(
                        on,
                        tube,
                        change,
                        name(change) + "_locked",
                        HistoryMoves.holder(holder).and("ids", locked));
    }

    private static Map<Long, Long> tokens(Collection<Task> tasks) {
        Map<Long, Long> tokens = new TreeMap<>();
        tasks.forEach(task -> tokens.put(task.id(), task.token()));
        return tokens;
    }

    /** The ids of tasks that are locked, and of those among them that others wait for. */
    private record Locked(Set<Long> ids, Set<Long> followed) {

        boolean add(ResultSet row) throws SQLException {
            return ids.add(row.getLong(1)) && row.getBoolean(3) && followed.add(row.getLong(1));
        }
    }

    /** Locks the tasks that these takings still hold. */
    private Locked lockHeld(SqlConnection on, String statement, StoredTube tube, Holder holder, Map<Long, Long> tokens)
            throws SQLException {
        Locked held = new Locked(new TreeSet<>(), new TreeSet<>());
        dialect.listByIds(
                on,
                sql.get(statement),
                row -> row.getLong(2) == tokens.get(row.getLong(1)) && held.add(row),
                Parameters.of("tube", tube.id(), "session", holder.session(), "ids", tokens.keySet()));
        return held;
    }

    Transitioned applyToFirst(StoredTube tube, Change change, int max) {
        return jdbc.atomic(what(change), on -> {
            List<Long> ids = dialect.lockBuried(on, tube.id(), max);
            return ids.isEmpty() ? many(change, ids) : many(on, tube, change, name(change), Parameters.of("ids", ids));
        });
    }

    Transitioned applyToSession(StoredTube tube, Change change, UUID session, Collection<Long> ids) {
        Parameters parameters = Parameters.of("session", session, "ids", ids);
        return inOneStatementIfPossible(change, on -> many(on, tube, change, name(change), parameters));
    }

    Transitioned applyToTaken(StoredTube tube, Change change) {
        return inOneStatementIfPossible(
                change, on -> many(on, tube, change, name(change), dialect.tasksOf(on, tube.id(), true)));
    }

    private <T> T inOneStatementIfPossible(Change change, Jdbc.Work<T> work) {
        return dialect.tracksInOneStatement() ? jdbc.single(what(change), work) : jdbc.atomic(what(change), work);
    }

    private Transitioned many(SqlConnection on, StoredTube tube, Change change, String name, Parameters parameters)
            throws SQLException {
        return many(
                change,
                runOn(on, tube, change, tracked(name, TrackedStatement.IDS), row -> row.getLong(1), parameters));
    }

    private static Transitioned many(Change change, List<Long> ids) {
        TaskState from = change.transition().from().iterator().next();
        return Transitioned.many(change.transition(), from, ids);
    }

    boolean letGo(StoredTube tube, String utube) {
        return jdbc.atomic("let a sub-queue go on", on -> new HeldSubQueues(dialect, on).letGo(tube.id(), utube));
    }

    // The common form

    private <T> List<T> run(
            StoredTube tube,
            Change change,
            TrackedStatement statement,
            SqlConnection.Row<T> row,
            Parameters parameters) {
        Jdbc.Work<List<T>> work = on -> runOn(on, tube, change, statement, row, parameters);
        return isFull(tube, change) && !dialect.tracksInOneStatement()
                ? jdbc.atomic(what(change), work)
                : jdbc.single(what(change), work);
    }

    private <T> List<T> runOn(
            SqlConnection on,
            StoredTube tube,
            Change change,
            TrackedStatement statement,
            SqlConnection.Row<T> row,
            Parameters parameters)
            throws SQLException {
        return isFull(tube, change)
                ? dialect.full(
                        on,
                        statement,
                        row,
                        moves.values(change)
                                .and("marks", !staysTaken(change.transition()))
                                .and(parameters))
                : dialect.listByIds(on, statement.plain(), row, parameters);
    }

    /** Returns whether a change needs marks, free slots or moves. */
    private static boolean isFull(StoredTube tube, Change change) {
        Transition transition = change.transition();
        boolean tracked = tube.subQueues() || (transition.freesCapacity() && tube.hasCapacity());
        return (tracked && !staysTaken(transition))
                || tube.keeps(transition, change.failure().isPresent());
    }

    /** Returns whether the task stays TAKEN, and so keeps its slot, and stays the head of its sub-queue. */
    private static boolean staysTaken(Transition transition) {
        return transition.to().filter(TaskState.TAKEN::equals).isPresent();
    }

    private TrackedStatement tracked(String name, String answer) {
        return tracked.computeIfAbsent(name, key -> TrackedStatement.of(sql, key, answer));
    }

    private static String what(Change change) {
        return WORDS.get(change.transition());
    }

    private static Parameters values(Change change) {
        Parameters values = Parameters.NONE;
        if (change.delay().isPresent()) {
            long delay = change.delay().get().toMillis();
            long life = delay + change.ttl().map(Duration::toMillis).orElse(0L);
            values = values.and("delay", delay, "life", life);
        }
        if (change.increment().isPresent()) {
            values = values.and("increment", change.increment().get().toMillis());
        }
        if (change.failure().isPresent()) {
            values = values.and(
                    "error_type", change.failure().get().type(),
                    "error_message", change.failure().get().message(),
                    "error_trace", change.failure().get().trace(),
                    "failure", change.failure().get().fingerprint().number());
        }
        return change.result().map(Transitions::values).orElse(values);
    }

    private static Parameters values(TaskResult result) {
        return Parameters.of(
                "outcome", result.outcome() == TaskResult.Outcome.COMPLETED ? "c" : "r",
                "result_ttl", result.ttl().toMillis(),
                "result_type", result.data().contentType(),
                "result", result.data().bytes());
    }
}
