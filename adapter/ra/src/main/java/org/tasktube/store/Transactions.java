package org.tasktube.store;

/** The caller's JTA transaction, as far as what lives in memory must follow it. */
public interface Transactions {

    /** Whether the calling thread is in a transaction. */
    boolean active();

    /** What identifies the transaction that the calling thread is in. */
    Object key();

    /** Runs when the transaction has committed, never if it rolls back; at once outside one. Must not throw. */
    void afterCommit(Runnable action);

    /** Runs when the transaction has ended either way, after what waits for its commit; at once outside one. */
    void atEnd(Runnable action);

    /** For callers that are never in a transaction. */
    Transactions NONE = new Transactions() {
        @Override
        public boolean active() {
            return false;
        }

        @Override
        public Object key() {
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
