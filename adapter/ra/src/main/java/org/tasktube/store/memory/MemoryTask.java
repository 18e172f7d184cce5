package org.tasktube.store.memory;

import java.time.Instant;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tasktube.TaskState;
import org.tasktube.store.StoredTube;

/** A task in its two versions: the committed one, which all see, and that of the transaction that is changing it. */
final class MemoryTask {

    final long id;
    final StoredTube tube;
    final RowLock lock = new RowLock();

    /** Null until the commit of its put. */
    Row committed;

    /** Null if the transaction removed it, or there is none. */
    Row pending;

    MemoryTask(long id, StoredTube tube) {
        this.id = id;
        this.tube = tube;
    }

    /** Returns the version that a transaction sees; null if the task does not exist for it. */
    Row seenBy(RowLock.Owner transaction) {
        return lock.isHeldBy(transaction) ? pending : committed;
    }

    /**
     * Returns whether the commit of the transaction that is changing the task gives it that unique key or removes it. A
     * task whose ttl is over can lose the key only after that.
     */
    boolean isUndecided(String key, Instant now) {
        boolean has = hasKey(committed, key);
        return !lock.isFree() && (has != hasKey(pending, key) || (has && !committed.keepsKey(now)));
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

    /**
     * Returns whether the others of a sub-queue must wait for this task: it is taken, or released by a
     * transaction that may take it again.
     */
    boolean holds(String utube) {
        return (holds(committed, utube) && committed.state == TaskState.TAKEN) || holds(pending, utube);
    }

    private static boolean holds(Row row, String utube) {
        return row != null
                && utube.equals(row.utube)
                && (row.state == TaskState.TAKEN || (row.state == TaskState.READY && !row.blocked));
    }

    boolean isReadyIn(String utube) {
        return committed != null && committed.state == TaskState.READY && utube.equals(committed.utube);
    }
}
