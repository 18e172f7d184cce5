package org.tasktube.node;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.tasktube.TaskFailure;

/**
 * The connections that a database ended while they were in the pool. A server can need its background validation to
 * notice them, and until then gives them out one after another. So a lost connection flushes the pool: now, and once
 * more a little later, because the dead ones that were in use are idle by then.
 */
final class DeadConnections {

    /** Connections that live are flushed, too. Each failure may only cost them so often. */
    static final Duration BETWEEN_FLUSHES = Duration.ofSeconds(1);

    private final MaintenanceQueue queue;
    private final StoreOpener opener;
    private final LogThrottle throttle = new LogThrottle();
    private final AtomicBoolean due = new AtomicBoolean();
    private volatile long flushed = System.nanoTime() - BETWEEN_FLUSHES.toNanos();

    DeadConnections(MaintenanceQueue queue, StoreOpener opener) {
        this.queue = queue;
        this.opener = opener;
    }

    /** Flushes the pool soon. */
    void suspect() {
        if (due.compareAndSet(false, true)) {
            long since = System.nanoTime() - flushed;
            queue.executeIn(Duration.ofNanos(Math.max(0, BETWEEN_FLUSHES.toNanos() - since)), this::flush);
        }
    }

    /** Closes the idle connections of the pool. */
    void flush() {
        due.set(false);
        flushed = System.nanoTime();
        try {
            opener.flushPool();
        } catch (RuntimeException e) {
            String why = TaskFailure.summary(e);
            if (throttle.isNew(why)) {
                Log.LOG.poolNotFlushed(why);
            }
        }
    }
}
