package org.tasktube.store.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Follows a change of tasks in H2 by the statements that it needs: for marks, free slots, and moves of histories. */
final class H2Tracking {

    private final Dialect h2;
    private final SqlConnection on;
    private final TrackedStatement change;
    private final Set<SubQueue> dirty = new LinkedHashSet<>();
    private final Map<Integer, Long> changed = new HashMap<>();

    private record SubQueue(int tube, String utube) {}

    /** A changed task, with the row of its move if it was removed. */
    private record Changed(int tube, long id, Parameters removed) {}

    H2Tracking(Dialect h2, SqlConnection on, TrackedStatement change) {
        this.h2 = h2;
        this.on = on;
        this.change = change;
    }

    /** Runs the change of some tasks, and adds their moves. */
    <T> List<T> run(SqlConnection.Row<T> row, Parameters parameters) throws SQLException {
        List<Changed> tasks = new ArrayList<>();
        List<T> rows = h2.listByIds(
                on,
                change.full(),
                result -> {
                    tasks.add(track(result));
                    return row.read(result);
                },
                parameters);
        Set<Integer> tubes = tubesThatKeep(tasks, parameters);
        if (change.removes()) {
            on.batch(
                    sql("keep_removed"),
                    tasks.stream()
                            .filter(task -> tubes.contains(task.tube))
                            .map(task -> parameters.and(task.removed))
                            .toList());
        } else if (!tubes.isEmpty()) {
            h2.updateByIds(
                    on,
                    sql("keep_tasks"),
                    parameters.and("ids", tasks.stream().map(Changed::id).toList()));
        }
        return rows;
    }

    private Changed track(ResultSet result) throws SQLException {
        int last = result.getMetaData().getColumnCount();
        int tube = result.getInt(last - 1);
        String utube = result.getString(last);
        if (utube != null) {
            dirty.add(new SubQueue(tube, utube));
        }
        changed.merge(tube, 1L, Long::sum);
        return new Changed(tube, result.getLong(last - 2), change.removes() ? removed(result) : Parameters.NONE);
    }

    private Set<Integer> tubesThatKeep(List<Changed> tasks, Parameters parameters) throws SQLException {
        Set<Integer> tubes = tasks.stream().map(Changed::tube).collect(Collectors.toSet());
        return tubes.isEmpty() || parameters.get("event") == null
                ? Set.of()
                : Set.copyOf(on.list(sql("tubes_that_keep"), row -> row.getInt(1), parameters.and("tubes", tubes)));
    }

    /** Marks the sub-queues of all that was changed, and frees the slots of what was removed. */
    void end(boolean marks) throws SQLException {
        if (marks) {
            for (SubQueue subQueue : dirty) {
                on.update(sql("mark"), Parameters.of("tube", subQueue.tube, "utube", subQueue.utube));
            }
        }
        if (change.removes()) {
            for (Map.Entry<Integer, Long> tube : changed.entrySet()) {
                on.update(sql("free_slots"), Parameters.of("tube", tube.getKey(), "count", tube.getValue()));
            }
        }
    }

    /** Reads the last eleven columns: the key and the five of the put, attempts, state, id, tube and sub-queue. */
    private static Parameters removed(ResultSet row) throws SQLException {
        int last = row.getMetaData().getColumnCount();
        return Parameters.of(
                "tube", row.getInt(last - 1),
                "task", row.getLong(last - 2),
                "from_state", row.getString(last - 3),
                "attempt", row.getInt(last - 4),
                "put_server", row.getString(last - 5),
                "put_by", row.getString(last - 6),
                "put_until", row.getObject(last - 7, OffsetDateTime.class),
                "put_at", row.getObject(last - 8, OffsetDateTime.class),
                "put_event", row.getString(last - 9),
                "put_key", row.getString(last - 10));
    }

    private NamedStatement sql(String name) {
        return h2.statements().get(name);
    }
}
