package org.tasktube.tube;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.tasktube.session.ClientConnection;

/**
 * The waiters for the tasks of one tube on this server, or for free capacity in it. A task that becomes READY wakes one
 * waiter, the first in line, and not all of them: with a hundred idle beans, each put would otherwise cost a hundred
 * claims of which one finds the task.
 *
 * <p>The line keeps this promise: if there is a task that a waiter in line can use, a wake is under way or a waiter
 * looks. These rules ensure it:
 * <ol>
 *   <li>A waiter enters the line before it looks. Then either its look finds the task, or the task's event finds the
 *       waiter in line.
 *   <li>A wake removes its waiter from the line, and belongs to that waiter until a look has used it up. Only a look
 *       that began after the wake can do that.
 *   <li>A look that finds nothing uses up its wake, because nothing is left. A look that finds the one task of its wake
 *       does so, too. If the wake stands for more than one task, it passes to the next waiter.
 *   <li>A waiter that leaves with a wake passes it on: if it is closed, fails, times out or is interrupted. If nobody
 *       is in line, the wake is left for the waiters of other servers.
 *   <li>A choosy waiter needs more than others do. If it finds too little, it passes its wake only to waiters that
 *       entered before the wake, so that the wake does not circulate.
 * </ol>
 */
public final class WaitQueue {

    private final Runnable left;
    private final Deque<Waiter> line = new ArrayDeque<>();

    /** The number of entries so far, which numbers each entry. */
    private long entries;

    /** The length of the line, to read without a lock: every put reads it, and usually nothing waits. */
    private volatile int length;

    /**
     * A wake on its way.
     *
     * @param more true if it stands for an unknown number of tasks, false for one
     * @param upTo the last entry at the time of the event; later waiters have looked after it
     */
    private record Wake(boolean more, long upTo) {

        /** Returns a wake that stands for both, of which either can be null. */
        static Wake both(Wake one, Wake other) {
            if (one == null || other == null) {
                return one == null ? other : one;
            }
            return new Wake(true, Math.max(one.upTo, other.upTo));
        }
    }

    /** A place in the line. One thread may use it. */
    public final class Waiter implements AutoCloseable, ClientConnection.Waiting {

        private final boolean choosy;
        private final boolean receives;
        private final Semaphore signals = new Semaphore(0);
        private boolean standing;
        private boolean looking;
        private long entry;

        /** The wake that came after the current look began. */
        private Wake handed;

        /** The wake that came before the current look began, which uses it up. */
        private Wake inUse;

        private Waiter(boolean choosy, boolean receives) {
            this.choosy = choosy;
            this.receives = receives;
        }

        /** Enters the line at its end, unless already in it. Call this before each look. */
        public void enter() {
            synchronized (line) {
                signals.drainPermits();
                looking = true;
                inUse = Wake.both(inUse, handed);
                handed = null;
                if (!standing) {
                    standing = true;
                    entry = ++entries;
                    line.addLast(this);
                    length = line.size();
                }
            }
        }

        /** Reports that the look found nothing, and waits for a wake, in nanoseconds. Returns whether a wake came. */
        public boolean await(long nanos) throws InterruptedException {
            foundNothing();
            return signals.tryAcquire(nanos, TimeUnit.NANOSECONDS);
        }

        private void foundNothing() {
            synchronized (line) {
                looking = false;
                Wake unused = inUse;
                inUse = null;
                if (choosy && unused != null) {
                    if (!line.isEmpty() && line.getFirst().entry <= unused.upTo) {
                        handToFirst(unused);
                    } else {
                        left.run();
                    }
                }
            }
        }

        /** Wakes this waiter out of turn, without a task for it. */
        public void wake() {
            signals.release();
        }

        @Override
        public void connectionClosed() {
            wake();
        }

        /** Reports that the look found something. If there may be more, the next in line looks too. */
        public void found() {
            synchronized (line) {
                boolean more = inUse != null && inUse.more;
                inUse = null;
                if (more) {
                    wakeOneForMore();
                }
            }
        }

        /** Leaves the line. Passes each unused wake on to the next in line. */
        @Override
        public void close() {
            synchronized (line) {
                if (standing) {
                    standing = false;
                    line.remove(this);
                    length = line.size();
                }
                Wake unused = Wake.both(inUse, handed);
                inUse = null;
                handed = null;
                if (unused != null) {
                    if (line.isEmpty()) {
                        left.run();
                    } else {
                        handToFirst(unused);
                    }
                }
            }
        }

        boolean isWoken() {
            return signals.availablePermits() > 0;
        }

        @Override
        public String toString() {
            synchronized (line) {
                return "waiter in line " + standing + ", entry " + entry + ", handed " + handed + ", in use " + inUse
                        + ", signals " + signals.availablePermits();
            }
        }
    }

    /** @param left follows a wake that no waiter here could use; it must not wait */
    WaitQueue(Runnable left) {
        this.left = left;
    }

    /** Returns a waiter that can use any free task or slot. */
    public Waiter waiter() {
        return new Waiter(false, false);
    }

    /** Returns the same for a {@link TaskReceiver}, which may get tasks without a wake. */
    public Waiter receivingWaiter() {
        return new Waiter(false, true);
    }

    /** Returns a waiter that may need more than others, and find too little. */
    public Waiter choosyWaiter() {
        return new Waiter(true, false);
    }

    /** Returns whether one stands in line that gets its tasks by wakes only: then all do, in their order. */
    boolean hasTakes() {
        if (length == 0) {
            return false;
        }
        synchronized (line) {
            return line.stream().anyMatch(waiter -> !waiter.receives);
        }
    }

    public int length() {
        return length;
    }

    /** Returns the number of waiters that wait for a wake and do not look at this moment. */
    public int asleep() {
        synchronized (line) {
            return (int) line.stream().filter(waiter -> !waiter.looking).count();
        }
    }

    /** Wakes one waiter per task that became READY. Returns whether there was one for each. */
    public boolean wake(long tasks) {
        if (length == 0) {
            return tasks == 0;
        }
        synchronized (line) {
            long left = tasks;
            for (; left > 0 && !line.isEmpty(); left--) {
                handToFirst(new Wake(false, entries));
            }
            return left == 0;
        }
    }

    /** Wakes the first in line for an unknown number of tasks; each waiter that finds one wakes the next. */
    public void wakeOneForMore() {
        synchronized (line) {
            if (!line.isEmpty()) {
                handToFirst(new Wake(true, entries));
            }
        }
    }

    /** Wakes all waiters without a change of their order. Each checks again. */
    public void wakeAll() {
        synchronized (line) {
            line.forEach(Waiter::wake);
        }
    }

    private void handToFirst(Wake wake) {
        Waiter first = line.removeFirst();
        first.standing = false;
        first.handed = Wake.both(first.handed, wake);
        first.signals.release();
        length = line.size();
    }
}
