package org.tasktube.node;

import java.time.Duration;

/** Removes the old rows of the audit on the maintenance thread, in short transactions between which other work runs. */
record AuditSweep(StoreAccess access, MaintenanceQueue queue, Duration retention) implements Runnable {

    /** The most rows per transaction. */
    static final int BATCH = 1_000;

    private static final Duration BETWEEN = Duration.ofSeconds(1);

    @Override
    public void run() {
        int old = access.store().audit().removeOld(retention, BATCH);
        if (old == BATCH) {
            queue.executeIn(BETWEEN, this);
        }
    }
}
