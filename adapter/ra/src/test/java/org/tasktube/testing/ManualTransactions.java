package org.tasktube.testing;

import java.util.concurrent.Callable;
import org.tasktube.TransactionNotActiveException;
import org.tasktube.store.Effects;
import org.tasktube.store.Transactions;

/**
 * Transactions as a server has them, a current one for each thread, which the test begins, suspends and ends by itself.
 */
public final class ManualTransactions implements Transactions {

    @SuppressWarnings("ThreadLocalUsage") // each test has its own transactions
    private final ThreadLocal<Transaction> current = new ThreadLocal<>();

    /** One that was begun and not ended. */
    public static final class Transaction {

        private final Effects effects = new Effects();
        private volatile boolean ended;
        private volatile boolean rollbackOnly;

        private Transaction() {}
    }

    /** Begins one, and has the thread be in it. */
    public Transaction begin() {
        if (active()) {
            throw new IllegalStateException("the thread is in a transaction; suspend that first");
        }
        Transaction begun = new Transaction();
        current.set(begun);
        return begun;
    }

    public void commit() {
        Transaction mine = suspend();
        mine.effects.end(!mine.rollbackOnly);
    }

    public void rollback() {
        suspend().effects.end(false);
    }

    /** Takes the thread out of its transaction, which stays open. */
    public Transaction suspend() {
        Transaction suspended = mine();
        current.remove();
        return suspended;
    }

    public void resume(Transaction suspended) {
        if (active()) {
            throw new IllegalStateException("the thread is in a transaction; suspend that first");
        }
        current.set(suspended);
    }

    /** Does something in a transaction that is suspended, and suspends it again. */
    public <T> T in(Transaction transaction, Callable<T> work) {
        resume(transaction);
        try {
            return work.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            suspend();
        }
    }

    /** Commits one that is suspended. */
    public void commit(Transaction transaction) {
        resume(transaction);
        commit();
    }

    /** Rolls one back that is suspended, or that is another thread's, as a server does when its time is over. */
    public void rollback(Transaction transaction) {
        transaction.ended = true;
        transaction.effects.end(false);
    }

    private Transaction mine() {
        Transaction mine = current.get();
        if (mine == null) {
            throw new IllegalStateException("the thread is in no transaction");
        }
        return mine;
    }

    @Override
    public boolean active() {
        return current.get() != null;
    }

    @Override
    public Object key() {
        return mine();
    }

    @Override
    public void check() {
        if (active() && mine().ended) {
            throw notActive();
        }
    }

    @Override
    public void setRollbackOnly() {
        mine().rollbackOnly = true;
    }

    @Override
    public void afterCommit(Runnable action) {
        if (!active()) {
            action.run();
        } else if (!mine().effects.afterCommit(action)) {
            throw notActive();
        }
    }

    private static TransactionNotActiveException notActive() {
        return new TransactionNotActiveException("the transaction was rolled back by another thread");
    }

    @Override
    public void atEnd(Runnable action) {
        if (!active() || !mine().effects.atEnd(action)) {
            action.run();
        }
    }
}
