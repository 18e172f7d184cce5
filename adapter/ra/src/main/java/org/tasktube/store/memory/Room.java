package org.tasktube.store.memory;

import java.util.HashMap;
import java.util.Map;

/**
 * Room for so much. What an open transaction adds counts at once, and what it removes counts until its commit; but it may
 * itself use what it removed, so that a task can be acked and another put in its place.
 */
final class Room {

    private final long max;
    private final Map<MemoryTransaction, Long> changes = new HashMap<>();
    private long used;
    private long reserved;

    Room(long max) {
        this.max = max;
    }

    /** Whether there is room whichever way the open transactions end. */
    boolean has(MemoryTransaction transaction, long more) {
        long change = change(transaction);
        return more <= 0 || used + reserved - positive(change) + positive(change + more) <= max;
    }

    void add(MemoryTransaction transaction, long more) {
        long change = change(transaction);
        reserved += positive(change + more) - positive(change);
        if (change + more == 0) {
            changes.remove(transaction);
        } else {
            changes.put(transaction, change + more);
        }
    }

    void end(MemoryTransaction transaction, boolean committed) {
        long change = change(transaction);
        changes.remove(transaction);
        reserved -= positive(change);
        used += committed ? change : 0;
    }

    private long change(MemoryTransaction transaction) {
        return changes.getOrDefault(transaction, 0L);
    }

    private static long positive(long number) {
        return Math.max(0, number);
    }
}
