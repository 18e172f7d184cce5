package org.tasktube.store.memory;

import java.util.HashSet;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The committed order of one sub-queue, and the tasks that block it. */
final class SubQueue {

    final NavigableSet<Row> ready = new TreeSet<>(Row.BY_ORDER);

    /** The task that the others wait for, by {@link MemoryTask#holds}; never more than one. */
    final Set<MemoryTask> holders = new HashSet<>(2);

    /** The row that is claimable in the tube; null for none. */
    Row head;

    /** Returns the row that the others wait for: the TAKEN one, or the one that is claimable; empty without one. */
    Optional<Row> holder() {
        return holders.stream().flatMap(MemoryTask::versions).findFirst().or(() -> Optional.ofNullable(head));
    }

    boolean isEmpty() {
        return ready.isEmpty() && holders.isEmpty();
    }

    /**
     * Returns the row that is next, also if its ttl is over: the sweep removes it. Returns empty while a transaction is
     * changing that task, as it may commit or roll back.
     */
    Optional<Row> first() {
        return holders.isEmpty() && !ready.isEmpty()
                ? Optional.of(ready.first()).filter(row -> row.lock.isFree())
                : Optional.empty();
    }
}
