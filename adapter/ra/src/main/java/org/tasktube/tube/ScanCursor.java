package org.tasktube.tube;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
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

    private final LongSupplier clock;
    private final Set<Reading> open = new HashSet<>();

    /** The first tasks that open transactions make READY. */
    private final Map<Object, OrderKey> coming = new HashMap<>();

    /** Those of them whose commit has begun. */
    private final Map<Object, OrderKey> committing = new HashMap<>();

    private volatile OrderKey reached = OrderKey.START;
    private volatile boolean isRead;
    private long startedAt;
    private long lookedAt;

    /** @param clock the monotonic clock, in nanoseconds */
    ScanCursor(LongSupplier clock) {
        this.clock = clock;
    }

    /** A claim from its begin to the answer of its statement, or a watch. */
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

        /** Returns whether a task at a position before this one became READY since the begin, or is about to. */
        boolean isPassed(OrderKey key) {
            return isBefore(this, key);
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

    /** Learns of a task that a transaction makes READY. Returns whether it is the first one that it learns of. */
    synchronized boolean comes(Object transaction, OrderKey key) {
        boolean isNew = !coming.containsKey(transaction);
        coming.merge(transaction, key, ScanCursor::first);
        if (committing.containsKey(transaction)) {
            commits(transaction);
        }
        return isNew;
    }

    /** Follows the begin of its commit. A claim that is under way may see the last of its tasks, and not the first. */
    synchronized void commits(Object transaction) {
        OrderKey key = coming.get(transaction);
        if (key != null) {
            committing.put(transaction, key);
            passBy(key);
        }
    }

    /** Follows its end. */
    synchronized void ended(Object transaction) {
        OrderKey key = coming.remove(transaction);
        committing.remove(transaction);
        if (key != null) {
            readyBefore(key);
        }
    }

    private static OrderKey first(OrderKey one, OrderKey other) {
        return one == null || other.compareTo(one) < 0 ? other : one;
    }

    /** Returns the position from which a put for a bean looks for tasks before it: at the same interval the start. */
    synchronized OrderKey position() {
        long now = clock.getAsLong();
        if (now - lookedAt > FROM_START) {
            lookedAt = now;
            return OrderKey.START;
        }
        return from();
    }

    private OrderKey from() {
        OrderKey from = reached;
        for (OrderKey first : committing.values()) {
            from = first.compareTo(from) <= 0 ? first.before() : from;
        }
        return from;
    }

    /** Begins a claim. */
    synchronized Reading begin() {
        long now = clock.getAsLong();
        if (now - startedAt > FROM_START) {
            startedAt = now;
            reached = OrderKey.START;
        }
        Reading reading = new Reading(from());
        open.add(reading);
        isRead = true;
        return reading;
    }

    /** Begins to watch for tasks that become READY. Those of a commit that has begun may be READY soon. */
    synchronized Reading watch() {
        Reading reading = new Reading(OrderKey.START);
        committing.values().forEach(key -> reading.first = first(reading.first, key));
        open.add(reading);
        isRead = true;
        return reading;
    }

    private boolean isBehind(Reading reading) {
        return isBefore(reading, reading.after);
    }

    private synchronized boolean isBefore(Reading reading, OrderKey key) {
        return reading.first != null && reading.first.compareTo(key) < 0;
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
        passBy(key);
    }

    private void passBy(OrderKey key) {
        open.forEach(reading -> reading.first = first(reading.first, key));
    }

    /** Moves back to the start: tasks became READY at unknown positions. */
    void back() {
        readyBefore(OrderKey.START);
    }
}
