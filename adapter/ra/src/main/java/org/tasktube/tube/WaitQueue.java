package org.tasktube.tube;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.tasktube.session.ClientConnection;

/**
 * The waiters for the tasks of one tube on this server, or for room in it. One task that becomes READY wakes one waiter.
 *
 * <p>The line keeps this promise: while something is there that a waiter in line can use, a wake is under way or a waiter
 * looks. It follows from these rules:
 * <ol>
 *   <li>A waiter enters the line before it looks. Of two, the look finds the task, or the task finds the waiter in line.
 *   <li>A wake takes its waiter out of the line, and belongs to that waiter until a look has used it up. Only a look that
 *       began after the wake can do that.
 *   <li>A look uses its wake up if it finds nothing, for then nothing is there, or if it finds the one thing that the wake
 *       stands for. If the wake stands for more than one, it goes on to the next waiter.
 *   <li>A waiter that leaves with a wake hands it on: closed, failed, timed out or interrupted.
 *   <li>A choosy waiter needs more than others do. If it finds too little, it hands its wake on, to those only that had
 *       entered before the wake, so that the wake does not go round.
 * </ol>
 */
public final class WaitQueue {

    private final Deque<Waiter> line = new ArrayDeque<>();

    /** How many entries there were; numbers them. */
    private long entries;

    /** Reads without a lock: every put asks, and mostly nobody waits. */
    private volatile int length;

    /**
     * A wake on its way.
     *
     * @param more whether it stands for an unknown number of things, and not for one
     * @param upTo the last entry at the time of the event; later ones have looked after it
     */
    private record Wake(boolean more, long upTo) {

        /** Stands for both of two, of which either can be null. */
        static Wake both(Wake one, Wake other) {
            if (one == null || other == null) {
                return one == null ? other : one;
            }
            return new Wake(true, Math.max(one.upTo, other.upTo));
        }
    }

    /** A place in the line; not to be shared between threads. */
    public final class Waiter implements AutoCloseable, ClientConnection.Waiting {

        private final boolean choosy;
        private final Semaphore signals = new Semaphore(0);
        private boolean standing;
        private boolean looking;
        private long entry;

        /** Came after the present look began. */
        private Wake handed;

        /** Came before the present look began, which uses it up. */
        private Wake inUse;

        private Waiter(boolean choosy) {
            this.choosy = choosy;
        }

        /** Stands in line, at the end if not there already. To be called before each look. */
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

        /** Says that the look found nothing, and waits to be woken, at most that long; returns whether it was. */
        public boolean await(long nanos) throws InterruptedException {
            foundNothing();
            return signals.tryAcquire(nanos, TimeUnit.NANOSECONDS);
        }

        private void foundNothing() {
            synchronized (line) {
                looking = false;
                Wake unused = inUse;
                inUse = null;
                if (choosy && unused != null && !line.isEmpty() && line.getFirst().entry <= unused.upTo) {
                    handToFirst(unused);
                }
            }
        }

        /** Wakes this waiter out of turn, without anything to be found. */
        public void wake() {
            signals.release();
        }

        @Override
        public void connectionClosed() {
            wake();
        }

        /** Says that the look found something; if there may be more, the next in line looks too. */
        public void found() {
            synchronized (line) {
                boolean more = inUse != null && inUse.more;
                inUse = null;
                if (more) {
                    wakeOneForMore();
                }
            }
        }

        /** Leaves the line; hands on each wake that no look has used up. */
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
                if (unused != null && !line.isEmpty()) {
                    handToFirst(unused);
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

    /** A waiter that can use whatever there is. */
    public Waiter waiter() {
        return new Waiter(false);
    }

    /** A waiter that may find too little for itself where another one would find enough. */
    public Waiter choosyWaiter() {
        return new Waiter(true);
    }

    public int length() {
        return length;
    }

    /** How many wait to be woken, and do not look at this moment. */
    public int asleep() {
        synchronized (line) {
            return (int) line.stream().filter(waiter -> !waiter.looking).count();
        }
    }

    /** Wakes a waiter for each of so many tasks that became READY. */
    public void wake(long tasks) {
        if (length == 0) {
            return;
        }
        synchronized (line) {
            for (long i = 0; i < tasks && !line.isEmpty(); i++) {
                handToFirst(new Wake(false, entries));
            }
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

    /** Has all look what changed. They keep their places. */
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
