package org.tasktube.store.jpa;

import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.tasktube.store.Place;

/** What {@code tasktube_settle} does in PostgreSQL, for H2, which has no language of its own for it. */
record H2SubQueues(Jdbc.Statement on, int tube) {

    private static final int BATCH = 1_000;

    private record Note(long id, String utube) {}

    private record First(long id, char state, Place place) {}

    void settle() throws SQLException {
        if (notes(Long.MAX_VALUE, 1).isEmpty()) {
            return;
        }
        // One at a time settles, by statements after the lock: only so it sees all that the one before it did
        on.list("SELECT id FROM tasktube_tube WHERE id = ? FOR UPDATE", row -> true, tube);
        // Not further than what was noted by now: what somebody has locked is noted again
        long latest = latest();
        int ready = 0;
        List<Note> notes = notes(latest, BATCH);
        // Notes of busy sub-queues make nothing ready, and must not hide what stands behind them
        while (!notes.isEmpty() && ready < BATCH) {
            ready += settle(notes);
            notes = notes(latest, BATCH);
        }
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
        int ready = 0;
        for (String utube : utubes) {
            ready += settle(utube) ? 1 : 0;
        }
        return ready;
    }

    private boolean settle(String utube) throws SQLException {
        Optional<First> first =
                first(utube, "state = 'r' AND behind = TRUE AND (expires_at IS NULL OR expires_at > tasktube_now())");
        if (first.isEmpty()) {
            return false;
        }
        Optional<First> taken = first(utube, "state = 't'");
        Optional<First> head = taken.isPresent() ? taken : first(utube, "state = 'r' AND behind = FALSE");
        if (head.isPresent()) {
            boolean overtaken = head.get().state == 'r' && first.get().place.compareTo(head.get().place) < 0;
            if (!overtaken || !mark(head.get().id, true)) {
                return false;
            }
        }
        boolean marked = mark(first.get().id, false);
        if (!marked) {
            on.update("INSERT INTO tasktube_note (tube_id, utube) VALUES (?, ?)", tube, utube);
        }
        return marked;
    }

    private Optional<First> first(String utube, String condition) throws SQLException {
        return on.first(
                "SELECT id, state, pri, ord FROM tasktube_task WHERE tube_id = ? AND utube = ? AND " + condition
                        + " ORDER BY tube_id, utube, state, behind, pri, ord FETCH FIRST 1 ROW ONLY",
                row -> new First(row.getLong(1), row.getString(2).charAt(0), new Place(row.getInt(3), row.getLong(4))),
                tube,
                utube);
    }

    /** False if another transaction has it locked. */
    private boolean mark(long id, boolean behind) throws SQLException {
        return on.first(
                                "SELECT id FROM tasktube_task WHERE id = ? AND state = 'r' FOR UPDATE SKIP LOCKED",
                                row -> true,
                                id)
                        .isPresent()
                && on.update("UPDATE tasktube_task SET behind = ? WHERE id = ?", behind, id) == 1;
    }
}
