package org.tasktube.store.memory;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.tasktube.StoreException;
import org.tasktube.TaskTubeException;
import org.tasktube.TransactionNotActiveException;
import org.tasktube.store.Transactions;

/**
 * Runs work in memory as a part of the caller's transaction, or in a transaction of its own.
 *
 * <p>There is one lock for all tubes. A transaction changes several tubes and ends in all of them at once, and the room
 * is shared. No call holds the lock for longer than it takes to move some tasks in ordered maps. The transaction
 * manager is never called under the lock: it may call back from another thread to end a transaction.
 */
final class OpenTransactions {

    private final MemoryLock lock;
    private final Map<Object, MemoryTransaction> open = new ConcurrentHashMap<>();
    private final Transactions transactions;
    private final Memory memory;
    private final Duration lockTimeout;

    /** True if there may be a transaction whose end was prevented, by an Error or by a lock that was not free. */
    private volatile boolean hasUnended;

    /** The transaction of the calls that a thread makes together, outside a transaction of its caller. */
    private record Shared(OpenTransactions owner, MemoryTransaction transaction) {}

    private static final ThreadLocal<Shared> TOGETHER = new ThreadLocal<>();

    OpenTransactions(Transactions transactions, Memory memory, Duration lockTimeout) {
        this.transactions = transactions;
        this.memory = memory;
        this.lockTimeout = lockTimeout;
        this.lock = new MemoryLock(lockTimeout);
    }

    /** Runs work that changes nothing. */
    <T> T read(Function<MemoryTransaction, T> work) {
        MemoryTransaction joined = transactions.active() ? open.get(transactions.key()) : shared();
        return hold(() -> work.apply(joined != null ? joined : newTransaction()));
    }

    /** Runs work that reads the committed tasks, and the changes of all open transactions to them. */
    <T> T readAll(Function<Collection<MemoryTransaction>, T> work) {
        return hold(() -> work.apply(open.values()));
    }

    /** Runs work under the lock, after the ends of transactions that could not end. */
    private <T> T hold(Supplier<T> work) {
        return lock.hold(() -> {
            finishEnds();
            return work.get();
        });
    }

    /** Runs work that is done in full, or fails before it changes anything; an Error half-way rolls all of it back. */
    <T> T change(Function<MemoryTransaction, T> work) {
        if (transactions.active()) {
            return changeIn(join(), work);
        }
        MemoryTransaction own = shared();
        return own == null ? changeAlone(work) : work.apply(own);
    }

    /** Runs several calls as one transaction: the caller's, or else one of their own. */
    <T> T together(Supplier<T> calls) {
        if (transactions.active()) {
            return calls.get();
        }
        return changeAlone(own -> {
            TOGETHER.set(new Shared(this, own));
            try {
                return calls.get();
            } finally {
                TOGETHER.remove();
            }
        });
    }

    /** Returns the transaction of the calls that this thread makes together; null if there is none. */
    private MemoryTransaction shared() {
        Shared shared = TOGETHER.get();
        return shared != null && shared.owner == this ? shared.transaction : null;
    }

    private <T> T changeIn(MemoryTransaction joined, Function<MemoryTransaction, T> work) {
        boolean half = true;
        try {
            T result = hold(() -> {
                checkOpen(joined);
                return work.apply(joined);
            });
            half = false;
            return result;
        } catch (TaskTubeException e) {
            // Thrown before anything was changed
            half = false;
            throw e;
        } finally {
            if (half) {
                transactions.setRollbackOnly();
            }
        }
    }

    /** Runs work that is not part of the caller's transaction. */
    <T> T changeAlone(Function<MemoryTransaction, T> work) {
        return hold(() -> {
            MemoryTransaction own = newTransaction();
            boolean done = false;
            try {
                T result = work.apply(own);
                done = true;
                return result;
            } finally {
                memory.end(own, done, open.values());
            }
        });
    }

    private MemoryTransaction newTransaction() {
        return new MemoryTransaction(lock.newCondition());
    }

    private MemoryTransaction join() {
        Object key = transactions.key();
        MemoryTransaction known = open.get(key);
        if (known != null) {
            return known;
        }
        MemoryTransaction joined = newTransaction();
        boolean registered = false;
        open.put(key, joined);
        try {
            transactions.join(committed -> end(key, joined, committed));
            registered = true;
            return joined;
        } finally {
            if (!registered) {
                endLater(key, joined);
            }
        }
    }

    /** Rolls back, and leaves the failure for which that is done as it is. */
    private void endLater(Object key, MemoryTransaction joined) {
        try {
            end(key, joined, false);
        } catch (StoreException e) {
            // It is marked, and the next call ends it
        }
    }

    /** Ends a transaction; if the lock is not free in time, or an Error strikes, the next call under the lock does. */
    private void end(Object key, MemoryTransaction joined, boolean commit) {
        boolean done = false;
        try {
            done = lock.hold(() -> endHeld(key, joined, commit));
        } catch (StoreException e) {
            throw new StoreException(
                    "the end of the transaction follows with the next call on temporary tubes: " + e.getMessage(), e);
        } finally {
            if (!done) {
                // Fields, because the stack may have no room for a call
                joined.commits = commit;
                joined.isDecided = true;
                hasUnended = true;
            }
        }
    }

    private boolean endHeld(Object key, MemoryTransaction joined, boolean commit) {
        if (open.remove(key, joined)) {
            memory.end(joined, commit, open.values());
        }
        return true;
    }

    /** Ends the transactions whose end was prevented or cut. */
    private void finishEnds() {
        memory.finishEnds(open.values());
        if (hasUnended) {
            hasUnended = false;
            boolean done = false;
            try {
                // Not a lambda: if its first use overflowed the stack, the virtual machine would never run it
                for (Map.Entry<Object, MemoryTransaction> entry : open.entrySet()) {
                    if (entry.getValue().isDecided) {
                        endHeld(entry.getKey(), entry.getValue(), entry.getValue().commits);
                    }
                }
                done = true;
            } finally {
                hasUnended |= !done;
            }
        }
    }

    /**
     * Fails if the transaction has ended: after a timeout another thread rolls it back, while its own thread continues.
     */
    private static void checkOpen(MemoryTransaction joined) {
        if (joined.isEnded()) {
            throw new TransactionNotActiveException(
                    "the transaction has ended, most likely by its timeout; nothing was changed. Begin another one, and"
                            + " if the work takes that long, raise the transaction's timeout");
        }
    }

    /** Returns a wait of one call for other transactions; all that the call waits for share one timeout. */
    LockWait lockWait(String operation) {
        return new LockWait(operation, lockTimeout.toNanos());
    }

    /** The wait of one call until other transactions end. */
    final class LockWait {

        private final String operation;
        private long left;

        private LockWait(String operation, long nanos) {
            this.operation = operation;
            this.left = nanos;
        }

        /**
         * Waits until none of these tasks is busy. Each is busy because another transaction is changing it. The
         * lock is released during the wait.
         */
        void awaitNone(MemoryTransaction transaction, Supplier<Stream<MemoryTask>> tasks, Predicate<MemoryTask> busy) {
            Optional<MemoryTask> next = tasks.get().filter(busy).findFirst();
            while (next.isPresent()) {
                await(next.get());
                checkOpen(transaction);
                next = tasks.get().filter(busy).findFirst();
            }
        }

        private void await(MemoryTask task) {
            RowLock.Owner other = task.lock.owner();
            try {
                left = other.awaitEnd(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new StoreException(
                        operation + " was interrupted while it waited for the transaction that is changing "
                                + named(task) + "; nothing was changed",
                        e);
            }
            if (!other.isEnded()) {
                throw new StoreException(operation + " waited " + lockTimeout + " for the transaction that is changing "
                        + named(task) + ", which has not ended; nothing was changed, try again when it has");
            }
        }

        private static String named(MemoryTask task) {
            return "task " + task.id + " of the temporary tube '" + task.tube.name() + "'";
        }
    }
}
