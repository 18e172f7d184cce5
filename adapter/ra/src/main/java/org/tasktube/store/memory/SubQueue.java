package org.tasktube.store.memory;

import java.time.Instant;
import java.util.HashSet;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The order of one sub-queue, as committed, and what keeps it from moving on. */
final class SubQueue {

    final NavigableSet<Row> ready = new TreeSet<>(Row.BY_PLACE);

    /** Taken, committed or not; more than one is never. */
    final Set<MemoryTask> holders = new HashSet<>(2);

    /** The row that stands among what can be taken in the tube; null for none. */
    Row head;

    boolean isEmpty() {
        return ready.isEmpty() && holders.isEmpty();
    }

    /** The one whose turn it is; none while a transaction is changing that, which may end either way. */
    Optional<Row> first(Instant now) {
        return holders.isEmpty()
                ? ready.stream().filter(row -> !row.isOver(now)).findFirst().filter(row -> row.task.owner == null)
                : Optional.empty();
    }
}
