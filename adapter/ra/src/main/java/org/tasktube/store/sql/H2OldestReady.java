package org.tasktube.store.sql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.tasktube.store.OldestTask;

/**
 * Reads the oldest READY tasks of all tubes in H2, which has no LATERAL. One statement per round reads the next
 * priority of each tube that has one left. The last statements read the times of the tasks that were found.
 */
record H2OldestReady(Dialect dialect, SqlConnection on, Statements sql) {

    private record Next(int tube, int pri, Optional<Long> first, boolean hasUrgent) {}

    List<OldestTask> read(int priorities) throws SQLException {
        Map<Integer, String> names = new LinkedHashMap<>();
        on.list(sql.get("names_of_tubes"), row -> names.put(row.getInt(1), row.getString(2)), Parameters.NONE);
        List<Long> found = new ArrayList<>();
        Map<Integer, Integer> from = new LinkedHashMap<>();
        names.keySet().forEach(tube -> from.put(tube, 0));
        for (int round = 0; round < priorities && !from.isEmpty(); round++) {
            List<Next> nexts = next(from);
            from.clear();
            for (Next next : nexts) {
                next.first.ifPresent(found::add);
                if (next.hasUrgent) {
                    found.addAll(lastUrgent(next));
                }
                if (next.pri < Integer.MAX_VALUE) {
                    from.put(next.tube, next.pri + 1);
                }
            }
        }
        found.addAll(behindTaken());
        return found.isEmpty() ? List.of() : oldest(names, found);
    }

    /** Returns the tasks whose sub-queues have a TAKEN head. */
    private List<Long> behindTaken() throws SQLException {
        List<Long> found = new ArrayList<>();
        for (int tube : on.list(sql.get("tubes_with_sub_queues"), row -> row.getInt(1), Parameters.NONE)) {
            on
                    .list(
                            sql.get("behind_taken"),
                            row -> row.getObject(1, Long.class),
                            Parameters.of("tube", tube, "most_taken", Reports.MOST_TAKEN))
                    .stream()
                    .filter(Objects::nonNull)
                    .forEach(found::add);
        }
        return found;
    }

    private List<Next> next(Map<Integer, Integer> from) throws SQLException {
        return on.list(
                sql.get("next_priorities"),
                row -> {
                    long first = row.getLong(3);
                    return new Next(
                            row.getInt(1),
                            row.getInt(2),
                            row.wasNull() ? Optional.empty() : Optional.of(first),
                            row.getBoolean(4));
                },
                Parameters.of("tubes", List.copyOf(from.keySet()), "from", List.copyOf(from.values())));
    }

    private List<Long> lastUrgent(Next next) throws SQLException {
        return on.list(
                sql.get("last_urgent_of_priority"),
                row -> row.getLong(1),
                Parameters.of("tube", next.tube, "pri", next.pri));
    }

    private List<OldestTask> oldest(Map<Integer, String> names, Collection<Long> found) throws SQLException {
        Map<Integer, OldestTask> oldest = new HashMap<>();
        Comparator<OldestTask> byAge = Comparator.comparing(OldestTask::created).thenComparingLong(OldestTask::id);
        dialect.listByIds(
                on,
                sql.get("put_times"),
                row -> oldest.merge(
                        row.getInt(1),
                        new OldestTask(
                                names.get(row.getInt(1)), row.getLong(2), Rows.instant(row, 3), Rows.instant(row, 4)),
                        (one, other) -> byAge.compare(one, other) <= 0 ? one : other),
                Parameters.of("ids", found));
        return List.copyOf(oldest.values());
    }
}
