package org.tasktube.store.memory;

/**
 * The lock of one task, which all versions of the task share. A transaction that changes the task holds the lock
 * until its end. As all of {@link Memory}, it is used under the lock of {@link OpenTransactions} only.
 */
final class RowLock {

    /** A transaction, as others wait for it. */
    interface Owner {

        boolean isEnded();

        /**
         * Waits for the end of the transaction, at most for a time in nanoseconds; returns the nanoseconds that are
         * left.
         */
        long awaitEnd(long nanos) throws InterruptedException;
    }

    /** Null if no transaction is changing the task. */
    private Owner owner;

    boolean isFree() {
        return owner == null;
    }

    boolean isHeldBy(Owner transaction) {
        return owner == transaction;
    }

    boolean isHeldByAnother(Owner transaction) {
        return owner != null && owner != transaction;
    }

    /** Returns the transaction that holds the lock; null if it is free. */
    Owner owner() {
        return owner;
    }

    /** Gives the lock, which is free or already the transaction's, to a transaction. */
    void acquire(Owner transaction) {
        owner = transaction;
    }

    void release() {
        owner = null;
    }
}
