package org.tasktube.store.sql;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.tasktube.History;
import org.tasktube.TaskState;
import org.tasktube.admin.TaskEvent;
import org.tasktube.store.Change;
import org.tasktube.store.Holder;
import org.tasktube.store.InName;
import org.tasktube.store.TaskId;
import org.tasktube.store.Transition;

/**
 * The values of moves in the histories of tasks, for the full form of a change. Whether a history has the move, the
 * statement reads from the row of the tube, as its snapshot has it. Puts, takes, and changes that need no full form but
 * for the history, go by what this server knows of the tube.
 */
record HistoryMoves(Dialect dialect, KnownTubes known) {

    /** A change without a move. */
    static final Parameters NONE = Parameters.of(
            "event", null,
            "server", null,
            "made_by", null,
            "keep_all", false,
            "keep_failures", false,
            "from_state", null,
            "session", null,
            "bean", null,
            "failure", null,
            "error_type", null,
            "error_message", null,
            "error_trace", null,
            "parent_tube", null,
            "parent_task", null);

    /** A new task whose row does not have its put. */
    static final Parameters NO_PUT = Parameters.of("put_event", null, "put_server", null, "put_by", null);

    /** Returns the values of a move without a holder. A statement takes the states of removed tasks from their rows. */
    Parameters values(Transition transition, Optional<TaskState> from) {
        return values(transition, from, false);
    }

    private Parameters values(Transition transition, Optional<TaskState> from, boolean hasFailure) {
        return NONE.and(
                "event", transition.name(),
                "from_state", from.orElse(null),
                "server", known.server(),
                "made_by", InName.present().orElse(null),
                "keep_all", transition.isKept(History.ALL, hasFailure),
                "keep_failures", transition.isKept(History.FAILURES, hasFailure));
    }

    /** Returns the values of a change. */
    Parameters values(Change change) {
        Transition transition = change.transition();
        return values(
                transition,
                change.from().or(() -> transition.from().stream().findFirst()),
                change.failure().isPresent());
    }

    /** Returns the values of a put by a delivery of the parent. Its move is a row, which is found by the parent. */
    Parameters put(Transition transition, TaskId parent) {
        return values(transition, Optional.empty()).and("parent_tube", parent.tube(), "parent_task", parent.id());
    }

    /** Returns the values of any other put. Its move is in the task's row. */
    Parameters put(Transition transition) {
        return Parameters.of(
                "put_event", transition.name(),
                "put_server", known.server(),
                "put_by", InName.present().orElse(null));
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

    /** Adds a move of tasks that a statement before has changed or put. */
    void add(SqlConnection on, Parameters move, List<Long> ids) throws SQLException {
        dialect.updateByIds(on, dialect.statements().get("keep_tasks"), move.and("ids", ids));
    }
}
