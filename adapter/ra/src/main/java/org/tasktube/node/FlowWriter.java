package org.tasktube.node;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.tasktube.TaskTubeException;
import org.tasktube.admin.Flow;
import org.tasktube.store.Flow.Numbers;
import org.tasktube.tube.TubeEngine;

/**
 * Adds this server's numbers to the flow of tasks, by one statement at the end of each bucket, and by none if nothing
 * happened. The numbers are those of the statistics, so that no operation does anything for it. If a write fails, the
 * next one adds the numbers of both. Belongs to the maintenance thread.
 */
final class FlowWriter implements Runnable {

    /** The number of writes after which rows that are no longer kept are removed. */
    private static final int WRITES_PER_REMOVAL = 12;

    /** The middle of a bucket. No numbers go further back, because most of them are of the time before the write. */
    private static final Duration HALF = Flow.BUCKET.dividedBy(2);

    private final StoreAccess access;
    private final TubeDirectory directory;
    private final InstantSource clock;
    private final LongSupplier nanoTime;

    private Map<Integer, Numbers> written = Map.of();
    private long writtenAt;
    private long next;
    private int writes;

    FlowWriter(StoreAccess access, TubeDirectory directory, InstantSource clock, LongSupplier nanoTime) {
        this.access = access;
        this.directory = directory;
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.writtenAt = nanoTime.getAsLong();
        this.next = nextEnd();
    }

    /** Returns the nanoseconds until the next write. */
    long left() {
        return next - nanoTime.getAsLong();
    }

    boolean isDue() {
        return left() <= 0;
    }

    @Override
    public void run() {
        next = nextEnd();
        write();
    }

    /** Writes the numbers of the bucket that is not over. If that fails, they are lost. */
    void writeLast() {
        try {
            write();
        } catch (TaskTubeException e) {
            Log.LOG.leftForLater("write the last flow of tasks", e.getMessage());
        }
    }

    /** Returns the end of the current bucket, by this server's clock. */
    private long nextEnd() {
        long bucket = Flow.BUCKET.toMillis();
        return nanoTime.getAsLong()
                + Duration.ofMillis(bucket - Math.floorMod(clock.millis(), bucket))
                        .toNanos();
    }

    private void write() {
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
