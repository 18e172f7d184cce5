package org.tasktube.store.memory;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.store.Change;
import org.tasktube.store.Sweep;
import org.tasktube.store.Transition;
import org.tasktube.store.Transitioned;

/** Applies the transitions that are due. */
record MemoryDeadlines(Memory memory) {

    /** How many deadlines one sweep handles, so that no call waits long for the lock. */
    private static final int BATCH = 500;

    /** The time until the next sweep if transactions that are about to end are changing all tasks that are due. */
    private static final Duration LOCKED_RETRY = Duration.ofMillis(100);

    private record Group(int tube, TaskState state) {}

    Sweep sweep(MemoryTransaction transaction, Set<Integer> observed) {
        NavigableSet<Row> events = memory.events();
        if (events.isEmpty()) {
            return Sweep.none(Optional.empty());
        }
        Instant now = memory.clock.instant();
        Instant next = events.first().event;
        if (next.isAfter(now)) {
            return Sweep.none(Optional.of(Row.until(next, now)));
        }
        Map<Group, List<Row>> groups = new LinkedHashMap<>();
        events.stream()
                .takeWhile(row -> !row.event.isAfter(now))
                .filter(row -> row.lock.isFree())
                .limit(BATCH)
                .forEach(row -> groups.computeIfAbsent(new Group(row.tube.id(), row.state), group -> new ArrayList<>())
                        .add(row));
        List<Duration> lags = groups.values().stream()
                .flatMap(List::stream)
                .map(row -> Duration.between(row.event, now))
                .toList();
        List<Sweep.Swept> swept = new ArrayList<>();
        groups.forEach((group, rows) -> swept.add(sweep(transaction, group, rows, observed)));
        return new Sweep(swept, Optional.of(swept.isEmpty() ? LOCKED_RETRY : Duration.ZERO), lags);
    }

    private Sweep.Swept sweep(MemoryTransaction transaction, Group group, List<Row> rows, Set<Integer> observed) {
        Transition transition = Transition.atDeadline(group.state);
        Change change = Change.of(transition);
        List<Long> ids = rows.stream().map(row -> row.id).toList();
        List<Task> tasks =
                observed.contains(group.tube) ? rows.stream().map(Row::toTask).toList() : List.of();
        for (Row row : rows) {
            if (transition.to().isEmpty()) {
                memory.remove(transaction, memory.taskOf(row), change);
            } else {
                memory.change(transaction, memory.taskOf(row), change, RowEdit.of(change, memory::newId));
            }
        }
        return new Sweep.Swept(
                group.tube, new Transitioned(transition, group.state, ids.size(), ids, tasks, Optional.empty()));
    }
}
