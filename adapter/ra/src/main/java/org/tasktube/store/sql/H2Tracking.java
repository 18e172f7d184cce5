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

/** Follows a change of tasks in H2 by the statements that it needs: for marks, free slots, and moves of histories. */
final class H2Tracking {

    private final Dialect h2;
    private final SqlConnection on;
    private final Set<SubQueue> dirty = new LinkedHashSet<>();
    private final Map<Integer, Long> changed = new HashMap<>();

    private record SubQueue(int tube, String utube) {}

    H2Tracking(Dialect h2, SqlConnection on) {
        this.h2 = h2;
        this.on = on;
    }

    /** Runs a form of a change whose last two columns name the tube and the sub-queue. Leaves marks and free slots. */
    <T> List<T> track(TrackedStatement change, NamedStatement form, SqlConnection.Row<T> row, Parameters parameters)
            throws SQLException {
        List<T> rows = h2.listByIds(
                on,
                form,
                result -> {
                    int last = result.getMetaData().getColumnCount();
                    int tube = result.getInt(last - 1);
                    String utube = result.getString(last);
                    if (utube != null) {
                        dirty.add(new SubQueue(tube, utube));
                    }
                    changed.merge(tube, 1L, Long::sum);
                    return row.read(result);
                },
                parameters);
        for (SubQueue subQueue : dirty) {
            on.update(sql("mark"), Parameters.of("tube", subQueue.tube, "utube", subQueue.utube));
        }
        if (change.removes()) {
            for (Map.Entry<Integer, Long> tube : changed.entrySet()) {
                on.update(sql("free_slots"), Parameters.of("tube", tube.getKey(), "count", tube.getValue()));
            }
        }
        return rows;
    }

    /** Runs the form of a change that has the columns for the history, and adds a move for each changed task. */
    <T> List<T> keep(TrackedStatement change, boolean tracked, SqlConnection.Row<T> row, Parameters parameters)
            throws SQLException {
        List<Parameters> removed = new ArrayList<>();
        List<Long> stayed = new ArrayList<>();
        SqlConnection.Row<T> both = result -> {
            if (change.removes()) {
                removed.add(parameters.and(removed(result)));
            } else {
                stayed.add(result.getLong(result.getMetaData().getColumnCount() - 2));
            }
            return row.read(result);
        };
        List<T> rows = tracked
                ? track(change, change.trackedAndKept(), both, parameters)
                : h2.listByIds(on, change.kept(), both, parameters);
        if (!removed.isEmpty()) {
            on.batch(sql("keep_removed"), removed);
        }
        if (!stayed.isEmpty()) {
            h2.updateByIds(on, sql("keep_tasks"), parameters.and("ids", stayed));
        }
        return rows;
    }

    /** Reads the last ten columns: the five of the put, attempts, state, id, tube and sub-queue. */
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
                "put_event", row.getString(last - 9));
    }

    private NamedStatement sql(String name) {
        return h2.statements().get(name);
    }
}
