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
import org.tasktube.store.ClaimRange;
import org.tasktube.store.OrderKey;
import org.tasktube.store.Reports;
import org.tasktube.store.StoredTube;

/**
 * The tasks of one tube in their orders. Claimable tasks have an index of their own. So a claim never reads a task that
 * is being changed, delayed, or blocked in a sub-queue.
 */
final class MemoryTube {

    final Room slots;
    private final StoredTube stored;
    private final InstantSource clock;
    private final Rows rows = new Rows();
    private final Map<String, SubQueue> subQueues = new HashMap<>();

    /** Two tasks can have a key while the one is being removed by the transaction that puts the other. */
    private final Map<String, List<MemoryTask>> byKey = new HashMap<>();

    MemoryTube(StoredTube stored, InstantSource clock) {
        this.stored = stored;
        this.clock = clock;
        this.slots = new Room(stored.definition().capacity().orElse(Integer.MAX_VALUE));
    }

    int id() {
        return stored.id();
    }

    // Indexes

    /**
     * Removes a task from every order, before either version of it is changed.
     *
     * @param transaction the one that is changing the task
     */
    void unindex(MemoryTransaction transaction, MemoryTask task) {
        if (task.committed != null) {
            rows.remove(task.committed);
        }
        if (task.pending != null) {
            transaction.rowsToChange(id()).remove(task.pending);
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
            promoteHead(utube, subQueue);
        }
    }

    private SubQueue subQueue(String utube) {
        return subQueues.computeIfAbsent(utube, none -> new SubQueue());
    }

    private static List<MemoryTask> without(List<MemoryTask> tasks, MemoryTask task) {
        tasks.remove(task);
        return tasks.isEmpty() ? null : tasks;
    }

    /**
     * Adds a task to every order, after its versions were changed.
     *
     * @param transaction the one that is changing the task, or was until now
     */
    void index(MemoryTransaction transaction, MemoryTask task) {
        if (task.committed != null) {
            rows.add(task.committed);
            if (task.lock.isFree() && task.committed.state == TaskState.READY && task.committed.utube == null) {
                rows.offer(task.committed);
            }
        }
        if (task.pending != null) {
            Rows own = transaction.rowsToChange(id());
            own.add(task.pending);
            if (task.pending.state == TaskState.READY && !task.pending.blocked) {
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
            promoteHead(utube, subQueue);
        }
    }

    /** Makes the row claimable that is next in a sub-queue, and no other of it. */
    private void promoteHead(String utube, SubQueue subQueue) {
        if (subQueue.head != null) {
            rows.withdraw(subQueue.head);
        }
        subQueue.head = subQueue.first().orElse(null);
        if (subQueue.head != null) {
            rows.offer(subQueue.head);
        }
        if (subQueue.isEmpty()) {
            subQueues.remove(utube);
        }
    }

    // Reads, as a transaction sees the tasks

    /** Returns the rows of a range that the transaction can claim, in order. */
    List<Row> claimable(MemoryTransaction transaction, ClaimRange range) {
        List<Row> within = new ArrayList<>();
        long bytes = 0;
        for (Row row : claimable(transaction, range.after(), range.max())) {
            if (bytes >= range.maxBytes()) {
                break;
            }
            within.add(row);
            bytes += row.payload();
        }
        return within;
    }

    /** Returns the rows that the transaction can claim, in order. */
    List<Row> claimable(MemoryTransaction transaction, OrderKey after, int max) {
        Instant now = clock.instant();
        return Stream.concat(
                        rows.claimable(after, now, max).stream(),
                        transaction.rows(id()).claimable(after, now, max).stream())
                .sorted(Row.BY_ORDER)
                .limit(max)
                .toList();
    }

    /** Returns the sub-queue in which a READY row is blocked; empty if the row is not blocked. */
    Optional<SubQueue> blocking(MemoryTransaction transaction, Row row) {
        boolean isClaimable = row.utube == null
                || rows.isClaimable(row)
                || transaction.rows(id()).isClaimable(row);
        return isClaimable ? Optional.empty() : Optional.ofNullable(subQueues.get(row.utube));
    }

    /** Returns the rows that a claim of the transaction prefers to a claimable one, in order. */
    Stream<Row> claimableBefore(MemoryTransaction transaction, Row row, Instant now) {
        return Stream.concat(
                        rows.claimableBefore(row, now), transaction.rows(id()).claimableBefore(row, now))
                .sorted(Row.BY_ORDER);
    }

    /**
     * Returns the row with the earliest put among the first claimable ones of each priority, and the ones that wait for
     * the TAKEN tasks of their sub-queues.
     */
    Optional<Row> oldest(MemoryTransaction transaction, Instant now, int priorities) {
        Stream<Row> behindTaken = subQueues.values().stream()
                .filter(subQueue -> subQueue.head == null)
                .limit(Reports.MOST_TAKEN)
                .flatMap(subQueue ->
                        subQueue.ready.stream().filter(row -> !row.isOver(now)).limit(1));
        return Stream.of(
                        rows.firstOfPriorities(now, priorities),
                        transaction.rows(id()).firstOfPriorities(now, priorities),
                        behindTaken)
                .flatMap(stream -> stream)
                .min(Comparator.<Row, Instant>comparing(row -> row.created).thenComparingLong(row -> row.id));
    }

    /** Returns the first row of a state, in order. */
    Optional<Row> first(MemoryTransaction transaction, TaskState state) {
        return inOrder(transaction, state, 1, row -> !row.lock.isHeldBy(transaction)).stream()
                .findFirst();
    }

    /** Returns the buried rows that no other transaction is changing, in order. */
    List<Row> kickable(MemoryTransaction transaction, int max) {
        return inOrder(transaction, TaskState.BURIED, max, row -> row.lock.isFree());
    }

    private List<Row> inOrder(MemoryTransaction transaction, TaskState state, int max, Predicate<Row> committed) {
        return Stream.concat(
                        rows.inOrder(state).filter(committed).limit(max),
                        transaction.rows(id()).inOrder(state).limit(max))
                .sorted(state == TaskState.DELAYED ? Row.BY_EVENT : Row.BY_ORDER)
                .limit(max)
                .toList();
    }

    List<Row> page(MemoryTransaction transaction, TaskState state, long afterId, int limit) {
        return Stream.concat(
                        rows.in(state, afterId)
                                .filter(row -> !row.lock.isHeldBy(transaction))
                                .limit(limit),
                        transaction.rows(id()).in(state, afterId).limit(limit))
                .sorted(Comparator.comparingLong(row -> row.id))
                .limit(limit)
                .toList();
    }

    /** Returns the rows of a state after a position, in order. */
    List<Row> page(MemoryTransaction transaction, TaskState state, OrderKey after, int limit) {
        return Stream.concat(
                        rows.inOrder(state, after)
                                .filter(row -> !row.lock.isHeldBy(transaction))
                                .limit(limit),
                        transaction.rows(id()).inOrder(state, after).limit(limit))
                .sorted(Row.BY_ORDER)
                .limit(limit)
                .toList();
    }

    /** Returns whether no task of the tube is committed. */
    Stream<Row> all(MemoryTransaction transaction) {
        return seen(transaction, rows.all(), transaction.rows(id()).all());
    }

    Stream<Row> failed(MemoryTransaction transaction) {
        return seen(transaction, rows.failed(), transaction.rows(id()).failed());
    }

    Stream<Row> in(MemoryTransaction transaction, TaskState state) {
        return seen(transaction, rows.in(state), transaction.rows(id()).in(state));
    }

    private static Stream<Row> seen(MemoryTransaction transaction, Stream<Row> committed, Stream<Row> own) {
        return Stream.concat(committed.filter(row -> !row.lock.isHeldBy(transaction)), own);
    }

    long count(MemoryTransaction transaction, TaskState state) {
        long hidden = transaction.changed.stream()
                .filter(task -> task.tube.id() == id() && task.committed != null && task.committed.state == state)
                .count();
        return rows.count(state) - hidden + transaction.rows(id()).count(state);
    }

    Stream<MemoryTask> byKey(String key) {
        return byKey.getOrDefault(key, List.of()).stream();
    }
}
