package org.tasktube.tube;

import java.time.Duration;
import org.tasktube.store.OrderKey;

/**
 * The position up to which this server's beans have read a tube. In a long tube, taken tasks leave entries in the
 * database's index until a vacuum. A claim from the start would read all of them again, so each claim continues from
 * here.
 *
 * <p>If a task becomes READY before this position on this server, the next claim starts from the beginning. Tasks of
 * other servers are found a little later, because claims start from the beginning at an interval.
 */
final class ScanCursor {

    private static final long FROM_START = Duration.ofMillis(100).toNanos();

    private volatile OrderKey reached = OrderKey.START;
    private long startedAt;

    /** Returns the position from which the next claim reads. */
    synchronized OrderKey next() {
        long now = System.nanoTime();
        if (now - startedAt > FROM_START) {
            startedAt = now;
            reached = OrderKey.START;
        }
        return reached;
    }

    synchronized void reached(OrderKey key) {
        if (reached.compareTo(key) < 0) {
            reached = key;
        }
    }

    /** Reports a task that became READY at a position. Reads without a lock, because every put calls this. */
    void ready(OrderKey key) {
        if (key.compareTo(reached) < 0) {
            back();
        }
    }

    /** Moves back to the start: tasks became READY at unknown positions, or no task was found after this one. */
    synchronized void back() {
        reached = OrderKey.START;
    }
}
