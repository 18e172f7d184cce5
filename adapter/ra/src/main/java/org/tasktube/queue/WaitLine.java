package org.tasktube.queue;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Who waits for a task of one tube on this server. One task that becomes ready wakes one waiter. A waiter enters before
 * it looks for a task, so that none that becomes ready after its look is missed; what it was woken for and does not
 * need goes to the next in line.
 */
public final class WaitLine {

    private final Deque<Waiter> line = new ArrayDeque<>();

    /** Reads without a lock: every put asks, and mostly nobody waits. */
    private volatile int length;

    /** A place in the line; not to be shared between threads. */
    public final class Waiter implements AutoCloseable {

        private final Semaphore wakes = new Semaphore(0);
        private boolean standing;
        private boolean more;

        /** Stands in line, at the end if not there already. To be called before each look for a task. */
        public void enter() {
            synchronized (line) {
                wakes.drainPermits();
                more = false;
                if (!standing) {
                    standing = true;
                    line.addLast(this);
                    length = line.size();
                }
            }
        }

        /** Waits to be woken, at most that long; true if it was. */
        public boolean await(long nanos) throws InterruptedException {
            return wakes.tryAcquire(nanos, TimeUnit.NANOSECONDS);
        }

        /** Waits to be woken, as long as it takes. */
        public void await() throws InterruptedException {
            wakes.acquire();
        }

        /** Wakes this waiter out of turn. */
        public void wake() {
            wakes.release();
        }

        /** Says that a task was found; where there may be more than wakes were given for, the next in line looks too. */
        public void found() {
            boolean pass;
            synchronized (line) {
                pass = more;
                more = false;
            }
            if (pass) {
                wakeOneForMore();
            }
        }

        /** Leaves; a wake that came meanwhile goes to the next in line. */
        @Override
        public void close() {
            boolean unused;
            synchronized (line) {
                unused = !standing && wakes.drainPermits() > 0;
                if (standing) {
                    standing = false;
                    line.remove(this);
                    length = line.size();
                }
            }
            if (unused) {
                WaitLine.this.wake(1);
            }
        }
    }

    public Waiter waiter() {
        return new Waiter();
    }

    int length() {
        return length;
    }

    /** So many tasks have become ready. */
    void wake(long tasks) {
        if (length == 0) {
            return;
        }
        synchronized (line) {
            for (long i = 0; i < tasks && !line.isEmpty(); i++) {
                wakeFirst();
            }
        }
    }

    /** There are tasks, nobody knows how many: the first in line looks, and says if there may be more. */
    void wakeOneForMore() {
        synchronized (line) {
            if (!line.isEmpty()) {
                wakeFirst().more = true;
            }
        }
    }

    /** Something changed that all must know of. */
    void wakeAll() {
        synchronized (line) {
            while (!line.isEmpty()) {
                wakeFirst();
            }
        }
    }

    private Waiter wakeFirst() {
        Waiter first = line.removeFirst();
        first.standing = false;
        length = line.size();
        first.wakes.release();
        return first;
    }
}
