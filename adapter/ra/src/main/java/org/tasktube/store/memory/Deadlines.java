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
import org.tasktube.store.Sweep;

/** Does what is due by itself. */
record Deadlines(Memory memory) {

    /** How many deadlines one sweep handles, so that nobody waits long for the lock. */
    private static final int BATCH = 500;

    /** When everything due is being changed by others, who are about to end it, look again soon, but not at once. */
    private static final Duration LOCKED_RETRY = Duration.ofMillis(100);

    private record Group(int tube, TaskState state) {}

    Sweep sweep(MemoryTransaction transaction, Set<Integer> told) {
        NavigableSet<Row> events = memory.events();
        if (events.isEmpty()) {
            return new Sweep(List.of(), Optional.empty());
        }
        Instant now = memory.clock.instant();
        Instant next = events.first().event;
        if (next.isAfter(now)) {
            return new Sweep(List.of(), Optional.of(Row.until(next, now)));
        }
        Map<Group, List<Row>> groups = new LinkedHashMap<>();
        events.stream()
                .takeWhile(row -> !row.event.isAfter(now))
                .filter(row -> row.task.owner == null)
                .limit(BATCH)
                .forEach(row -> groups.computeIfAbsent(
                                new Group(row.task.tube.id(), row.state), group -> new ArrayList<>())
                        .add(row));
        List<Sweep.Swept> swept = new ArrayList<>();
        groups.forEach((group, rows) -> swept.add(sweep(transaction, group, rows, told)));
        return new Sweep(swept, Optional.of(swept.isEmpty() ? LOCKED_RETRY : Duration.ZERO));
    }

    private Sweep.Swept sweep(MemoryTransaction transaction, Group group, List<Row> rows, Set<Integer> told) {
        boolean comesBack = group.state == TaskState.TAKEN || group.state == TaskState.DELAYED;
        List<Long> ids = rows.stream().map(row -> row.id).toList();
        List<Task> tasks =
                told.contains(group.tube) ? rows.stream().map(Row::toTask).toList() : List.of();
        for (Row row : rows) {
            if (comesBack) {
                memory.change(transaction, row.task, Moves::makeReady);
            } else {
                memory.remove(transaction, row.task);
            }
        }
        return new Sweep.Swept(group.tube, group.state, ids, tasks);
    }
}
