package org.tasktube.node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.tasktube.store.TemporaryTaskStore;

/**
 * Removes what is older than its retention: rows of the audit, moves in the histories of tasks, and operations that
 * have ended. It works on the maintenance thread, in short transactions between which that thread does other work.
 */
final class Retention implements Runnable {

    /** The most rows of the audit, or operations, per transaction. */
    static final int BATCH = 1_000;

    /** The time for which ended operations are kept. */
    private static final Duration OPERATIONS = Duration.ofDays(90);

    private static final Duration BETWEEN = Duration.ofMillis(200);

    private final MaintenanceQueue queue;

    /** Each removes one batch, and returns whether more may be left. */
    private final List<BooleanSupplier> batches;

    /** True while the next batch waits in the queue. Only the maintenance thread uses it. */
    private boolean goesOn;

    Retention(StoreAccess access, TemporaryTaskStore memory, MaintenanceQueue queue, Duration ofAudit) {
        this.queue = queue;
        this.batches = List.of(
                () -> memory.histories().removeOld(),
                () -> access.store().tasks().histories().removeOld(),
                () -> access.audit().removeOld(ofAudit, BATCH) == BATCH,
                () -> access.operations().removeEnded(OPERATIONS, BATCH) == BATCH);
    }

    /** Begins a removal, unless one is under way: each minute would add another one to those that have not ended. */
    @Override
    public void run() {
        if (!goesOn) {
            remove(batches);
        }
    }

    /** Removes a batch of each kind. A kind that fails waits for the next minute, and does not keep the others. */
    private void remove(List<BooleanSupplier> kinds) {
        goesOn = false;
        List<BooleanSupplier> more = new ArrayList<>();
        RuntimeException failure = null;
        for (BooleanSupplier kind : kinds) {
            try {
                if (kind.getAsBoolean()) {
                    more.add(kind);
                }
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (!more.isEmpty()) {
            goesOn = true;
            queue.executeIn(BETWEEN, () -> remove(more));
        }
        if (failure != null) {
            throw failure;
        }
    }
}
