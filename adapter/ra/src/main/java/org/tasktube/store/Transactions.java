package org.tasktube.store;

import java.util.Optional;
import java.util.concurrent.Callable;

/** The caller's JTA transaction, as far as what the adapter knows and wakes must follow it. */
public interface Transactions {

    /**
     * Returns whether the calling thread is in a transaction: an active one, one that is marked for rollback, or one
     * that has ended.
     */
    boolean active();

    /**
     * Fails if the calling thread is in a transaction that accepts no more work. Call this before each use of a store:
     * a datasource could treat a thread whose transaction was rolled back as outside one.
     *
     * @throws org.tasktube.TransactionNotActiveException if the transaction is marked for rollback, is ending, or has
     *     ended
     */
    void check();

    /** Returns the identity of the calling thread's transaction. */
    Object key();

    /**
     * Runs an action after the commit of the transaction, never after a rollback. Outside a transaction, runs it at
     * once. If the action throws, the failure is logged, and the other actions run.
     *
     * @throws org.tasktube.TransactionNotActiveException as {@link #check()}
     */
    void afterCommit(Runnable action);

    /**
     * Runs an action after either end of the transaction, after the actions that wait for its commit. Outside a
     * transaction and in an ended one, runs it at once. Does so too in a transaction that was marked for rollback
     * before any work in it.
     */
    void atEnd(Runnable action);

    /**
     * Runs an action before the commit of the calling thread's transaction, and before another TaskTube first works in
     * it. It may run more than once. A failure makes the transaction roll back.
     */
    default void beforeCommit(Runnable action) {}

    /**
     * Returns whether the status of the calling thread's transaction may say more than what the database has done:
     * another resource or another TaskTube takes part in it, or its resources are not known.
     */
    default boolean isShared() {
        return false;
    }

    /** Returns whether anything waits for the end of the calling thread's transaction, as after a put in it. */
    default boolean isUsed() {
        return false;
    }

    /** Returns whether the commit of the calling thread's transaction has begun: its last steps still work in it. */
    default boolean isCommitting() {
        return false;
    }

    /**
     * Adds an action that runs after each commit that failed, of a transaction that a method of this interface has
     * joined, and after each rollback on another thread, which is that of a timeout. The database may have committed all
     * the same, if its answer was lost, or a statement that ran during the rollback.
     *
     * @return removes the action
     */
    default Runnable afterFailedCommit(Runnable action) {
        return () -> {};
    }

    /**
     * Does work in a new transaction, which is rolled back.
     *
     * @return the answer of the work; empty if the server gives no transaction manager
     */
    default <T> Optional<T> inTrial(Callable<T> work) throws Exception {
        return Optional.empty();
    }

    /**
     * Returns why the transaction manager has refused a connection to the calling thread's transaction; empty if it has
     * not.
     *
     * @param failure what the datasource has thrown
     */
    default Optional<String> refusal(Exception failure) {
        return Optional.empty();
    }

    /** Makes the calling thread's transaction roll back, because an operation failed that may be half done in it. */
    void setRollbackOnly();

    /** The transactions of callers that are never in one. */
    Transactions NONE = new Transactions() {
        @Override
        public boolean active() {
            return false;
        }

        @Override
        public void check() {
            // There is never a transaction that could have ended
        }

        @Override
        public Object key() {
            throw new IllegalStateException("there is no transaction");
        }

        @Override
        public void setRollbackOnly() {
            throw new IllegalStateException("there is no transaction");
        }

        @Override
        public void afterCommit(Runnable action) {
            action.run();
        }

        @Override
        public void atEnd(Runnable action) {
            action.run();
        }
    };
}
