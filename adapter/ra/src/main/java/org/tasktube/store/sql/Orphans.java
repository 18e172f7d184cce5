package org.tasktube.store.sql;

import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Removes the rows that a put leaves if it commits during the drop of its tube. */
final class Orphans {

    /** The most tasks that one transaction removes. */
    private static final int BATCH = 1_000;

    private final Jdbc jdbc;
    private final Statements sql;

    Orphans(Jdbc jdbc, Statements sql) {
        this.jdbc = jdbc;
        this.sql = sql;
    }

    /** Removes orphans; returns the number of removed tasks. */
    int remove() {
        List<Integer> gone = jdbc.glance("find tasks of dropped tubes", this::goneTubes);
        if (gone.isEmpty()) {
            return 0;
        }
        int removed = 0;
        int batch;
        do {
            batch = jdbc.atomic("remove tasks of dropped tubes", on -> removeTasks(on, gone));
            removed += batch;
        } while (batch == BATCH);
        Parameters tubes = Parameters.of("tubes", gone);
        jdbc.atomic("remove marks and slots of dropped tubes", on -> {
            on.update(sql.get("remove_orphan_marks"), tubes);
            on.update(sql.get("remove_orphan_parked"), tubes);
            return on.update(sql.get("remove_orphan_slots"), tubes);
        });
        return removed;
    }

    /**
     * Returns the ids of dropped tubes that still have rows. Reads the rows first and the tubes afterwards, so that it
     * does not return a tube that was created in between.
     */
    private List<Integer> goneTubes(SqlConnection on) throws SQLException {
        Set<Integer> used = new TreeSet<>(on.list(sql.get("used_tubes"), row -> row.getInt(1), Parameters.NONE));
        on.list(sql.get("tube_ids"), row -> used.remove(row.getInt(1)), Parameters.NONE);
        return List.copyOf(used);
    }

    /** Removes one batch of tasks. A later call removes tasks that another transaction has locked now. */
    private int removeTasks(SqlConnection on, List<Integer> tubes) throws SQLException {
        List<Long> ids =
                on.list(sql.get("lock_orphans"), row -> row.getLong(1), Parameters.of("tubes", tubes, "max", BATCH));
        return ids.isEmpty() ? 0 : on.update(sql.get("remove_orphans"), Parameters.of("ids", ids));
    }
}
