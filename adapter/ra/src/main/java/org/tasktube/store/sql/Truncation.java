package org.tasktube.store.sql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transition;
import org.tasktube.store.Transitioned;
import org.tasktube.store.TubeCount;

/** Removes all tasks of a tube. Returns their numbers only, unless a listener needs the tasks. */
record Truncation(Jdbc jdbc, Dialect dialect, HistoryMoves moves) {

    List<Transitioned> truncate(StoredTube tube, Transition transition, boolean withTasks) {
        return jdbc.atomic(
                "truncate", on -> withTasks ? returnTasks(on, tube, transition) : count(on, tube, transition));
    }

    private List<Transitioned> count(SqlConnection on, StoredTube tube, Transition transition) throws SQLException {
        if (tube.subQueues()) {
            dialect.markAll(on, tube.id());
        }
        Map<TaskState, Long> counts = new EnumMap<>(TaskState.class);
        List<TubeCount> gone = tube.keeps(transition, false)
                ? moves.truncate(on, removal("id, state"), tube.id())
                : dialect.listByIds(on, sql().get("truncate"), Rows::count, dialect.tasksOf(on, tube.id(), false));
        gone.forEach(count -> counts.merge(count.state(), count.tasks(), Long::sum));
        freeSlots(on, tube, counts.values().stream().mapToLong(count -> count).sum());
        List<Transitioned> done = new ArrayList<>();
        counts.forEach((state, count) ->
                done.add(new Transitioned(transition, state, count, List.of(), List.of(), Optional.empty())));
        return done;
    }

    private List<Transitioned> returnTasks(SqlConnection on, StoredTube tube, Transition transition)
            throws SQLException {
        Map<TaskState, List<Task>> gone = new EnumMap<>(TaskState.class);
        SqlConnection.Row<Task> read = row -> Rows.task(tube.name(), row);
        Parameters of = dialect.tasksOf(on, tube.id(), false);
        List<Task> all = tube.keeps(transition, false)
                ? moves.run(on, removal("{task_columns}"), false, read, moves.values(transition, Optional.empty()), of)
                : dialect.listByIds(on, sql().get("truncate_returning"), read, of);
        all.forEach(task ->
                gone.computeIfAbsent(task.state(), state -> new ArrayList<>()).add(task));
        mark(on, tube, all);
        freeSlots(on, tube, all.size());
        List<Transitioned> done = new ArrayList<>();
        gone.forEach((state, tasks) ->
                done.add(new Transitioned(transition, state, tasks.size(), List.of(), tasks, Optional.empty())));
        return done;
    }

    private TrackedStatement removal(String answer) {
        return TrackedStatement.of(sql(), "truncate_change", answer);
    }

    private void mark(SqlConnection on, StoredTube tube, List<Task> gone) throws SQLException {
        List<Parameters> marks = gone.stream()
                .flatMap(task -> task.utube().stream())
                .distinct()
                .map(utube -> Parameters.of("tube", tube.id(), "utube", utube))
                .toList();
        if (!marks.isEmpty()) {
            on.batch(sql().get("mark"), marks);
        }
    }

    private void freeSlots(SqlConnection on, StoredTube tube, long count) throws SQLException {
        if (tube.hasCapacity()) {
            on.update(sql().get("add_slots"), Parameters.of("tube", tube.id(), "count", count));
        }
    }

    private Statements sql() {
        return dialect.statements();
    }
}
