package org.tasktube.store.memory;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.tasktube.StoreException;
import org.tasktube.TaskTubeException;
import org.tasktube.TransactionNotActiveException;
import org.tasktube.store.Transactions;

/**
 * Has what is done in memory be part of the caller's transaction, or a transaction of its own.
 *
 * <p>There is one lock for all tubes: a transaction changes several and ends in all of them at once, the room is shared, and
 * nobody has the lock for longer than it takes to move some tasks in ordered maps. The transaction manager is never called
 * with it: it may call back from another thread to end a transaction.
 */
final class OpenTransactions {

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Object, MemoryTransaction> open = new ConcurrentHashMap<>();
    private final Transactions transactions;
    private final Memory memory;
    private final Duration patience;

    OpenTransactions(Transactions transactions, Memory memory, Duration patience) {
        this.transactions = transactions;
        this.memory = memory;
        this.patience = patience;
    }

    /** Work that changes nothing. */
    <T> T look(Function<MemoryTransaction, T> work) {
        MemoryTransaction joined = transactions.active() ? open.get(transactions.key()) : null;
        lock.lock();
        try {
            return work.apply(joined != null ? joined : newTransaction());
        } finally {
            lock.unlock();
        }
    }

    /** A look at what is committed, and at what all open transactions are making of it. */
    <T> T lookAtAll(Function<Collection<MemoryTransaction>, T> work) {
        lock.lock();
        try {
            return work.apply(open.values());
        } finally {
            lock.unlock();
        }
    }

    /** Work that is done in full, or fails before it has changed anything; an Error half-way has all be rolled back. */
    <T> T change(Function<MemoryTransaction, T> work) {
        return transactions.active() ? changeIn(join(), work) : changeAlone(work);
    }

    /** Several changes as one: in a transaction they are that, outside nobody sees anything between them. */
    <T> T together(Supplier<T> changes) {
        if (transactions.active()) {
            return changes.get();
        }
        lock.lock();
        try {
            return changes.get();
        } finally {
            lock.unlock();
        }
    }

    private <T> T changeIn(MemoryTransaction joined, Function<MemoryTransaction, T> work) {
        boolean half = true;
        lock.lock();
        try {
            checkOpen(joined);
            T result = work.apply(joined);
            half = false;
            return result;
        } catch (TaskTubeException e) {
            // Thrown before anything was changed
            half = false;
            throw e;
        } finally {
            lock.unlock();
            if (half) {
                transactions.setRollbackOnly();
            }
        }
    }

    /** Work that is not part of the caller's transaction. */
    <T> T changeAlone(Function<MemoryTransaction, T> work) {
        lock.lock();
        MemoryTransaction own = newTransaction();
        boolean done = false;
        try {
            T result = work.apply(own);
            done = true;
            return result;
        } finally {
            memory.end(own, done, open.values());
            lock.unlock();
        }
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
        boolean followed = false;
        open.put(key, joined);
        try {
            transactions.join(committed -> end(key, joined, committed));
            followed = true;
            return joined;
        } finally {
            if (!followed) {
                end(key, joined, false);
            }
        }
    }

    private void end(Object key, MemoryTransaction joined, boolean commit) {
        lock.lock();
        try {
            if (!joined.isEnded()) {
                open.remove(key, joined);
                memory.end(joined, commit, open.values());
            }
        } finally {
            lock.unlock();
        }
    }

    /** A transaction that is over its time is rolled back by another thread, while its own goes on. */
    private static void checkOpen(MemoryTransaction joined) {
        if (joined.isEnded()) {
            throw new TransactionNotActiveException(
                    "the transaction has ended, most likely by its timeout; nothing was changed. Begin another one, and"
                            + " if the work takes that long, raise the transaction's timeout");
        }
    }

    /** How long one call goes on waiting for the transactions of others, all in all. */
    Patience patience(String what) {
        return new Patience(what, patience.toNanos());
    }

    /** What is left of the time that a call waits. */
    final class Patience {

        private final String what;
        private long left;

        private Patience(String what, long nanos) {
            this.what = what;
            this.left = nanos;
        }

        /** Waits, with the lock let go, until none of these tasks is so, each because another transaction is changing it. */
        void awaitNone(MemoryTransaction transaction, Supplier<Stream<MemoryTask>> tasks, Predicate<MemoryTask> busy) {
            Optional<MemoryTask> next = tasks.get().filter(busy).findFirst();
            while (next.isPresent()) {
                await(next.get());
                checkOpen(transaction);
                next = tasks.get().filter(busy).findFirst();
            }
        }

        private void await(MemoryTask task) {
            MemoryTransaction other = task.owner;
            try {
                left = other.awaitEnd(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new StoreException(
                        what + " was interrupted while it waited for the transaction that is changing " + named(task)
                                + "; nothing was changed",
                        e);
            }
            if (!other.isEnded()) {
                throw new StoreException(what + " waited " + patience + " for the transaction that is changing "
                        + named(task) + ", which has not ended; nothing was changed, try again when it has");
            }
        }

        private static String named(MemoryTask task) {
            return "task " + task.id + " of the temporary tube '" + task.tube.name() + "'";
        }
    }
}
