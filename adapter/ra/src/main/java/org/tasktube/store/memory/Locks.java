package org.tasktube.store.memory;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.tasktube.StoreException;
import org.tasktube.store.Transactions;

/** Who may change what: the one lock of a store, and the open transactions, which lock what they have changed. */
final class Locks {

    /** Two transactions that wait for each other would do so for ever; so would who waits for one that nobody ends. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

    private final Transactions transactions;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();
    private final Map<Object, Transaction> open = new HashMap<>();
    private String what = "";

    Locks(Transactions transactions) {
        this.transactions = transactions;
    }

    /** Runs work in the caller's transaction, or in one of its own, which ends with it. */
    <T> T run(String operation, Function<Transaction, T> work) {
        lock.lock();
        try {
            what = operation;
            if (transactions.active()) {
                return work.apply(current());
            }
            Transaction own = new Transaction();
            boolean done = false;
            try {
                T result = work.apply(own);
                own.commit();
                done = true;
                return result;
            } finally {
                if (!done) {
                    own.rollback();
                }
                ended.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    private Transaction current() {
        Object key = transactions.key();
        Transaction there = open.get(key);
        if (there != null) {
            return there;
        }
        Transaction fresh = new Transaction();
        open.put(key, fresh);
        // The first thing of ours that the commit runs: who is woken by the others finds it done
        transactions.afterCommit(() -> end(key, Transaction::commit));
        transactions.atEnd(() -> end(key, Transaction::rollback));
        return fresh;
    }

    private void end(Object key, Consumer<Transaction> how) {
        lock.lock();
        try {
            Transaction transaction = open.remove(key);
            if (transaction != null) {
                how.accept(transaction);
                ended.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    boolean anyOpen() {
        return open.values().stream()
                .anyMatch(transaction -> !transaction.slots().isEmpty());
    }

    /** Also runs under the lock, with the effect of the transaction. */
    void afterCommit(Runnable action) {
        transactions.afterCommit(() -> {
            lock.lock();
            try {
                action.run();
            } finally {
                lock.unlock();
            }
        });
    }

    /** Makes another version of a task, null for none, that is the transaction's until its end. */
    void change(Slot slot, Row version, Transaction transaction) {
        slot.tube.unindex(slot);
        slot.owner = transaction;
        slot.pending = version;
        transaction.slots().add(slot);
        slot.tube.index(slot);
    }

    /** Waits until nothing that the caller needs is locked by somebody else. */
    void await(Supplier<Optional<Slot>> locked) {
        String operation = what;
        Optional<Slot> slot = locked.get();
        try {
            for (long left = LONGEST_WAIT.toNanos(); slot.isPresent() && left > 0; slot = locked.get()) {
                left = ended.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException("the thread was interrupted while it waited for another transaction's end", e);
        }
        if (slot.isPresent()) {
            throw new StoreException(
                    "the transaction waited " + LONGEST_WAIT.toSeconds() + " s to " + operation + " task "
                            + slot.get().id + " of tube '" + slot.get().tube.name()
                            + "', which another open transaction has changed; roll back, and try again");
        }
    }
}
