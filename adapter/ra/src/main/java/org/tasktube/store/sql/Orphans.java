package org.tasktube.store.sql;

import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;

/**
 * Mends what operations leave half done. A put that commits during the drop of its tube leaves rows. A transaction whose
 * time ends during an operation of several statements may roll back between two of them, and the one that runs just then
 * commits by itself: a tube has a free slot too few or too many, or a sub-queue of H2 no mark.
 */
final class Orphans {

    /** The most tasks that one transaction removes. */
    private static final int BATCH = 1_000;

    /** So many looks must find the same number of free slots that is wrong. */
    private static final int LOOKS = 4;

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);

    private final Jdbc jdbc;
    private final Dialect dialect;
    private final Statements sql;
    private final boolean temporary;

    private record Lacking(int tube, int slots) {}

    Orphans(Jdbc jdbc, Dialect dialect, boolean temporary) {
        this.temporary = temporary;
        this.jdbc = jdbc;
        this.dialect = dialect;
        this.sql = dialect.statements();
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

    /** Gives each tube as many free slots as its capacity leaves beside its tasks, and each sub-queue its mark. */
    void complete() {
        Set<Lacking> lacking = jdbc.glance("look at the free slots", this::lacking);
        // H2 reads the tasks and the slots of a statement one after the other, while others put and ack
        for (int look = 1; look < LOOKS && !lacking.isEmpty(); look++) {
            LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
            lacking.retainAll(jdbc.glance("look at the free slots", this::lacking));
        }
        if (!lacking.isEmpty()) {
            jdbc.atomic("correct the free slots", on -> correctSlots(on, lacking));
        }
        if (!dialect.tracksInOneStatement()) {
            jdbc.single("mark sub-queues", on -> on.update(sql.get("mark_headless"), Parameters.NONE));
        }
    }

    private Set<Lacking> lacking(SqlConnection on) throws SQLException {
        return new HashSet<>(on.list(
                sql.get("lacking_slots"),
                row -> new Lacking(row.getInt(1), row.getInt(2)),
                Parameters.of("temporary", temporary)));
    }

    /** Leaves it to another server that is at it: a frozen one must not block the others. */
    private int correctSlots(SqlConnection on, Set<Lacking> found) throws SQLException {
        if (!on.any(sql.get("try_lock_slots"), Parameters.NONE)) {
            return 0;
        }
        found.retainAll(lacking(on));
        for (Lacking tube : found) {
            on.update(sql.get("add_slots"), Parameters.of("tube", tube.tube, "count", Math.max(0L, tube.slots)));
            dialect.takeSlots(on, tube.tube, Math.max(0, -tube.slots));
        }
        return found.size();
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
