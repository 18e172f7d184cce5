package org.tasktube.store.memory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tasktube.FailureGroup;
import org.tasktube.Fingerprint;
import org.tasktube.Task;
import org.tasktube.TaskMeta;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.store.FailedTasks;
import org.tasktube.store.OrderKey;
import org.tasktube.store.Scan;
import org.tasktube.store.ScanResult;
import org.tasktube.store.ScannedTask;
import org.tasktube.store.StoredTube;
import org.tasktube.store.TaskReads;
import org.tasktube.store.TubeCount;

/** Reads tasks as the caller's transaction sees them. */
record MemoryReads(Memory memory, OpenTransactions transactions, InstantSource clock) implements TaskReads {

    @Override
    public Optional<Task> find(StoredTube tube, long id) {
        return row(tube, id).map(Row::toTask);
    }

    @Override
    public List<Task> tasks(StoredTube tube, Collection<Long> ids) {
        return transactions.read(transaction -> memory.tasks(tube, new LinkedHashSet<>(ids))
                .flatMap(task -> Stream.ofNullable(task.seenBy(transaction)))
                .map(Row::toTask)
                .toList());
    }

    @Override
    public Optional<UUID> holder(StoredTube tube, long id) {
        return row(tube, id).flatMap(row -> Optional.ofNullable(row.taking)).map(taking -> taking.holder()
                .session());
    }

    @Override
    public Optional<TaskMeta> meta(StoredTube tube, long id) {
        return row(tube, id).map(row -> row.toMeta(clock.instant()));
    }

    @Override
    public Optional<TaskResult> result(StoredTube tube, long id) {
        return row(tube, id).flatMap(row -> Optional.ofNullable(row.result));
    }

    private Optional<Row> row(StoredTube tube, long id) {
        return transactions.read(transaction -> memory.tasks(tube, Set.of(id))
                .flatMap(task -> Stream.ofNullable(task.seenBy(transaction)))
                .findFirst());
    }

    @Override
    public Map<Long, TaskState> states(Collection<Long> ids) {
        return transactions.read(transaction -> {
            Map<Long, TaskState> states = new HashMap<>();
            for (long id : ids) {
                memory.task(id)
                        .flatMap(task -> Optional.ofNullable(task.seenBy(transaction)))
                        .ifPresent(row -> states.put(id, row.state));
            }
            return states;
        });
    }

    @Override
    public Optional<Task> first(StoredTube tube, TaskState state) {
        return transactions.read(transaction -> {
            MemoryTube there = memory.tube(tube);
            Optional<Row> first = state == TaskState.READY
                    ? there.claimable(transaction, OrderKey.START, 1).stream().findFirst()
                    : there.first(transaction, state);
            return first.map(Row::toTask);
        });
    }

    @Override
    public List<Task> page(StoredTube tube, TaskState state, long afterId, int limit) {
        return transactions.read(transaction -> memory.tube(tube).page(transaction, state, afterId, limit).stream()
                .map(Row::toTask)
                .toList());
    }

    ScanResult scan(Scan scan, Map<Integer, String> names) {
        return transactions.read(transaction -> {
            List<ScannedTask> tasks = rows(transaction, scan)
                    .map(row -> row.toScanned(clock.instant()))
                    .toList();
            return new ScanResult(
                    tasks.stream()
                            .filter(task -> names.containsKey(task.tube()))
                            .toList(),
                    tasks.size(),
                    tasks.isEmpty()
                            ? OrderKey.START
                            : tasks.get(tasks.size() - 1).place());
        });
    }

    private Stream<Row> rows(MemoryTransaction transaction, Scan scan) {
        if (scan instanceof Scan.Ids wanted) {
            return wanted.ids().stream()
                    .flatMap(id -> memory.task(id).stream())
                    .flatMap(task -> Stream.ofNullable(task.seenBy(transaction)));
        } else if (scan instanceof Scan.Keys wanted) {
            return wanted.keys().stream().flatMap(key -> memory.tube(wanted.tube())
                    .byKey(key)
                    .flatMap(task -> Stream.ofNullable(task.seenBy(transaction)))
                    .filter(row -> key.equals(row.key)));
        } else if (scan instanceof Scan.InOrder wanted) {
            return memory.tube(wanted.tube()).page(transaction, wanted.state(), wanted.after(), wanted.max()).stream();
        }
        return Stream.empty();
    }

    @Override
    public List<TubeCount> counts() {
        return transactions.read(transaction -> {
            List<TubeCount> counts = new ArrayList<>();
            for (MemoryTube tube : memory.tubes()) {
                for (TaskState state : TaskState.values()) {
                    long count = tube.count(transaction, state);
                    if (count > 0) {
                        counts.add(new TubeCount(tube.id(), state, count));
                    }
                }
            }
            return counts;
        });
    }

    List<FailureGroup> failureGroups(int most, Collection<Fingerprint> also) {
        return transactions.read(transaction -> {
            Map<Fingerprint, List<Row>> kinds = memory.tubes().stream()
                    .flatMap(tube -> tube.failed(transaction))
                    .collect(Collectors.groupingBy(row -> row.failure.fingerprint()));
            List<FailureGroup> groups = kinds.entrySet().stream()
                    .map(kind -> group(kind.getKey(), kind.getValue()))
                    .sorted(Comparator.comparingLong(FailureGroup::total)
                            .reversed()
                            .thenComparingLong(group -> group.fingerprint().number()))
                    .toList();
            Set<FailureGroup> wanted = groups.stream().limit(most).collect(Collectors.toCollection(LinkedHashSet::new));
            groups.stream().filter(group -> also.contains(group.fingerprint())).forEach(wanted::add);
            return List.copyOf(wanted);
        });
    }

    private FailureGroup group(Fingerprint kind, List<Row> rows) {
        Instant earliest = rows.stream()
                .map(row -> row.failedAt)
                .min(Comparator.naturalOrder())
                .orElseThrow();
        return FailedTasks.group(
                kind,
                memory.firstFailures().of(kind, earliest),
                rows.stream()
                        .sorted(Comparator.comparingLong(row -> -row.id))
                        .map(row -> new FailedTasks(row.tube.name(), row.state, 1, row.failedAt, row.id, trend(row)))
                        .toList());
    }

    private List<Long> trend(Row row) {
        int hours = (int) Duration.between(row.failedAt, clock.instant()).toHours();
        return FailedTasks.trend(Map.of(hours, 1L));
    }

    Set<Integer> readyTubes(Collection<Integer> tubes) {
        return transactions.read(transaction -> tubes.stream()
                .filter(id -> memory.tube(id)
                        .filter(tube ->
                                !tube.claimable(transaction, OrderKey.START, 1).isEmpty())
                        .isPresent())
                .collect(Collectors.toSet()));
    }

    /** Checks tubes without a capacity as well: the room that all tubes share may be full. */
    Set<Integer> freeTubes(Collection<Integer> tubes) {
        return transactions.read(transaction -> tubes.stream()
                .filter(id -> !memory.isDropped(transaction, id) && memory.hasSlot(transaction, id))
                .collect(Collectors.toSet()));
    }
}
