package org.tasktube.store.memory;

import java.util.HashMap;
import java.util.Map;

/**
 * A limited room. An open transaction's additions count at once, its removals from its commit on. The transaction
 * itself may use the room that it has freed, so that it can ack a task and put another one instead.
 */
final class Room {

    private final long max;
    private final Map<MemoryTransaction, Long> changes = new HashMap<>();
    private long used;
    private long reserved;

    Room(long max) {
        this.max = max;
    }

    /** Returns whether there is room for more, by any outcome of the open transactions. */
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
