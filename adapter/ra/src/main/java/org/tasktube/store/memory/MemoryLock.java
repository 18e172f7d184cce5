package org.tasktube.store.memory;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.tasktube.StoreException;
import org.tasktube.store.StackRoom;

/**
 * The lock of all memory. No Error keeps it locked: neither one of the work under it, nor an overflow of the stack
 * while the lock itself is taken or freed.
 */
final class MemoryLock {

    private final ReentrantLock lock = new ReentrantLock();
    private final Duration patience;

    /** @param patience the time that a call waits for the lock, of which each holder needs some microseconds */
    MemoryLock(Duration patience) {
        this.patience = patience;
    }

    Condition newCondition() {
        return lock.newCondition();
    }

    /**
     * Runs work under the lock.
     *
     * @throws StoreException if another call holds the lock for longer than it may
     */
    <T> T hold(Supplier<T> work) {
        StackRoom.check();
        acquire();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    /** Takes the lock. An interrupt does not end the wait: no caller expects that, and the wait is short. */
    private void acquire() {
        if (lock.tryLock()) {
            return;
        }
        boolean interrupted = false;
        long deadline = System.nanoTime() + patience.toNanos();
        boolean acquired = false;
        while (!acquired) {
            try {
                acquired = lock.tryLock(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (!acquired) {
                    throw new StoreException("the memory of the temporary tubes was locked for " + patience.toSeconds()
                            + " s by another call; nothing was changed. Try again; if this lasts, make a thread dump,"
                            + " and report the thread that is in a method of MemoryLock");
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
