package org.tasktube.store.sql;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.tasktube.TaskState;
import org.tasktube.admin.TaskEvent;
import org.tasktube.store.Change;
import org.tasktube.store.Holder;
import org.tasktube.store.InName;
import org.tasktube.store.TaskId;
import org.tasktube.store.Transition;
import org.tasktube.store.TubeCount;

/** Writes the moves of tasks into their histories, as a part of the change itself if the database can. */
record HistoryMoves(Dialect dialect, CachedHistoryOptions known) {

    private static final Parameters NOTHING = Parameters.of(
            "from_state", null,
            "session", null,
            "bean", null,
            "failure", null,
            "error_type", null,
            "error_message", null,
            "error_trace", null,
            "parent_tube", null,
            "parent_task", null);

    /** Returns the values of a move without a holder. A statement takes the states of removed tasks from their rows. */
    Parameters values(Transition transition, Optional<TaskState> from) {
        return NOTHING.and(
                "event", transition.name(),
                "from_state", from.orElse(null),
                "server", known.server(),
                "made_by", InName.present().orElse(null));
    }

    /** Returns the values of a change. */
    Parameters values(Change change) {
        Transition transition = change.transition();
        return values(
                transition, change.from().or(() -> transition.from().stream().findFirst()));
    }

    /** Returns the values of a put by a delivery of the parent. Its move is a row, which is found by the parent. */
    Parameters put(Transition transition, TaskId parent) {
        return values(transition, Optional.empty()).and("parent_tube", parent.tube(), "parent_task", parent.id());
    }

    /** Returns the values of any other put. Its move is in the task's row. */
    Parameters put(Transition transition) {
        return Parameters.of(
                "event", transition.name(),
                "server", known.server(),
                "made_by", InName.present().orElse(null));
    }

    /** Returns the values of a take. */
    Parameters values(Holder holder) {
        return values(Transition.TAKE, Optional.of(TaskState.READY)).and(holder(holder));
    }

    /** Returns the values of a take by a bean in a transaction of another caller. */
    Parameters ofBean(Holder holder) {
        return values(holder).and("made_by", null);
    }

    /** Returns the values of a holder. */
    static Parameters holder(Holder holder) {
        return Parameters.of("session", holder.session(), "bean", bean(holder));
    }

    private static String bean(Holder holder) {
        String name = holder.bean().orElse(null);
        return name == null || name.length() <= TaskEvent.MAX_BEAN
                ? name
                : name.substring(name.length() - TaskEvent.MAX_BEAN);
    }

    /**
     * Runs a change together with its moves.
     *
     * @param parameters the values of the change, which hide the ones of the move
     */
    <T> List<T> run(
            SqlConnection on,
            TrackedStatement change,
            boolean tracked,
            SqlConnection.Row<T> row,
            Parameters move,
            Parameters parameters)
            throws SQLException {
        return dialect.keep(on, change, tracked, row, move.and(parameters));
    }

    /** Adds a move of tasks that a statement before has changed or put. */
    void add(SqlConnection on, Parameters move, List<Long> ids) throws SQLException {
        dialect.updateByIds(on, dialect.statements().get("keep_tasks"), move.and("ids", ids));
    }

    /** Removes all tasks of a tube together with their moves. Returns their numbers. */
    List<TubeCount> truncate(SqlConnection on, TrackedStatement change, int tube) throws SQLException {
        return dialect.truncateKept(on, change, tube, values(Transition.TRUNCATE, Optional.empty()));
    }
}
