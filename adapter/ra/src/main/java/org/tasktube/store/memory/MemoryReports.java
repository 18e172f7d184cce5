package org.tasktube.store.memory;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskState;
import org.tasktube.store.OldestTask;
import org.tasktube.store.Reports;
import org.tasktube.store.Situation;
import org.tasktube.store.StoredTube;
import org.tasktube.store.TubeCount;
import org.tasktube.store.WholeTask;

/** Reads the situation of tasks as the caller's transaction sees them. */
record MemoryReports(Memory memory, OpenTransactions transactions, InstantSource clock) implements Reports {

    @Override
    public Optional<Situation> situation(StoredTube tube, long id, int most) {
        return transactions.read(transaction -> memory.tasks(tube, Set.of(id))
                .filter(task -> task.seenBy(transaction) != null)
                .findFirst()
                .map(task -> situation(transaction, memory.tube(tube), task, most)));
    }

    @Override
    public List<StoredTube> tubes() {
        return List.of();
    }

    @Override
    public Map<Integer, String> servers() {
        return Map.of();
    }

    @Override
    public Optional<WholeTask> whole(StoredTube tube, long id) {
        return transactions.read(transaction -> memory.tasks(tube, Set.of(id))
                .flatMap(task -> Stream.ofNullable(task.seenBy(transaction)))
                .findFirst()
                .map(row -> new WholeTask(
                        found(row, clock.instant()),
                        row.toTask(),
                        Optional.ofNullable(row.result),
                        Optional.ofNullable(row.failedAt))));
    }

    @Override
    public List<Task> tasks(StoredTube tube, Collection<Long> ids) {
        return transactions.read(transaction -> memory.tasks(tube, new LinkedHashSet<>(ids))
                .flatMap(task -> Stream.ofNullable(task.seenBy(transaction)))
                .map(Row::toTask)
                .toList());
    }

    /** The tasks in memory belong to no operation, so nobody counts them so. */
    @Override
    public List<TubeCount> counts(Collection<StoredTube> tubes, TaskState state, int most) {
        return List.of();
    }

    /** A search reads those of tasks in memory by their tubes. */
    @Override
    public Map<Long, TaskData> beginnings(Collection<Long> ids, int bytes) {
        return Map.of();
    }

    @Override
    public long lastId() {
        return 0;
    }

    private Situation situation(MemoryTransaction transaction, MemoryTube tube, MemoryTask task, int most) {
        Instant now = clock.instant();
        Row row = task.seenBy(transaction);
        boolean isReady = row.state == TaskState.READY;
        Optional<SubQueue> blocking = isReady ? tube.blocking(transaction, row) : Optional.empty();
        return new Situation(
                new Situation.Found(row.toScanned(now), Optional.empty(), task.lock.isHeldByAnother(transaction)),
                blocking.isPresent(),
                row.isOver(now),
                Optional.empty(),
                Optional.empty(),
                isReady ? before(transaction, tube, blocking, row, most) : List.of(),
                blocking.flatMap(SubQueue::holder).map(head -> found(head, now)),
                tube.in(transaction, TaskState.TAKEN)
                        .limit(most)
                        .map(taken -> taken.taking.holder().node())
                        .collect(Collectors.toSet()));
    }

    private static Situation.Found found(Row row, Instant now) {
        return new Situation.Found(row.toScanned(now), Optional.empty(), false);
    }

    private List<Long> before(
            MemoryTransaction transaction, MemoryTube tube, Optional<SubQueue> blocking, Row row, int most) {
        Instant now = clock.instant();
        Stream<Row> before = blocking.isPresent()
                ? blocking.get().ready.headSet(row, false).stream().filter(each -> !each.isOver(now))
                : tube.claimableBefore(transaction, row, now);
        return before.limit(most).map(each -> each.id).toList();
    }

    @Override
    public List<OldestTask> oldestReady(int priorities) {
        return transactions.read(transaction -> {
            Instant now = clock.instant();
            return memory.tubes().stream()
                    .flatMap(tube -> tube.oldest(transaction, now, priorities).stream())
                    .map(row -> new OldestTask(row.tube.name(), row.id, row.created, now))
                    .toList();
        });
    }
}
