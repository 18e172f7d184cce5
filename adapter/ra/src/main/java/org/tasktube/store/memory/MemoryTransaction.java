package org.tasktube.store.memory;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;

/**
 * The changes of one transaction that has not ended. A read before the first change has an empty one, which sees the
 * committed versions.
 */
final class MemoryTransaction implements RowLock.Owner {

    final Set<MemoryTask> changed = new LinkedHashSet<>();
    final Set<Integer> dropped = new LinkedHashSet<>();
    final Deque<MemoryMove> moves = new ArrayDeque<>(1);

    /** True if the end is a commit. Read it only if {@link #isDecided}. */
    volatile boolean commits;

    /** True from the begin of the end on. */
    volatile boolean isDecided;

    /** The next one of those that have begun to end; null if there is none. */
    MemoryTransaction next;

    private final Map<Integer, Rows> rows = new HashMap<>(4);
    private final Condition end;
    private boolean ended;

    MemoryTransaction(Condition end) {
        this.end = end;
    }

    /** Returns the versions of a tube's tasks that this transaction has made. */
    Rows rows(int tube) {
        return rows.getOrDefault(tube, Rows.NONE);
    }

    Rows rowsToChange(int tube) {
        return rows.computeIfAbsent(tube, none -> new Rows());
    }

    @Override
    public boolean isEnded() {
        return ended;
    }

    void end() {
        ended = true;
        end.signalAll();
    }

    @Override
    public long awaitEnd(long nanos) throws InterruptedException {
        long left = nanos;
        while (!ended && left > 0) {
            left = end.awaitNanos(left);
        }
        return left;
    }
}
