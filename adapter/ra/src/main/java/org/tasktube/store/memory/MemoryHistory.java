package org.tasktube.store.memory;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tasktube.TaskFailure;
import org.tasktube.admin.TaskEvent;
import org.tasktube.store.Change;
import org.tasktube.store.Histories;
import org.tasktube.store.InName;
import org.tasktube.store.NewTask;
import org.tasktube.store.StoredTube;
import org.tasktube.store.TaskId;
import org.tasktube.store.TaskLog;
import org.tasktube.store.Transition;

/**
 * The histories of tasks of temporary tubes: the newest moves of all of them. Callers hold the lock of
 * {@link OpenTransactions}.
 */
final class MemoryHistory {

    /** The most committed moves that are kept. Each takes some 300 bytes besides the texts of a failure. */
    static final int MOST_MOVES = 100_000;

    /** The most characters of failures' texts that are kept. */
    static final long MOST_TEXT = 16_000_000;

    private final Deque<MemoryMove> all = new ArrayDeque<>();
    private final Map<TaskId, Deque<MemoryMove>> byTask = new HashMap<>();
    private final Map<TaskId, Deque<MemoryMove>> byParent = new HashMap<>();

    /** The tubes by their numbers, with the defaults of their latest calls. Sweeps have none of their own. */
    private final Map<Integer, StoredTube> tubes = new HashMap<>();

    private long last;
    private long text;

    /** Learns the defaults of a tube. */
    void saw(StoredTube tube) {
        tubes.put(tube.id(), tube);
    }

    // Writing

    void put(MemoryTransaction transaction, NewTask task, Row row) {
        Transition transition = task.transition();
        if (keeps(row, transition, false)) {
            TaskEvent event = event(row.created, transition, Optional.empty(), null, row);
            add(transaction, row, event, task.parent());
        }
    }

    /** Adds the move of a change to those of the transaction. */
    void changed(MemoryTransaction transaction, Change change, Row before, Row after, Instant now) {
        if (keeps(before, change.transition(), change.failure().isPresent())) {
            add(
                    transaction,
                    before,
                    event(now, change.transition(), change.failure(), before, after),
                    Optional.empty());
        }
    }

    private boolean keeps(Row row, Transition transition, boolean hasFailure) {
        return tubes.getOrDefault(row.tube.id(), row.tube).keeps(transition, hasFailure);
    }

    private static TaskEvent event(
            Instant at, Transition transition, Optional<TaskFailure> failure, Row before, Row after) {
        Row latest = after == null ? before : after;
        Optional<Taking> taking = Optional.ofNullable(before)
                .flatMap(row -> Optional.ofNullable(row.taking))
                .or(() -> Optional.ofNullable(latest.taking));
        return Histories.event(
                at,
                transition,
                before == null ? null : before.state,
                latest.attempts,
                null,
                taking.flatMap(held -> held.holder().bean()).orElse(null),
                taking.map(held -> held.holder().session()).orElse(null),
                InName.present().orElse(null),
                after == null ? null : after.event,
                failure.map(MemoryHistory::failure).orElse(null));
    }

    private static TaskEvent.Failure failure(TaskFailure failure) {
        return new TaskEvent.Failure(
                failure.fingerprint().id(),
                failure.type(),
                failure.message(),
                Optional.of(failure.trace()).filter(trace -> !trace.isEmpty()));
    }

    private void add(MemoryTransaction transaction, Row row, TaskEvent event, Optional<TaskId> parent) {
        TaskId task = new TaskId(row.tube.id(), row.id);
        transaction.moves.add(new MemoryMove(task, new TaskLog.Move(++last, event), parent));
    }

    /** Adds the moves of a transaction to the committed ones, except those of dropped tubes. */
    void commit(MemoryTransaction transaction, Set<Integer> dropped) {
        if (!transaction.dropped.isEmpty()) {
            tubes.keySet().removeAll(transaction.dropped);
            removeIf(entry -> transaction.dropped.contains(entry.task().tube()));
        }
        // Each once, also if an Error ends this half-way, and it is called again
        for (MemoryMove entry = transaction.moves.poll(); entry != null; entry = transaction.moves.poll()) {
            if (!dropped.contains(entry.task().tube())) {
                add(entry);
            }
        }
        while (all.size() > MOST_MOVES || text > MOST_TEXT) {
            forget(all.removeFirst());
        }
    }

    private void add(MemoryMove entry) {
        all.addLast(entry);
        text += entry.text();
        byTask.computeIfAbsent(entry.task(), task -> new ArrayDeque<>(4)).addLast(entry);
        entry.parent().ifPresent(parent -> byParent.computeIfAbsent(parent, task -> new ArrayDeque<>(4))
                .addLast(entry));
    }

    /** Removes an entry that is no longer among all of them. */
    private void forget(MemoryMove entry) {
        text -= entry.text();
        remove(byTask, entry.task(), entry);
        entry.parent().ifPresent(parent -> remove(byParent, parent, entry));
    }

    private static void remove(Map<TaskId, Deque<MemoryMove>> index, TaskId key, MemoryMove entry) {
        index.computeIfPresent(key, (task, entries) -> {
            entries.remove(entry);
            return entries.isEmpty() ? null : entries;
        });
    }

    /** Removes the moves that are older than the retention of their tube. */
    void removeOld(Instant now) {
        removeIf(entry -> {
            StoredTube tube = tubes.get(entry.task().tube());
            return tube == null
                    || entry.move()
                            .event()
                            .at()
                            .isBefore(now.minus(tube.definition().historyRetention()));
        });
    }

    /** Removes moves from all of them first, so that none is subtracted twice if an Error ends this half-way. */
    private void removeIf(Predicate<MemoryMove> old) {
        Set<MemoryMove> gone = all.stream().filter(old).collect(Collectors.toCollection(LinkedHashSet::new));
        if (all.removeIf(gone::contains)) {
            gone.forEach(this::forget);
        }
    }

    // Reading

    /** Returns the moves of a task as a transaction sees them. */
    Stream<MemoryMove> of(MemoryTransaction transaction, TaskId task) {
        return Stream.concat(
                byTask.getOrDefault(task, new ArrayDeque<>()).stream(),
                transaction.moves.stream().filter(entry -> entry.task().equals(task)));
    }

    /** Returns the puts by the deliveries of a task. */
    Stream<MemoryMove> putBy(MemoryTransaction transaction, TaskId parent) {
        return Stream.concat(
                byParent.getOrDefault(parent, new ArrayDeque<>()).stream(),
                transaction.moves.stream()
                        .filter(entry -> entry.parent().filter(parent::equals).isPresent()));
    }
}
