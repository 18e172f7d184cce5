package org.tasktube.store.sql;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.tasktube.store.IndexStep;
import org.tasktube.store.StoredTube;

/**
 * Completes the indexes of searchable fields, and removes their rows that no search needs: those of tasks that are gone,
 * of tubes that are gone, and of former fields. Each call is a short transaction. Several servers may call at once.
 */
final class FieldUpkeep {

    /** The states of an index before it begins; a smaller one has the number of a transaction. */
    private static final long NOT_SEEN = 0;

    private static final long SEEN = -1;

    /** The most tasks that one transaction indexes. */
    private static final int TASKS = 5_000;

    /** The most rows that one transaction looks at. */
    private static final int BATCH = 2_000;

    /** The most bytes of data that are in memory at once, unless one task has more. */
    private static final long MAX_BYTES = 16 << 20;

    /** The rows of living tasks after which a round ends: it must not read a large index again and again. */
    private static final int MOST_LIVING = 50 * BATCH;

    private final Jdbc jdbc;
    private final Dialect dialect;
    private final FieldRows rows;
    private Row last;
    private int living;

    private record Sized(long id, int tube, long size) {}

    private record Place(long upto, long place) {}

    private record Row(long index, FieldRows.Entry entry, boolean isOld) {}

    FieldUpkeep(Jdbc jdbc, Dialect dialect, FieldRows rows) {
        this.jdbc = jdbc;
        this.dialect = dialect;
        this.rows = rows;
        this.last = first();
    }

    /** Does the next step of an index that lacks tasks: see {@link TaskStore#completeIndex}. */
    IndexStep complete(StoredTube tube, Duration margin) {
        return jdbc.atomic("index tube " + tube.name(), on -> {
            Parameters of =
                    Parameters.of("tube", tube.id(), "index", tube.index().id());
            Optional<Place> unfinished =
                    on.first(sql("unfinished_index"), row -> new Place(row.getLong(1), row.getLong(2)), of);
            if (unfinished.isEmpty()) {
                return IndexStep.ENDED;
            }
            Place place = unfinished.get();
            return place.upto > 0 ? addSome(on, tube, of, place) : begin(on, tube, of, place.upto, margin);
        });
    }

    /**
     * Begins when all tasks are committed whose rows a server has left out: each server knows the fields, and the
     * transactions have ended that were open then.
     */
    private IndexStep begin(SqlConnection on, StoredTube tube, Parameters of, long state, Duration margin)
            throws SQLException {
        if (state == NOT_SEEN) {
            on.update(sql("see_index"), of);
        }
        if (state >= SEEN) {
            if (!on.any(sql("all_know_index"), of.and("margin", margin.toMillis()))) {
                return IndexStep.WAITS;
            }
            on.update(sql("begin_index"), of.and("upto", SEEN - dialect.nextTransaction(on)));
            return IndexStep.MORE;
        }
        if (!dialect.earlierHaveEnded(on, tube, SEEN - state)) {
            return IndexStep.WAITS;
        }
        long upto =
                on.first(sql("last_id"), row -> row.getLong(1), Parameters.NONE).orElse(0L);
        on.update(sql(upto == 0 ? "end_index" : "begin_index"), of.and("upto", upto));
        return upto == 0 ? IndexStep.ENDED : IndexStep.MORE;
    }

    private IndexStep addSome(SqlConnection on, StoredTube tube, Parameters of, Place from) throws SQLException {
        List<Sized> next = on.list(
                sql("tasks_to_index"),
                row -> new Sized(row.getLong("id"), row.getInt("tube_id"), row.getLong("size")),
                Parameters.of("place", from.place, "upto", from.upto, "max", TASKS));
        List<Long> some = new ArrayList<>();
        long bytes = 0;
        for (Sized task : next) {
            if (task.tube == tube.id()) {
                if (!some.isEmpty() && bytes + task.size > MAX_BYTES) {
                    rows.writeMissing(on, tube, some);
                    some.clear();
                    bytes = 0;
                }
                some.add(task.id);
                bytes += task.size;
            }
        }
        if (!some.isEmpty()) {
            rows.writeMissing(on, tube, some);
        }
        boolean isLast = next.size() < TASKS;
        long place = isLast ? from.upto : next.get(next.size() - 1).id;
        on.update(sql(isLast ? "end_index" : "go_on_with_index"), of.and("place", place));
        return isLast ? IndexStep.ENDED : IndexStep.MORE;
    }

    /** Removes some rows that are no longer needed. Returns whether more may be left. */
    synchronized boolean clean() {
        return jdbc.atomic("clean the search indexes", this::clean);
    }

    private boolean clean(SqlConnection on) throws SQLException {
        List<Row> next = on.list(
                sql("old_fields"),
                row -> new Row(row.getLong(1), new FieldRows.Entry(row.getLong(2), row.getLong(3)), row.getBoolean(4)),
                Parameters.of("index", last.index, "hash", last.entry.hash(), "task", last.entry.task())
                        .and("max", BATCH));
        Map<Long, List<FieldRows.Entry>> old = new TreeMap<>();
        next.stream().filter(row -> row.isOld).forEach(row -> old.computeIfAbsent(row.index, index -> new ArrayList<>())
                .add(row.entry));
        for (Map.Entry<Long, List<FieldRows.Entry>> index : old.entrySet()) {
            rows.remove(on, index.getKey(), index.getValue());
        }
        living += (int) next.stream().filter(row -> !row.isOld).count();
        boolean isEnd = next.size() < BATCH;
        last = isEnd ? first() : next.get(next.size() - 1);
        boolean goesOn = !isEnd && living < MOST_LIVING;
        if (!goesOn) {
            living = 0;
        }
        return goesOn;
    }

    /** Returns the place before all rows. H2 has the greatest id of a hash first. */
    private static Row first() {
        return new Row(0, new FieldRows.Entry(Long.MIN_VALUE, 0), false);
    }

    private NamedStatement sql(String name) {
        return dialect.statements().get(name);
    }
}
