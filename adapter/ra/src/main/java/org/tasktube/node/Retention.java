package org.tasktube.node;

import java.time.Duration;
import java.util.List;

/**
 * Removes what is older than its retention: rows of the audit, log lines of deliveries, moves in the histories of tasks, unique keys whose
 * time is over, and operations that have ended.
 */
final class Retention implements Runnable {

    /** The most rows of the audit, keys or operations per transaction. */
    static final int BATCH = 1_000;

    /** The time for which ended operations are kept. */
    private static final Duration OPERATIONS = Duration.ofDays(90);

    private final Batches batches;

    Retention(StoreAccess access, MaintenanceQueue queue, Duration ofAudit) {
        batches = new Batches(
                queue,
                List.of(
                        () -> access.store().tasks().histories().removeOld(),
                        () -> access.tasks(false).removeOldKeys(BATCH) == BATCH,
                        () -> access.audit().removeOld(ofAudit, BATCH) == BATCH,
                        () -> access.deliveryLogs().removeOld(BATCH) == BATCH,
                        () -> access.operations().removeEnded(OPERATIONS, BATCH) == BATCH));
    }

    @Override
    public void run() {
        batches.run();
    }
}
