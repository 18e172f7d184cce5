package org.tasktube.store.sql;

import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.tasktube.Fingerprint;

/** The rows of the kinds of failures: writes them, restores missing ones, and removes those that no task needs. */
final class FailureKinds {

    /**
     * The time for which a kind stays that no task has any more. A failure of a job that runs once per week keeps the
     * time of its first occurrence.
     */
    static final Duration RETENTION = Duration.ofDays(8);

    /** The most kinds that one check restores. */
    private static final int MOST_RESTORED = 100;

    /** The most kinds that one check reads. */
    private static final int BATCH = 500;

    private final Jdbc jdbc;
    private final Dialect dialect;
    private final Statements sql;
    private final KnownKinds known;

    /** The kind after which the next check begins. */
    private volatile long checkedTo = Long.MIN_VALUE;

    FailureKinds(Jdbc jdbc, Dialect dialect, KnownKinds known) {
        this.jdbc = jdbc;
        this.dialect = dialect;
        this.sql = dialect.statements();
        this.known = known;
    }

    /**
     * Writes the row of a kind, unless this server knows that it exists. In a transaction of the caller, leaves the row
     * to the next check: other servers would wait for the end of that transaction to write the same row.
     */
    void write(Fingerprint kind) {
        if (known.get(kind.number()).isPresent()) {
            return;
        }
        if (!jdbc.inTransaction()) {
            jdbc.single(
                    "write a kind of failures", on -> dialect.insertIfMissing(on, sql.get("insert_kind"), row(kind)));
        }
        known.add(kind);
    }

    private static Parameters row(Fingerprint kind) {
        return Parameters.of(
                "failure", kind.number(),
                "type", kind.type(),
                "cause", kind.cause(),
                "frame", kind.frame(),
                "message", kind.message());
    }

    /** Restores the rows of kinds that tasks have, and removes rows that no task has had for the retention. */
    void check() {
        restore(forgetMissing());
        removeUnused();
    }

    /** Forgets kinds that have no row, so that their next failure writes it. Returns these kinds. */
    private List<Fingerprint> forgetMissing() {
        List<Long> missing = new ArrayList<>(known.numbers());
        if (!missing.isEmpty()) {
            missing.removeAll(jdbc.single(
                    "read kinds of failures",
                    on -> on.list(
                            sql.get("existing_kinds"),
                            row -> row.getLong(1),
                            Parameters.of("ids", List.copyOf(missing)))));
        }
        return known.remove(missing);
    }

    private void restore(List<Fingerprint> forgotten) {
        List<Long> missing = jdbc.glance(
                "look for kinds of failures",
                on -> on.list(sql.get("missing_kinds"), row -> row.getLong(1), Parameters.of("max", MOST_RESTORED)));
        for (long number : missing) {
            Optional<Fingerprint> exact =
                    forgotten.stream().filter(kind -> kind.number() == number).findFirst();
            jdbc.single("restore a kind of failures", on -> restore(on, number, exact));
        }
    }

    private int restore(SqlConnection on, long number, Optional<Fingerprint> exact) throws SQLException {
        Optional<Restored> found = ofTask(on, sql, number);
        return found.isEmpty()
                ? 0
                : dialect.insertIfMissing(
                        on,
                        sql.get("restore_kind"),
                        row(exact.orElse(found.get().kind)).and("first_at", found.get().first));
    }

    /**
     * A kind by the texts of one of its tasks.
     *
     * @param first the time of the earliest failure that a task has
     */
    record Restored(Fingerprint kind, OffsetDateTime first) {}

    /** Returns a kind by the texts of one of its tasks; empty if it has none. */
    static Optional<Restored> ofTask(SqlConnection on, Statements sql, long number) throws SQLException {
        return on.first(
                sql.get("failure_of_kind"),
                row -> new Restored(
                        RestoredKind.of(number, row.getString(1), row.getString(2), row.getString(3)),
                        row.getObject(4, OffsetDateTime.class)),
                Parameters.of("failure", number));
    }

    private record Row(long number, boolean isMarked, boolean isUsed, boolean isOver) {}

    private void removeUnused() {
        List<Row> rows = jdbc.glance(
                "look for kinds of failures",
                on -> on.list(
                        sql.get("kinds_after"),
                        row -> new Row(row.getLong(1), row.getBoolean(2), row.getBoolean(3), row.getBoolean(4)),
                        Parameters.of("after", checkedTo, "max", BATCH, "retention", RETENTION.toMillis())));
        checkedTo = rows.size() < BATCH ? Long.MIN_VALUE : rows.get(BATCH - 1).number;
        change(
                "mark_unused",
                rows.stream().filter(row -> !row.isUsed && !row.isMarked).toList());
        change(
                "mark_used",
                rows.stream().filter(row -> row.isUsed && row.isMarked).toList());
        change(
                "remove_kinds",
                rows.stream().filter(row -> !row.isUsed && row.isOver).toList());
    }

    /** Changes rows, except those that another server is changing. */
    private void change(String name, List<Row> rows) {
        if (!rows.isEmpty()) {
            List<Long> ids = rows.stream().map(Row::number).toList();
            jdbc.atomic("remove kinds of failures", on -> {
                List<Long> locked = on.list(sql.get("lock_kinds"), row -> row.getLong(1), Parameters.of("ids", ids));
                return locked.isEmpty() ? 0 : on.update(sql.get(name), Parameters.of("ids", locked));
            });
        }
    }
}
