package org.tasktube.node;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.tasktube.TaskFailure;

/**
 * The connections that a database ended while they were in the pool. A server can need its background validation to
 * notice them, and until then gives them out one after another. So if the heartbeat has lost its connection, the pool is
 * flushed: now, and once more a little later, because the dead ones that were in use are idle by then.
 */
final class DeadConnections {

    private static final Duration LATER = Duration.ofSeconds(1);

    private final MaintenanceQueue queue;
    private final StoreOpener opener;
    private final LogThrottle throttle = new LogThrottle();
    private final AtomicBoolean due = new AtomicBoolean();

    DeadConnections(MaintenanceQueue queue, StoreOpener opener) {
        this.queue = queue;
        this.opener = opener;
    }

    /** Flushes the pool, and again a little later. */
    void found() {
        flush();
        if (due.compareAndSet(false, true)) {
            queue.executeIn(LATER, this::flushAgain);
        }
    }

    private void flushAgain() {
        due.set(false);
        flush();
    }

    private void flush() {
        if (queue.isEnding()) {
            return;
        }
        try {
            opener.flushPool();
        } catch (RuntimeException | LinkageError e) {
            // A server of another version can lack the class of its pools. The heartbeat must go on all the same
            String why = TaskFailure.summary(e);
            if (throttle.isNew(why)) {
                Log.LOG.poolNotFlushed(why);
            }
        }
    }
}
