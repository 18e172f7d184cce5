package org.tasktube.tube;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.tasktube.store.OrderKey;

/**
 * The position up to which this server's beans have read a tube. In a long tube, taken tasks leave entries in the
 * database's index until a vacuum. A claim from the start would read all of them again, so each claim continues from
 * here.
 *
 * <p>If a task becomes READY before this position on this server, the next claim starts from there. A claim that is under
 * way may not have seen it, and moves the position over no such task. Others can see it some time before this server
 * learns of the commit, so during a commit claims start from what it makes READY ({@link #comes}). Tasks of other servers
 * are found a little later, because claims start from the beginning at an interval.
 */
final class ScanCursor {

    private static final long FROM_START = Duration.ofMillis(100).toNanos();

    private final Set<Reading> open = new HashSet<>();
    private final Set<Coming> coming = new HashSet<>();
    private volatile OrderKey reached = OrderKey.START;
    private volatile boolean isRead;
    private long startedAt;
    private long lookedAt;

    /** A claim from its begin to the answer of its statement. */
    final class Reading implements AutoCloseable {

        private final OrderKey after;

        /** The first position at which a task became READY since the begin; null for none. */
        private OrderKey first;

        private Reading(OrderKey after) {
            this.after = after;
        }

        /** Returns the position from which the claim reads. */
        OrderKey after() {
            return after;
        }

        /** Returns whether a task became READY before the position from which the claim read. */
        boolean hasMissed() {
            return isBehind(this);
        }

        /** Reports the last position that the claim has found. */
        void reached(OrderKey key) {
            move(this, key);
        }

        @Override
        public void close() {
            end(this);
        }
    }

    /** The first task that a transaction makes READY, during its commit. */
    final class Coming {

        private final OrderKey first;

        private Coming(OrderKey first) {
            this.first = first;
        }

        /** Begins; may be called again. */
        void begin() {
            change(() -> coming.add(this));
        }

        /** Ends, whether the task is there or not. */
        void end() {
            ready(first);
            change(() -> coming.remove(this));
        }
    }

    Coming comes(OrderKey first) {
        return new Coming(first);
    }

    private synchronized void change(Runnable change) {
        change.run();
    }

    /** Returns the position from which a put for a bean looks for tasks before it: at the same interval the start. */
    synchronized OrderKey position() {
        long now = System.nanoTime();
        if (now - lookedAt > FROM_START) {
            lookedAt = now;
            return OrderKey.START;
        }
        return from();
    }

    private OrderKey from() {
        OrderKey from = reached;
        for (Coming each : coming) {
            from = each.first.compareTo(from) <= 0 ? each.first.before() : from;
        }
        return from;
    }

    /** Begins a claim. */
    synchronized Reading begin() {
        long now = System.nanoTime();
        if (now - startedAt > FROM_START) {
            startedAt = now;
            reached = OrderKey.START;
        }
        Reading reading = new Reading(from());
        open.add(reading);
        isRead = true;
        return reading;
    }

    private synchronized boolean isBehind(Reading reading) {
        return reading.first != null && reading.first.compareTo(reading.after) < 0;
    }

    private synchronized void move(Reading reading, OrderKey key) {
        boolean hasPassed = reading.first != null && reading.first.compareTo(key) <= 0;
        // Another claim may have begun at the start since, and end before that from which this one has read
        boolean continues = reading.after.compareTo(reached) <= 0;
        OrderKey upTo = hasPassed ? reading.first.before() : key;
        if (upTo.compareTo(reached) < 0 ? hasPassed : continues) {
            reached = upTo;
        }
    }

    private synchronized void end(Reading reading) {
        open.remove(reading);
        isRead = !open.isEmpty();
    }

    /** Reports a task that became READY at a position. Mostly reads without a lock, because every put calls this. */
    void ready(OrderKey key) {
        if (isRead || key.compareTo(reached) < 0) {
            readyBefore(key);
        }
    }

    private synchronized void readyBefore(OrderKey key) {
        if (key.compareTo(reached) < 0) {
            reached = key.before();
        }
        for (Reading reading : open) {
            if (reading.first == null || key.compareTo(reading.first) < 0) {
                reading.first = key;
            }
        }
    }

    /** Moves back to the start: tasks became READY at unknown positions. */
    void back() {
        readyBefore(OrderKey.START);
    }
}
