package org.tasktube.store.sql;

import java.sql.SQLException;
import java.util.List;

/** Lets sub-queues go on that a failed task holds, in tubes of strict order. */
record HeldSubQueues(Dialect dialect, SqlConnection on) {

    /** Lets a sub-queue go on. Returns false if no task holds it. */
    boolean letGo(int tube, String utube) throws SQLException {
        return !letGo("let_go", Parameters.of("tube", tube, "utube", utube)).isEmpty();
    }

    /** Lets all sub-queues of a tube go on. */
    void letAllGo(int tube) throws SQLException {
        NamedStatement lock = dialect.statements().get("lock_holding");
        letGo("let_all_go", Parameters.of("ids", on.list(lock, row -> row.getLong(1), Parameters.of("tube", tube))));
    }

    private List<Long> letGo(String name, Parameters of) throws SQLException {
        TrackedStatement statement = TrackedStatement.of(dialect.statements(), name, TrackedStatement.IDS);
        return dialect.full(
                on,
                statement,
                row -> row.getLong(1),
                HistoryMoves.NONE.and("marks", true).and(of));
    }
}
