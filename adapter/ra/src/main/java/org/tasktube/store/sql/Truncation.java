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

/** Removes all tasks of a tube. Returns their numbers only, unless a listener needs the tasks. */
record Truncation(Jdbc jdbc, Dialect dialect, HistoryMoves moves) {

    List<Transitioned> truncate(StoredTube tube, Transition transition, boolean withTasks) {
        Parameters move = moves.values(transition, Optional.empty()).and("marks", true);
        return jdbc.atomic(
                "truncate",
                on -> withTasks ? returnTasks(on, tube, transition, move) : count(on, tube, transition, move));
    }

    private List<Transitioned> count(SqlConnection on, StoredTube tube, Transition transition, Parameters move)
            throws SQLException {
        List<Transitioned> done = new ArrayList<>();
        dialect.truncate(on, tube.id(), move)
                .forEach((state, count) ->
                        done.add(new Transitioned(transition, state, count, List.of(), List.of(), Optional.empty())));
        return done;
    }

    private List<Transitioned> returnTasks(SqlConnection on, StoredTube tube, Transition transition, Parameters move)
            throws SQLException {
        Map<TaskState, List<Task>> gone = new EnumMap<>(TaskState.class);
        List<Task> all = dialect.full(
                on,
                TrackedStatement.of(dialect.statements(), "truncate_change", "{task_columns}"),
                row -> Rows.task(tube.name(), row),
                move.and(dialect.tasksOf(on, tube.id(), false)));
        all.forEach(task ->
                gone.computeIfAbsent(task.state(), state -> new ArrayList<>()).add(task));
        List<Transitioned> done = new ArrayList<>();
        gone.forEach((state, tasks) ->
                done.add(new Transitioned(transition, state, tasks.size(), List.of(), tasks, Optional.empty())));
        return done;
    }
}
