package org.tasktube.queue;

/** The caller's JTA transaction, as far as what lives in memory must follow it. */
public interface Transactions {

    /** Whether the calling thread is in a transaction. */
    boolean active();

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
        public void afterCommit(Runnable action) {
            action.run();
        }

        @Override
        public void atEnd(Runnable action) {
            action.run();
        }
    };
}
