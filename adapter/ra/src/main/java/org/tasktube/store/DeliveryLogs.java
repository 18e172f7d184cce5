package org.tasktube.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.tasktube.admin.DeliveryLog;

/** What was logged during deliveries. If the store fails, a method throws {@link org.tasktube.StoreException}. */
public interface DeliveryLogs {

    /** The time for which it is kept. */
    Duration RETENTION = Duration.ofDays(7);

    /** The most deliveries of a task of which it is kept. */
    int MOST_PER_TASK = 20;

    /** What was logged during the delivery of a task. */
    record Entry(int tube, long task, int attempt, List<String> lines) {}

    /** Adds rows in a transaction, and removes those of the same tasks that are too many. */
    void add(String server, Collection<Entry> entries);

    /** Returns what is kept of a task, the oldest first. */
    List<DeliveryLog> of(StoredTube tube, long task);

    /** Removes at most {@code max} rows that are too old. Returns the number of rows that it has found. */
    int removeOld(int max);
}
