package org.tasktube.store;

/** The caller's JTA transaction, as far as changes in memory must follow it. */
public interface Transactions {

    /** Returns whether the calling thread is in a transaction, be it active, marked for rollback, or ended already. */
    boolean active();

    /**
     * Fails unless the calling thread is outside transactions, or in one that still takes work. To be called before each
     * use of a store: a datasource could take a thread whose transaction was rolled back for one outside.
     *
     * @throws org.tasktube.TransactionNotActiveException if the transaction is marked for rollback, is ending, or has ended
     */
    void check();

    /** Returns the identity of the calling thread's transaction. */
    Object key();

    /**
     * Has changes in memory end with the transaction, before any other action of its end runs.
     *
     * @throws org.tasktube.TransactionNotActiveException as {@link #check()}
     */
    void join(Participant participant);

    /**
     * Runs an action when the transaction has committed, never if it rolls back; at once outside one. What the action throws
     * is logged, and the other actions run.
     *
     * @throws org.tasktube.TransactionNotActiveException as {@link #check()}
     */
    void afterCommit(Runnable action);

    /**
     * Runs an action when the transaction has ended either way, after the actions that wait for its commit. Runs it at once
     * outside a transaction, in one that has ended, and in one that is marked for rollback before anything was done in it.
     */
    void atEnd(Runnable action);

    /** Has the calling thread's transaction roll back, because an Error left an operation half done in it. */
    void setRollbackOnly();

    /** Changes in memory that last or vanish with their transaction. */
    @FunctionalInterface
    interface Participant {

        /** Ends the changes; called once, possibly by another thread than the transaction's own. */
        void end(boolean committed);
    }

    /** For callers that are never in a transaction. */
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
        public void join(Participant participant) {
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
