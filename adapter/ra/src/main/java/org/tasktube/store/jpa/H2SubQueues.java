package org.tasktube.store.jpa;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.tasktube.store.Place;

/**
 * What {@code tasktube_settle} does in PostgreSQL, for H2, which has no language of its own for it.
 *
 * @param batch how many notes are read at once, and how many tasks that are ready are enough
 */
record H2SubQueues(Jdbc.Statement on, int tube, int batch) {

    /** How many batches one transaction settles at most. */
    private static final int BATCHES = 5;

    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final Duration PAUSE = Duration.ofMillis(5);

    private record Note(long id, String utube) {}

    private record Parked(String utube, long task) {}

    private record First(long id, char state, Place place) {}

    /** Returns whether notes are left that it did not look at. */
    boolean settle() throws SQLException {
        if ((notes(Long.MAX_VALUE, 1).isEmpty() && parked().isEmpty()) || !lock()) {
            return false;
        }
        int ready = settleAll(unpark());
        // Not further than what was noted by now, so that it ends
        long latest = latest();
        for (int i = 0; i < BATCHES; i++) {
            List<Note> notes = notes(latest, batch);
            ready += settle(notes);
            if (notes.size() < batch || ready >= batch) {
                return false;
            }
        }
        return true;
    }

    /**
     * One transaction at a time settles, by statements after the lock: only so it sees all that the one before it did. A drop
     * has this lock, too.
     */
    private boolean lock() throws SQLException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (on.first("SELECT id FROM tasktube_tube WHERE id = ? FOR UPDATE SKIP LOCKED", row -> true, tube)
                .isEmpty()) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
        return true;
    }

    private long latest() throws SQLException {
        return on.first(
                        "SELECT id FROM tasktube_note WHERE tube_id = ? ORDER BY tube_id DESC, id DESC"
                                + " FETCH FIRST 1 ROW ONLY",
                        row -> row.getLong(1),
                        tube)
                .orElse(Long.MIN_VALUE);
    }

    private List<Note> notes(long latest, int max) throws SQLException {
        return on.list(
                "SELECT id, utube FROM tasktube_note WHERE tube_id = ? AND id <= ? ORDER BY tube_id, id"
                        + " FETCH FIRST ? ROWS ONLY",
                row -> new Note(row.getLong(1), row.getString(2)),
                tube,
                latest,
                max);
    }

    /** How many tasks are ready now that were not before. */
    private int settle(List<Note> notes) throws SQLException {
        on.update(
                "DELETE FROM tasktube_note WHERE id = ANY(?)",
                notes.stream().map(Note::id).toList());
        Set<String> utubes = new LinkedHashSet<>();
        notes.forEach(note -> utubes.add(note.utube));
        return settleAll(utubes);
    }

    private int settleAll(Collection<String> utubes) throws SQLException {
        int ready = 0;
        for (String utube : utubes) {
            ready += settle(utube) ? 1 : 0;
        }
        return ready;
    }

    private boolean settle(String utube) throws SQLException {
        Optional<First> first = first(utube);
        if (first.isEmpty()) {
            return false;
        }
        Optional<First> head = head(utube);
        boolean overtaken =
                head.isPresent() && head.get().state == 'r' && first.get().place.compareTo(head.get().place) < 0;
        if (head.isPresent() && !overtaken) {
            return false;
        }
        if (overtaken) {
            if (!lock(head.get(), utube, false)) {
                return park(utube, head.get());
            }
            mark(head.get(), true);
        }
        // An overtaken head must not go before the first task: until that is not locked, the sub-queue gives nothing
        if (!lock(first.get(), utube, true)) {
            return park(utube, first.get());
        }
        mark(first.get(), false);
        return true;
    }

    private Optional<First> first(String utube) throws SQLException {
        return on.first("""
                SELECT id, state, pri, ord FROM tasktube_task WHERE tube_id = ? AND utube = ? AND state = 'r' AND behind = TRUE
                AND (expires_at IS NULL OR expires_at > %s)
                ORDER BY tube_id, utube, state, behind, pri, ord FETCH FIRST 1 ROW ONLY""".formatted(Database.H2.NOW), H2SubQueues::readFirst, tube, utube);
    }

    /** One statement, which sees one state of the head: between two it could be taken or released, and not be seen by either. */
    private Optional<First> head(String utube) throws SQLException {
        return on.first("""
                SELECT id, state, pri, ord FROM tasktube_task
                WHERE tube_id = ? AND utube = ? AND state = 't' AND behind = FALSE
                UNION ALL SELECT id, state, pri, ord FROM tasktube_task
                WHERE tube_id = ? AND utube = ? AND state = 'r' AND behind = FALSE""", H2SubQueues::readFirst, tube, utube, tube, utube);
    }

    private static First readFirst(java.sql.ResultSet row) throws SQLException {
        return new First(row.getLong(1), row.getString(2).charAt(0), new Place(row.getInt(3), row.getLong(4)));
    }

    /** False if another transaction has it locked, or has changed it, for which it has left a note. */
    private boolean lock(First task, String utube, boolean behind) throws SQLException {
        return on.first(
                        "SELECT id FROM tasktube_task WHERE id = ? AND state = 'r' AND behind = ? AND utube = ?"
                                + " FOR UPDATE SKIP LOCKED",
                        row -> true,
                        task.id,
                        behind,
                        utube)
                .isPresent();
    }

    private void mark(First task, boolean behind) throws SQLException {
        on.update("UPDATE tasktube_task SET behind = ? WHERE id = ? AND state = 'r'", behind, task.id);
    }

    // Sub-queues that wait until another transaction has ended

    private boolean park(String utube, First locked) throws SQLException {
        on.update(
                "MERGE INTO tasktube_parked (tube_id, utube, task_id) KEY (tube_id, utube) VALUES (?, ?, ?)",
                tube,
                utube,
                locked.id);
        return false;
    }

    private List<Parked> parked() throws SQLException {
        return on.list(
                "SELECT utube, task_id FROM tasktube_parked WHERE tube_id = ? ORDER BY utube",
                row -> new Parked(row.getString(1), row.getLong(2)),
                tube);
    }

    private List<String> unpark() throws SQLException {
        List<Parked> parked = parked();
        if (parked.isEmpty()) {
            return List.of();
        }
        Set<Long> free = free(on, parked.stream().map(Parked::task).toList());
        List<String> utubes = parked.stream()
                .filter(one -> free.contains(one.task))
                .map(Parked::utube)
                .toList();
        for (String utube : utubes) {
            on.update("DELETE FROM tasktube_parked WHERE tube_id = ? AND utube = ?", tube, utube);
        }
        return utubes;
    }

    /** Which of these tasks no other transaction has locked, or are gone. */
    static Set<Long> free(Jdbc.Statement on, Collection<Long> tasks) throws SQLException {
        Set<Long> free = new HashSet<>(tasks);
        free.removeAll(on.list("SELECT id FROM tasktube_task WHERE id = ANY(?)", row -> row.getLong(1), tasks));
        free.addAll(on.list(
                "SELECT id FROM tasktube_task WHERE id = ANY(?) FOR UPDATE SKIP LOCKED", row -> row.getLong(1), tasks));
        return free;
    }
}
