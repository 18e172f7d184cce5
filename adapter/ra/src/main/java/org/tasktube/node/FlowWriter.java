package org.tasktube.node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.tasktube.TaskTubeException;
import org.tasktube.admin.Flow;
import org.tasktube.store.sql.Flow.Numbers;
import org.tasktube.tube.TubeEngine;

/**
 * Adds this server's numbers to the flow of tasks with each heartbeat, by one statement, and by none if nothing happened.
 * So the flow of a server that was killed ends with its last heartbeat. The numbers are those of the statistics, so that
 * no operation does anything for it. If a write fails, the next one adds the numbers of both. Belongs to the maintenance
 * thread.
 */
final class FlowWriter implements Runnable {

    /** The number of writes after which rows that are no longer kept are removed. */
    private static final int WRITES_PER_REMOVAL = 500;

    /** The middle of a bucket. No numbers go further back, because most of them are of the time before the write. */
    private static final Duration HALF = Flow.BUCKET.dividedBy(2);

    private final StoreAccess access;
    private final TubeDirectory directory;
    private final LongSupplier nanoTime;

    private Map<Integer, Numbers> written = Map.of();
    private long writtenAt;
    private int writes;

    FlowWriter(StoreAccess access, TubeDirectory directory, LongSupplier nanoTime) {
        this.access = access;
        this.directory = directory;
        this.nanoTime = nanoTime;
        this.writtenAt = nanoTime.getAsLong();
    }

    /** Writes the last numbers of a server that stops. If that fails, they are lost. */
    void writeLast() {
        try {
            run();
        } catch (TaskTubeException e) {
            Log.LOG.leftForLater("write the last flow of tasks", e.getMessage());
        }
    }

    @Override
    public void run() {
        long now = nanoTime.getAsLong();
        Map<Integer, Numbers> numbers = new HashMap<>();
        List<Numbers> grown = new ArrayList<>();
        for (TubeEngine tube : directory.known()) {
            int id = tube.stored().id();
            Numbers of = tube.runtime().counters().flow(id);
            Numbers since = of.since(written.get(id));
            numbers.put(id, of);
            if (!since.areZero()) {
                grown.add(since);
            }
        }
        if (!grown.isEmpty()) {
            Duration middle = Duration.ofNanos((now - writtenAt) / 2);
            access.own().flow().add(access.number(), grown, middle.compareTo(HALF) < 0 ? middle : HALF);
        }
        written = numbers;
        writtenAt = now;
        if (!grown.isEmpty() && writes++ % WRITES_PER_REMOVAL == 0) {
            access.own().flow().forget();
        }
    }
}
