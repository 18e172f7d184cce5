package org.tasktube.store.memory;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;

/** What one transaction has changed and not ended yet. Whoever changes nothing has one too, which sees what all see. */
final class MemoryTransaction {

    final Set<MemoryTask> changed = new LinkedHashSet<>();
    final Set<Integer> dropped = new LinkedHashSet<>();
    private final Map<MemoryTube, Rows> rows = new HashMap<>(4);
    private final Condition end;
    private boolean ended;

    MemoryTransaction(Condition end) {
        this.end = end;
    }

    /** The rows that it made. */
    Rows rows(MemoryTube tube) {
        return rows.getOrDefault(tube, Rows.NONE);
    }

    Rows rowsToChange(MemoryTube tube) {
        return rows.computeIfAbsent(tube, none -> new Rows());
    }

    boolean isEnded() {
        return ended;
    }

    void end() {
        ended = true;
        end.signalAll();
    }

    /** Waits for its end, or so many nanoseconds; returns how many are left. */
    long awaitEnd(long nanos) throws InterruptedException {
        long left = nanos;
        while (!ended && left > 0) {
            left = end.awaitNanos(left);
        }
        return left;
    }
}
