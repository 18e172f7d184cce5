package org.tasktube.node;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.tasktube.Task;
import org.tasktube.store.StoredTube;
import org.tasktube.store.sql.DeliveryLogs.Entry;

/**
 * Writes what was logged during deliveries, soon after these and on a thread that may wait. A delivery never waits: if
 * the database is slower than the beans, the logs of some deliveries are left out, and the server's own log says so.
 */
public final class DeliveryLogWriter {

    /** The most logs that wait. */
    static final int MOST = 2_000;

    private static final int BATCH = 200;

    private final StoreAccess access;
    private final Executor background;
    private final String server;
    private final BlockingQueue<Entry> waiting = new LinkedBlockingQueue<>(MOST);
    private final AtomicBoolean isAsked = new AtomicBoolean();
    private final LogThrottle throttle = new LogThrottle();

    DeliveryLogWriter(StoreAccess access, Executor background, String server) {
        this.access = access;
        this.background = background;
        this.server = server;
    }

    /** Adds the lines of a delivery, to each of its tasks. */
    public void add(StoredTube tube, List<Task> tasks, List<String> lines) {
        for (Task task : tasks) {
            if (!waiting.offer(new Entry(tube.id(), task.id(), task.attempts(), lines))
                    && throttle.isNew("deliveryLogs")) {
                Log.LOG.logsLeftOut(MOST);
            }
        }
        if (isAsked.compareAndSet(false, true)) {
            background.execute(this::write);
        }
    }

    private void write() {
        isAsked.set(false);
        List<Entry> batch = new ArrayList<>();
        while (waiting.drainTo(batch, BATCH) > 0) {
            access.store().deliveryLogs().add(server, batch);
            batch.clear();
        }
    }
}
