package org.tasktube.store.memory;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.tasktube.TaskState;
import org.tasktube.store.Place;

/** Where the versions of one task are: the one that was committed, and the one that an open transaction has made of it. */
final class Slot {

    /** By the committed version; only for slots that have one. */
    static final Comparator<Slot> BY_PLACE =
            Comparator.<Slot, Place>comparing(slot -> slot.committed.place).thenComparingLong(slot -> slot.id);

    static final Comparator<Slot> BY_EVENT =
            Comparator.<Slot, Instant>comparing(slot -> slot.committed.event).thenComparingLong(slot -> slot.id);

    final long id;
    final MemoryTube tube;

    /** Null before the commit of the put, and after that of the removal. */
    Row committed;

    /** Null if the owner has removed it; means nothing without an owner. */
    Row pending;

    Transaction owner;

    /** The bytes that it may need, whatever the transaction's end is. */
    long reserved;

    Slot(long id, MemoryTube tube) {
        this.id = id;
        this.tube = tube;
    }

    /** As a transaction sees it; null if it does not. */
    Row seenBy(Transaction transaction) {
        return owner == transaction ? pending : committed;
    }

    boolean isLockedFor(Transaction transaction) {
        return owner != null && owner != transaction;
    }

    boolean isIn(TaskState state, Transaction transaction) {
        Row row = seenBy(transaction);
        return row != null && row.state == state;
    }

    /** The sub-queues that it is in, by either version. */
    Set<String> utubes() {
        Set<String> utubes = new LinkedHashSet<>();
        versions().forEach(row -> {
            if (row.utube != null) {
                utubes.add(row.utube);
            }
        });
        return utubes;
    }

    /** The unique keys that it has, by either version. */
    Set<String> keys() {
        Set<String> keys = new LinkedHashSet<>();
        versions().forEach(row -> {
            if (row.key != null) {
                keys.add(row.key);
            }
        });
        return keys;
    }

    private List<Row> versions() {
        List<Row> versions = new ArrayList<>(2);
        if (committed != null) {
            versions.add(committed);
        }
        if (owner != null && pending != null) {
            versions.add(pending);
        }
        return versions;
    }

    /** 1 if it holds up a sub-queue because somebody has taken it, committed or not. */
    int takenIn(String utube) {
        return versions().stream().anyMatch(row -> row.state == TaskState.TAKEN && utube.equals(row.utube)) ? 1 : 0;
    }

    boolean isReadyIn(String utube) {
        return committed != null && committed.state == TaskState.READY && utube.equals(committed.utube);
    }

    /** What it needs at most: the larger of its versions. */
    long needed() {
        long before = committed == null ? 0 : committed.bytes();
        long after = owner == null || pending == null ? 0 : pending.bytes();
        return Math.max(before, after);
    }
}
