package org.tasktube.store.memory;

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tasktube.TaskState;

/** A task in its two versions: the one that all see, and the one of the transaction that is changing it. */
final class MemoryTask {

    final long id;
    final MemoryTube tube;

    /** Null until the commit of its put. */
    Row committed;

    /** Null if the transaction removed it, or there is none. */
    Row pending;

    /** Who is changing it; null for nobody. */
    MemoryTransaction owner;

    MemoryTask(long id, MemoryTube tube) {
        this.id = id;
        this.tube = tube;
    }

    /** What it is to a transaction; null for nothing. */
    Row seenBy(MemoryTransaction transaction) {
        return owner == transaction ? pending : committed;
    }

    boolean isChangedByAnother(MemoryTransaction transaction) {
        return owner != null && owner != transaction;
    }

    /** Whether it can come to have that unique key, or to lose it, by the end of the transaction that is changing it. */
    boolean isUndecided(String key) {
        return owner != null && hasKey(committed, key) != hasKey(pending, key);
    }

    static boolean hasKey(Row row, String key) {
        return row != null && key.equals(row.key);
    }

    Stream<Row> versions() {
        return Stream.of(committed, pending).flatMap(Stream::ofNullable);
    }

    Set<String> utubes() {
        return versions().flatMap(row -> Stream.ofNullable(row.utube)).collect(Collectors.toSet());
    }

    Set<String> keys() {
        return versions().flatMap(row -> Stream.ofNullable(row.key)).collect(Collectors.toSet());
    }

    /** Whether others of a sub-queue must wait for it: it is taken, or given back by a transaction that may take it again. */
    boolean holds(String utube) {
        return (holds(committed, utube) && committed.state == TaskState.TAKEN) || holds(pending, utube);
    }

    private static boolean holds(Row row, String utube) {
        return row != null
                && utube.equals(row.utube)
                && (row.state == TaskState.TAKEN || (row.state == TaskState.READY && !row.behind));
    }

    boolean isReadyIn(String utube) {
        return committed != null && committed.state == TaskState.READY && utube.equals(committed.utube);
    }
}
