package org.tasktube.store.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;
import org.tasktube.StoreException;
import org.tasktube.TaskTubeException;
import org.tasktube.TransactionNotActiveException;
import org.tasktube.store.Transactions;

/** The JTA transaction of the calling thread, if it is in one, in which the store runs statements. */
record CallersTransaction(Transactions transactions) {

    static final CallersTransaction NONE = new CallersTransaction(Transactions.NONE);

    @FunctionalInterface
    interface Work<T, E extends Exception> {
        T run() throws E;
    }

    /** Lends a connection. Fails if the transaction has ended, or the thread is none for applications. */
    Connection connection(DataSource dataSource) throws SQLException {
        try {
            return dataSource.getConnection();
        } catch (SQLException e) {
            checkNotEnded(e);
            throw e;
        } catch (SecurityException e) {
            // WildFly's datasource sets the context class loader, which such a thread refuses
            throw new StoreException(
                    "the datasource refuses the thread '"
                            + Thread.currentThread().getName() + "' (" + e.getMessage()
                            + "), as it does that of a Cleaner; make this call on a thread of the application",
                    e);
        }
    }

    /**
     * Runs statements, and marks the transaction for rollback if one fails. After a failed statement PostgreSQL undoes
     * the whole transaction at its commit, and reports no failure of that commit. H2 commits the statements before the
     * failed one, which may be half an operation.
     */
    <T, E extends Exception> T run(Work<T, E> statements) throws E {
        try {
            return statements.run();
        } catch (Throwable e) {
            // A TaskTubeException is a refusal before any change, or follows a statement that failed here
            if (!(e instanceof TaskTubeException) && !(e instanceof NotInTransactionException)) {
                if (e instanceof SQLException failure) {
                    checkNotEnded(failure);
                }
                fail();
            }
            throw e;
        }
    }

    /**
     * Fails if the transaction has ended during a call that failed, most likely by its timeout, or refuses the datasource. Then that is the
     * reason: the server refuses further statements, or the database the one that ran. If the connection was lost, the
     * server marks the transaction because of that, and the loss is the reason.
     */
    void checkNotEnded(Exception failure) {
        if (SqlStates.isLost(failure)) {
            return;
        }
        Optional<String> refusal = transactions.refusal(failure);
        if (refusal.isPresent()) {
            throw new StoreException(refusal.get(), failure);
        }
        try {
            transactions.check();
        } catch (TransactionNotActiveException e) {
            throw new TransactionNotActiveException(e.getMessage(), failure);
        }
    }

    /** Marks the transaction for rollback, because a statement failed. */
    void fail() {
        if (transactions.active()) {
            transactions.setRollbackOnly();
        }
    }

    /**
     * Fails if the datasource takes no part in the transaction. It would commit each statement alone, even if the
     * transaction rolls back.
     */
    void check(Connection connection) throws SQLException {
        if (transactions.active() && connection.getAutoCommit()) {
            // The transaction may have ended since, by its timeout
            transactions.check();
            throw new NotInTransactionException();
        }
    }

    /** The connection is not in the transaction of its thread. */
    static final class NotInTransactionException extends SQLException {
        private static final long serialVersionUID = 1;
    }
}
