package org.tasktube.store.sql;

import java.sql.SQLException;
import java.util.List;
import org.tasktube.StoreException;
import org.tasktube.TaskFailure;

/** The meanings of SQL states. */
final class SqlStates {

    /**
     * The beginnings of SQL states that mean a failed connection, a database that shuts down, is full or is broken, or
     * a refused write. Failures of the pool itself have no state.
     */
    private static final List<String> AWAY =
            List.of("null", "08", "25006", "53", "57P", "58", "90097", "90098", "90121", "XX");

    private static final String UNIQUE_VIOLATION = "23505";

    /** A statement was cancelled, or waited for a lock; the last one is H2's. */
    private static final List<String> OVER_TIME = List.of("57014", "55P03", "HYT00");

    private static final int MOST_CAUSES = 20;

    private SqlStates() {}

    /** Returns whether a failure has a cause by SQL which means that the database is away, full or read-only. */
    static boolean isAway(Throwable failure) {
        String state = String.valueOf(of(failure));
        return TaskFailure.causes(failure).stream().anyMatch(SQLException.class::isInstance)
                && AWAY.stream().anyMatch(state::startsWith);
    }

    /** Returns the same for failures of a driver only. A pool that refuses a call has no SQL state. */
    static boolean isLost(Throwable failure) {
        return of(failure) != null && isAway(failure);
    }

    /** Returns the first SQL state among the causes. A pool wraps the driver's exception in one without a state. */
    static String of(Throwable e) {
        Throwable at = e;
        for (int depth = 0; at != null && depth < MOST_CAUSES; depth++) {
            if (at instanceof SQLException sql && sql.getSQLState() != null) {
                return sql.getSQLState();
            }
            at = at.getCause();
        }
        return null;
    }

    /** Returns whether a statement failed because it waited too long, by a limit of its own or of its locks. */
    static boolean isOverTime(StoreException failure) {
        return OVER_TIME.contains(String.valueOf(of(failure)));
    }

    /** Returns whether a statement failed because a row with the same key exists. */
    static boolean isUniqueViolation(SQLException e) {
        return UNIQUE_VIOLATION.equals(e.getSQLState());
    }
}
