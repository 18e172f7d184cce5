package org.tasktube.console.rest;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.HeuristicMixedException;
import jakarta.transaction.HeuristicRollbackException;
import jakarta.transaction.NotSupportedException;
import jakarta.transaction.RollbackException;
import jakarta.transaction.SystemException;
import jakarta.transaction.UserTransaction;
import java.time.Duration;
import java.util.function.Supplier;
import org.tasktube.StoreException;

/** Does the work of a request in a JTA transaction: all of it, or none. */
@ApplicationScoped
public class JtaWork {

    /** The longest transaction. An act on one tube or task is much shorter. */
    private static final Duration MAX = Duration.ofMinutes(1);

    @Resource
    private UserTransaction transaction;

    JtaWork() {}

    JtaWork(UserTransaction transaction) {
        this.transaction = transaction;
    }

    /** Returns what the work returns, after the commit. If the work throws, nothing of it stays. */
    <T> T run(Supplier<T> work) {
        try {
            begin();
            T result = done(work);
            commit();
            return result;
        } finally {
            // The server keeps the time for all further transactions of this thread, also of other applications
            limit(0);
        }
    }

    private <T> T done(Supplier<T> work) {
        try {
            return work.get();
        } catch (RuntimeException | Error e) {
            rollback(e);
            throw e;
        }
    }

    private void limit(int seconds) {
        try {
            transaction.setTransactionTimeout(seconds);
        } catch (SystemException e) {
            throw new StoreException("the server set no time for transactions: " + e.getMessage(), e);
        }
    }

    private void begin() {
        limit((int) MAX.toSeconds());
        try {
            transaction.begin();
        } catch (NotSupportedException | SystemException e) {
            throw new StoreException("the server began no transaction: " + e.getMessage() + "; repeat the act", e);
        }
    }

    private void rollback(Throwable first) {
        try {
            transaction.rollback();
        } catch (SystemException | RuntimeException e) {
            first.addSuppressed(e);
        }
    }

    private void commit() {
        try {
            transaction.commit();
        } catch (RollbackException
                | HeuristicMixedException
                | HeuristicRollbackException
                | SystemException
                | RuntimeException e) {
            throw new StoreException(
                    "the transaction of the act did not commit: " + e.getMessage()
                            + "; read its effect, then repeat it",
                    e);
        }
    }
}
