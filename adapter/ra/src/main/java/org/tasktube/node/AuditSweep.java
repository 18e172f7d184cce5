package org.tasktube.node;

import java.time.Duration;

/** Removes the old rows of the audit on the maintenance thread, in short transactions between which other work runs. */
final class AuditSweep implements Runnable {

    /** The most rows per transaction. */
    static final int BATCH = 1_000;

    private static final Duration BETWEEN = Duration.ofSeconds(1);

    private final StoreAccess access;
    private final MaintenanceQueue queue;
    private final Duration retention;

    /** True while the next batch waits in the queue. Only the maintenance thread uses it. */
    private boolean goesOn;

    AuditSweep(StoreAccess access, MaintenanceQueue queue, Duration retention) {
        this.access = access;
        this.queue = queue;
        this.retention = retention;
    }

    /** Begins a removal, unless one is under way: each minute would add another one to those that have not ended. */
    @Override
    public void run() {
        if (!goesOn) {
            removeBatch();
        }
    }

    private void removeBatch() {
        goesOn = false;
        int old = access.store().audit().removeOld(retention, BATCH);
        if (old == BATCH) {
            goesOn = true;
            queue.executeIn(BETWEEN, this::removeBatch);
        }
    }
}
