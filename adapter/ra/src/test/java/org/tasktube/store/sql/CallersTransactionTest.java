package org.tasktube.store.sql;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.tasktube.TransactionNotActiveException;
import org.tasktube.store.Transactions;
import org.tasktube.testing.Jta;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A server marks a transaction for rollback while a statement of it fails, because of its timeout or of the failure. */
class CallersTransactionTest {

    private final Transactions transactions = Jta.TRANSACTIONS;
    private final CallersTransaction caller = new CallersTransaction(transactions);

    private void failsMarked(Exception failure, Class<? extends Throwable> expected) throws Exception {
        Jta.MANAGER.begin();
        try {
            assertThatThrownBy(() -> caller.run(() -> {
                        Jta.MANAGER.setRollbackOnly();
                        throw failure;
                    }))
                    .isInstanceOf(expected);
        } finally {
            Jta.MANAGER.rollback();
        }
    }

    @Test
    void a_statement_that_the_end_has_cancelled_fails_as_not_active() throws Exception {
        failsMarked(new SQLException("canceled", "57014"), TransactionNotActiveException.class);
    }

    @Test
    void a_pool_that_refuses_an_ended_transaction_fails_as_not_active() throws Exception {
        failsMarked(new SQLException("IJ031070: Transaction cannot proceed"), TransactionNotActiveException.class);
    }

    /** The pool of WildFly marks the transaction of a lost connection. The adapter must know of the loss. */
    @Test
    void a_lost_connection_stays_the_reason() throws Exception {
        failsMarked(new SQLException("I/O error", "08006"), SQLException.class);
        failsMarked(new SQLException("terminating connection", "57P01"), SQLException.class);
    }

    @Test
    void another_exception_stays_what_it_is() throws Exception {
        failsMarked(new IllegalStateException("x"), IllegalStateException.class);
    }
}
