package org.tasktube.store.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.tasktube.StoreException;
import org.tasktube.TaskProgress;

/** Keeps how far holders are with their tasks, and which of them were asked to end theirs. */
public final class Progress {

    /** The class of the SQL states of refused values. */
    private static final String DATA_EXCEPTION = "22";

    private static final Pattern NOT_ASCII = Pattern.compile("[^\\x00-\\x7F]");

    private final Jdbc jdbc;
    private final Tables tables;
    private final Statements sql;

    Progress(Jdbc jdbc, Tables tables) {
        this.jdbc = jdbc;
        this.tables = tables;
        this.sql = tables.durable().statements();
    }

    /** Asks the holder of a task, in the caller's transaction. Asks once: a second call changes nothing. */
    public void ask(long id, String by, String reason) {
        Parameters all = Parameters.of("id", id, "by", by, "reason", reason);
        jdbc.atomic("cancel a task", on -> {
            on.update(sql.get("forget_cancel"), all);
            return tables.durable().insertIfMissing(on, sql.get("ask_holder"), all);
        });
    }

    /** Returns the tasks whose holders were asked to end them. */
    public Set<Long> cancelled() {
        return new HashSet<>(jdbc.glance(
                "look for cancelled tasks",
                on -> on.list(sql.get("cancelled"), row -> row.getLong(1), Parameters.NONE)));
    }

    /**
     * Ends the ttl of those of these tasks that nobody holds any more, and no other transaction has locked. The next
     * sweep removes them.
     */
    public void expire(Collection<Long> cancelled) {
        if (cancelled.isEmpty()) {
            return;
        }
        jdbc.atomic("remove cancelled tasks", on -> {
            for (Dialect table : List.of(tables.durable(), tables.temporary())) {
                List<Long> locked = table.listByIds(
                        on.within(Scans.SECONDS),
                        table.statements().get("lock_cancelled"),
                        row -> row.getLong(1),
                        Parameters.of("ids", cancelled));
                table.updateByIds(on, table.statements().get("expire_cancelled"), Parameters.of("ids", locked));
            }
            return true;
        });
    }

    /**
     * Writes what holders say about their tasks, in ascending order of their ids, so that no two writes deadlock. If the
     * database cannot store a note, its encoding is a smaller one, and all notes are written in ASCII.
     */
    public void write(SortedMap<Long, TaskProgress> said) {
        try {
            write(said, note -> note);
        } catch (StoreException e) {
            if (!String.valueOf(SqlStates.of(e)).startsWith(DATA_EXCEPTION)) {
                throw e;
            }
            write(said, note -> NOT_ASCII.matcher(note).replaceAll("?"));
        }
    }

    private void write(SortedMap<Long, TaskProgress> said, UnaryOperator<String> form) {
        List<Parameters> rows = said.entrySet().stream()
                .map(task -> Parameters.of(
                        "id", task.getKey(),
                        "done", task.getValue().done(),
                        "total", task.getValue().total(),
                        "note", form.apply(task.getValue().note())))
                .toList();
        jdbc.atomic("write the progress of tasks", on -> {
            on.batch(sql.get("write_progress"), rows);
            return rows.size();
        });
    }

    /** Returns what is known of these tasks, by their ids. */
    public Map<Long, TaskProgress> of(Collection<Long> ids) {
        Map<Long, TaskProgress> found = new HashMap<>();
        jdbc.glance("read the progress of tasks", on -> tables.durable()
                .listByIds(
                        on,
                        sql.get("progress_of"),
                        row -> found.put(row.getLong(1), progress(row)),
                        Parameters.of("ids", ids)));
        return found;
    }

    private static TaskProgress progress(ResultSet row) throws SQLException {
        Optional<Instant> asked = instant(row, 8);
        String by = row.getString(6);
        String reason = row.getString(7);
        return new TaskProgress(
                row.getLong(2),
                row.getLong(3),
                row.getString(4),
                instant(row, 5),
                asked.map(at -> new TaskProgress.Cancel(by, reason, at)));
    }

    private static Optional<Instant> instant(ResultSet row, int column) throws SQLException {
        return Optional.ofNullable(row.getObject(column, OffsetDateTime.class)).map(OffsetDateTime::toInstant);
    }

    /** Removes what is known of tasks that are not TAKEN any more. Callers are never in a transaction. */
    public void removeOld() {
        jdbc.single("remove the progress of tasks", on -> on.update(sql.get("remove_progress"), Parameters.NONE));
    }
}
