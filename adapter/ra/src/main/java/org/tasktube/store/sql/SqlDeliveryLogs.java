package org.tasktube.store.sql;

import java.util.Collection;
import java.util.List;
import org.tasktube.admin.DeliveryLog;
import org.tasktube.store.DeliveryLogs;
import org.tasktube.store.StoredTube;

/** The table {@code tasktube_log}. */
record SqlDeliveryLogs(Jdbc jdbc, Dialect dialect) implements DeliveryLogs {

    @Override
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

    @Override
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

    @Override
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
