package org.tasktube.store.sql;

import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Removes what a put that committed during the drop of its tube has left. */
final class Orphans {

    /** How many tasks are removed in one transaction. */
    private static final int BATCH = 1_000;

    private final Jdbc jdbc;
    private final Statements sql;

    Orphans(Jdbc jdbc, Statements sql) {
        this.jdbc = jdbc;
        this.sql = sql;
    }

    /** Returns how many tasks were removed. */
    int remove() {
        List<Integer> gone = jdbc.single("look for tasks of tubes that are gone", this::goneTubes);
        if (gone.isEmpty()) {
            return 0;
        }
        int removed = 0;
        int batch;
        do {
            batch = jdbc.atomic("remove tasks of tubes that are gone", on -> removeTasks(on, gone));
            removed += batch;
        } while (batch == BATCH);
        Parameters tubes = Parameters.of("tubes", gone);
        jdbc.atomic("remove what is left of tubes that are gone", on -> {
            on.update(sql.get("remove_orphan_marks"), tubes);
            on.update(sql.get("remove_orphan_parked"), tubes);
            return on.update(sql.get("remove_orphan_slots"), tubes);
        });
        return removed;
    }

    /** The tubes are read after what is of them: a tube that was made in between is among them. */
    private List<Integer> goneTubes(SqlConnection on) throws SQLException {
        Set<Integer> used = new TreeSet<>(on.list(sql.get("used_tubes"), row -> row.getInt(1), Parameters.NONE));
        on.list(sql.get("tube_ids"), row -> used.remove(row.getInt(1)), Parameters.NONE);
        return List.copyOf(used);
    }

    /** What another transaction has locked is removed another time. */
    private int removeTasks(SqlConnection on, List<Integer> tubes) throws SQLException {
        List<Long> ids =
                on.list(sql.get("lock_orphans"), row -> row.getLong(1), Parameters.of("tubes", tubes, "max", BATCH));
        return ids.isEmpty() ? 0 : on.update(sql.get("remove_orphans"), Parameters.of("ids", ids));
    }
}
