package org.tasktube.store.sql;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.tasktube.store.StackRoom;

/** Lends a connection for one piece of work. */
interface Connections {

    int SECONDS_TO_SAY_IT_IS_ALIVE = 1;

    @FunctionalInterface
    interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    <T> T lend(Work<T> work) throws SQLException;

    /** Returns connections of a datasource: inside JTA the transaction's own, otherwise one of the pool's. */
    static Connections of(DataSource dataSource, CallersTransaction caller) {
        return new Connections() {
            @Override
            public <T> T lend(Work<T> work) throws SQLException {
                StackRoom.checkForDriver();
                Connection lent = caller.connection(dataSource);
                return caller.run(() -> {
                    try (lent) {
                        return onOrAborted(work, lent);
                    }
                });
            }
        };
    }

    /**
     * Runs the work. An Error, such as an OutOfMemoryError, may have struck between a request of the driver and the read
     * of its answer. The next user of that connection would get an answer of another statement, or none, so it is
     * aborted. An overflow of the stack would overflow the abort too, and is met before the loan. H2's abort does
     * nothing, and its next user would go on in the same transaction, so that is rolled back.
     */
    static <T> T onOrAborted(Work<T> work, Connection lent) throws SQLException {
        try {
            return work.on(lent);
        } catch (Error e) {
            try {
                lent.abort(Runnable::run);
                if (lent.isValid(SECONDS_TO_SAY_IT_IS_ALIVE) && !lent.getAutoCommit()) {
                    lent.rollback();
                    lent.setAutoCommit(true);
                }
            } catch (SQLException | RuntimeException | Error again) {
                e.addSuppressed(again);
            }
            throw e;
        }
    }

    /** Returns the name of an isolation. */
    static String isolation(int isolation) {
        return switch (isolation) {
            case Connection.TRANSACTION_READ_UNCOMMITTED -> "READ UNCOMMITTED";
            case Connection.TRANSACTION_REPEATABLE_READ -> "REPEATABLE READ";
            case Connection.TRANSACTION_SERIALIZABLE -> "SERIALIZABLE";
            default -> "of isolation " + isolation;
        };
    }
}
