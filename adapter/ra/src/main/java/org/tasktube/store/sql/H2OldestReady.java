package org.tasktube.store.sql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.tasktube.store.OldestTask;

/** Reads the oldest READY tasks of all tubes in H2, one priority after the other, because H2 has no LATERAL. */
record H2OldestReady(SqlConnection on, Statements sql) {

    private record Tube(int id, String name) {}

    List<OldestTask> read(int priorities) throws SQLException {
        List<OldestTask> oldest = new ArrayList<>();
        List<Tube> tubes =
                on.list(sql.get("names_of_tubes"), row -> new Tube(row.getInt(1), row.getString(2)), Parameters.NONE);
        for (Tube tube : tubes) {
            read(tube, priorities).ifPresent(oldest::add);
        }
        return oldest;
    }

    private Optional<OldestTask> read(Tube tube, int priorities) throws SQLException {
        List<OldestTask> first = new ArrayList<>();
        long from = Integer.MIN_VALUE;
        for (int i = 0; i < priorities; i++) {
            Parameters of = Parameters.of("tube", tube.id, "name", tube.name, "from_pri", from);
            Optional<Integer> pri = on.first(sql.get("next_priority"), row -> row.getInt(1), of);
            if (pri.isEmpty()) {
                break;
            }
            from = pri.get() + 1L;
            first.addAll(on.list(sql.get("first_of_priority"), Rows::oldest, of.and("pri", pri.get())));
            first.addAll(on.list(sql.get("last_urgent_of_priority"), Rows::oldest, of.and("pri", pri.get())));
        }
        return first.stream().min(Comparator.comparing(OldestTask::created).thenComparingLong(OldestTask::id));
    }
}
