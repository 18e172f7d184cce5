package org.tasktube.store.sql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.tasktube.DataPath;
import org.tasktube.TaskData;
import org.tasktube.admin.IndexedText;
import org.tasktube.store.FieldIndex;
import org.tasktube.store.NewTask;
import org.tasktube.store.Put;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transitioned;

/**
 * The rows by which searches find tasks. The transaction that puts or replaces a task writes its rows, by one more
 * statement. A tube without searchable fields costs nothing.
 */
final class FieldRows {

    private final Jdbc jdbc;
    private final Statements sql;
    private final UnaryOperator<StoredTube> latest;

    /** An entry of an index. */
    record Entry(long hash, long task) {}

    /** @param latest gives the tube as this server knows it by now */
    FieldRows(Jdbc jdbc, Statements sql, UnaryOperator<StoredTube> latest) {
        this.jdbc = jdbc;
        this.sql = sql;
        this.latest = latest;
    }

    /** Runs a put, together with the rows of what it puts. */
    Put put(StoredTube tube, List<NewTask> tasks, Supplier<Put> put) {
        if (tube.index().exists()) {
            return jdbc.together(() -> {
                Put done = put.get();
                write("add_fields", tube, tasks, done);
                return done;
            });
        }
        Put done = put.get();
        StoredTube now = latest.apply(tube);
        if (now.index().exists()) {
            // Declared while the put waited for its connection: who completes the index may have passed the task
            write("add_missing_fields", now, tasks, done);
        }
        return done;
    }

    private void write(String statement, StoredTube tube, List<NewTask> tasks, Put done) {
        if (done.outcome() == Put.Outcome.DONE || done.outcome() == Put.Outcome.TAKEN) {
            List<Entry> entries = new ArrayList<>();
            for (int i = 0; i < tasks.size(); i++) {
                entries.addAll(entries(tube, done.ids().get(i), tasks.get(i).data()));
            }
            write(statement, tube, entries);
        }
    }

    /** Runs a replacement, together with the rows of the new data. Those of the former data go. */
    Optional<Transitioned> replace(
            StoredTube tube, long id, TaskData data, Supplier<Optional<Transitioned>> replacement) {
        if (!tube.index().exists()) {
            Optional<Transitioned> replaced = replacement.get();
            StoredTube now = latest.apply(tube);
            if (now.index().exists() && replaced.isPresent()) {
                write("add_missing_fields", now, entries(now, id, data));
            }
            return replaced;
        }
        return jdbc.together(() -> {
            // Locked: another replacement of the same moment would leave its rows
            Set<Entry> former = new LinkedHashSet<>(jdbc.single(
                    "read search fields", on -> read(on.within(Puts.KEY_SECONDS), "lock_data", tube, List.of(id))));
            Optional<Transitioned> replaced = replacement.get();
            if (replaced.isPresent()) {
                Set<Entry> now = entries(tube, id, data);
                former.removeAll(now);
                jdbc.atomic("remove search fields", on -> {
                    remove(on, tube.index().id(), former);
                    return null;
                });
                write("add_missing_fields", tube, now);
            }
            return replaced;
        });
    }

    private void write(String statement, StoredTube tube, Collection<Entry> entries) {
        if (!entries.isEmpty()) {
            jdbc.single("write search fields", on -> write(on, statement, tube, entries));
        }
    }

    private int write(SqlConnection on, String statement, StoredTube tube, Collection<Entry> entries)
            throws SQLException {
        return on.update(
                sql.get(statement),
                Parameters.of(
                        "index", tube.index().id(),
                        "hashes", entries.stream().map(Entry::hash).toList(),
                        "tasks", entries.stream().map(Entry::task).toList()));
    }

    /** Writes the rows of tasks that lack them. Reads the data of all of them at once. */
    void writeMissing(SqlConnection on, StoredTube tube, Collection<Long> ids) throws SQLException {
        List<Entry> entries = read(on, "data_of_tasks", tube, ids);
        if (!entries.isEmpty()) {
            write(on, "add_missing_fields", tube, entries);
        }
    }

    void remove(SqlConnection on, long index, Collection<Entry> entries) throws SQLException {
        if (!entries.isEmpty()) {
            on.batch(
                    sql.get("remove_field"),
                    entries.stream()
                            .map(entry -> Parameters.of("index", index, "hash", entry.hash, "task", entry.task))
                            .toList());
        }
    }

    private List<Entry> read(SqlConnection on, String statement, StoredTube tube, Collection<Long> ids)
            throws SQLException {
        return on
                .list(
                        sql.get(statement),
                        row -> entries(
                                tube,
                                row.getLong("id"),
                                TaskData.of(row.getString("content_type"), row.getBytes("data"))),
                        Parameters.of("ids", ids))
                .stream()
                .flatMap(Set::stream)
                .toList();
    }

    private static Set<Entry> entries(StoredTube tube, long id, TaskData data) {
        Set<Entry> entries = new LinkedHashSet<>();
        for (String field : tube.definition().searchable()) {
            IndexedText.in(data, DataPath.parse(field))
                    .ifPresent(text -> entries.add(new Entry(FieldIndex.hash(field, text), id)));
        }
        return entries;
    }
}
