package org.tasktube.store.memory;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.tasktube.TaskState;
import org.tasktube.store.Place;
import org.tasktube.store.StoredTube;

/**
 * The tasks of one tube in their orders. What can be taken is kept apart from what is being changed, delayed, or behind in a
 * sub-queue, so that a claim never looks at these.
 */
final class MemoryTube {

    final Room places;
    private final StoredTube stored;
    private final InstantSource clock;
    private final Rows rows = new Rows();
    private final Map<String, SubQueue> subQueues = new HashMap<>();

    /** Two tasks can have a key while the one is being removed by the transaction that puts the other. */
    private final Map<String, List<MemoryTask>> byKey = new HashMap<>();

    MemoryTube(StoredTube stored, InstantSource clock) {
        this.stored = stored;
        this.clock = clock;
        this.places = new Room(stored.definition().capacity().orElse(Integer.MAX_VALUE));
    }

    int id() {
        return stored.id();
    }

    String name() {
        return stored.name();
    }

    // Indexes

    /** Takes a task out of every order, before either version of it is changed. */
    void unindex(MemoryTask task) {
        if (task.committed != null) {
            rows.remove(task.committed);
        }
        if (task.pending != null) {
            task.owner.rowsToChange(this).remove(task.pending);
        }
        for (String key : task.keys()) {
            byKey.computeIfPresent(key, (same, tasks) -> without(tasks, task));
        }
        for (String utube : task.utubes()) {
            SubQueue subQueue = subQueue(utube);
            subQueue.holders.remove(task);
            if (task.isReadyIn(utube)) {
                subQueue.ready.remove(task.committed);
            }
            moveOn(utube, subQueue);
        }
    }

    private SubQueue subQueue(String utube) {
        return subQueues.computeIfAbsent(utube, none -> new SubQueue());
    }

    private static List<MemoryTask> without(List<MemoryTask> tasks, MemoryTask task) {
        tasks.remove(task);
        return tasks.isEmpty() ? null : tasks;
    }

    void index(MemoryTask task) {
        if (task.committed != null) {
            rows.add(task.committed);
            if (task.owner == null && task.committed.state == TaskState.READY && task.committed.utube == null) {
                rows.offer(task.committed);
            }
        }
        if (task.pending != null) {
            Rows own = task.owner.rowsToChange(this);
            own.add(task.pending);
            if (task.pending.state == TaskState.READY && !task.pending.behind) {
                own.offer(task.pending);
            }
        }
        for (String key : task.keys()) {
            byKey.computeIfAbsent(key, none -> new ArrayList<>(1)).add(task);
        }
        for (String utube : task.utubes()) {
            SubQueue subQueue = subQueue(utube);
            if (task.isReadyIn(utube)) {
                subQueue.ready.add(task.committed);
            }
            if (task.holds(utube)) {
                subQueue.holders.add(task);
            }
            moveOn(utube, subQueue);
        }
    }

    /** Offers the one whose turn it is now, and no other. */
    private void moveOn(String utube, SubQueue subQueue) {
        if (subQueue.head != null) {
            rows.withdraw(subQueue.head);
        }
        subQueue.head = subQueue.first(clock.instant()).orElse(null);
        if (subQueue.head != null) {
            rows.offer(subQueue.head);
        }
        if (subQueue.isEmpty()) {
            subQueues.remove(utube);
        }
    }

    // Looks, as a transaction sees them

    /** What the transaction can take, in order. */
    List<Row> claimable(MemoryTransaction transaction, Place after, int max) {
        Instant now = clock.instant();
        rows.stale(now).forEach(utube -> moveOn(utube, subQueues.get(utube)));
        return Stream.concat(
                        rows.claimable(after, now, max).stream(),
                        transaction.rows(this).claimable(after, now, max).stream())
                .sorted(Row.BY_PLACE)
                .limit(max)
                .toList();
    }

    /** What is in a state, in order. */
    Optional<Row> first(MemoryTransaction transaction, TaskState state) {
        return inOrder(transaction, state, 1, row -> row.task.owner != transaction).stream()
                .findFirst();
    }

    /** What is buried and not being changed by another transaction, in order. */
    List<Row> kickable(MemoryTransaction transaction, int max) {
        return inOrder(transaction, TaskState.BURIED, max, row -> row.task.owner == null);
    }

    private List<Row> inOrder(MemoryTransaction transaction, TaskState state, int max, Predicate<Row> committed) {
        return Stream.concat(
                        rows.inOrder(state).filter(committed).limit(max),
                        transaction.rows(this).inOrder(state).limit(max))
                .sorted(state == TaskState.DELAYED ? Row.BY_EVENT : Row.BY_PLACE)
                .limit(max)
                .toList();
    }

    List<Row> page(MemoryTransaction transaction, TaskState state, long afterId, int limit) {
        return Stream.concat(
                        rows.in(state, afterId)
                                .filter(row -> row.task.owner != transaction)
                                .limit(limit),
                        transaction.rows(this).in(state, afterId).limit(limit))
                .sorted(Comparator.comparingLong(row -> row.id))
                .limit(limit)
                .toList();
    }

    /** Whether nothing is committed in it. */
    boolean isEmpty() {
        return rows.all().findAny().isEmpty();
    }

    Stream<MemoryTask> all(MemoryTransaction transaction) {
        return seen(transaction, rows.all(), transaction.rows(this).all());
    }

    Stream<MemoryTask> in(MemoryTransaction transaction, TaskState state) {
        return seen(transaction, rows.in(state), transaction.rows(this).in(state));
    }

    private static Stream<MemoryTask> seen(MemoryTransaction transaction, Stream<Row> committed, Stream<Row> own) {
        return Stream.concat(committed.filter(row -> row.task.owner != transaction), own)
                .map(row -> row.task);
    }

    long count(MemoryTransaction transaction, TaskState state) {
        long hidden = transaction.changed.stream()
                .filter(task -> task.tube == this && task.committed != null && task.committed.state == state)
                .count();
        return rows.count(state) - hidden + transaction.rows(this).count(state);
    }

    Stream<MemoryTask> byKey(String key) {
        return byKey.getOrDefault(key, List.of()).stream();
    }
}
