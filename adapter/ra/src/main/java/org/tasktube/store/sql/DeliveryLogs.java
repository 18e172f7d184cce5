package org.tasktube.store.sql;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.tasktube.admin.DeliveryLog;
import org.tasktube.store.StoredTube;

/** What was logged during deliveries. If the store fails, a method throws {@link org.tasktube.StoreException}. */
public record DeliveryLogs(Jdbc jdbc, Dialect dialect) {

    /** The time for which it is kept. */
    public static final Duration RETENTION = Duration.ofDays(7);

    /** The most deliveries of a task of which it is kept. */
    public static final int MOST_PER_TASK = 20;

    /** What was logged during the delivery of a task. */
    public record Entry(int tube, long task, int attempt, List<String> lines) {}

    /** Adds rows in a transaction, and removes those of the same tasks that are too many. */
    public void add(String server, Collection<Entry> entries) {
        jdbc.atomic("write the logs of deliveries", on -> {
            on.batch(
                    sql("add_log"),
                    entries.stream()
                            .map(entry -> Parameters.of(
                                    "task", entry.task(),
                                    "tube", entry.tube(),
                                    "attempt", entry.attempt(),
                                    "server", server,
                                    "lines", String.join("\n", entry.lines())))
                            .toList());
            on.batch(
                    sql("remove_further_logs"),
                    entries.stream()
                            .map(Entry::task)
                            .distinct()
                            .map(task -> Parameters.of("task", task, "most", MOST_PER_TASK))
                            .toList());
            return entries.size();
        });
    }

    /** Returns what is kept of a task, the oldest first. */
    public List<DeliveryLog> of(StoredTube tube, long task) {
        return jdbc.reading("read the logs of deliveries", dialect::beginReading, on -> on.within(Scans.SECONDS)
                .list(
                        sql("logs"),
                        row -> new DeliveryLog(
                                row.getInt(1),
                                row.getString(2),
                                Rows.instant(row, 3),
                                row.getString(4).lines().toList()),
                        Parameters.of("tube", tube.id(), "task", task)));
    }

    /** Removes at most {@code max} rows that are too old. Returns the number of rows that it has found. */
    public int removeOld(int max) {
        return jdbc.atomic("remove old logs of deliveries", on -> {
            List<Parameters> old = on.list(
                    sql("old_logs"),
                    row -> Parameters.of("task", row.getLong(1), "id", row.getLong(2)),
                    Parameters.of("retention", RETENTION.toMillis(), "max", max));
            if (!old.isEmpty()) {
                on.batch(sql("remove_log"), old);
            }
            return old.size();
        });
    }

    private NamedStatement sql(String name) {
        return dialect.statements().get(name);
    }
}
