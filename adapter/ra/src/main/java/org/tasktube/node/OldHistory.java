package org.tasktube.node;

import org.tasktube.store.TemporaryTaskStore;

/**
 * Removes old moves from the histories of tasks, on the maintenance thread. Between two batches, that thread does other
 * work.
 */
final class OldHistory implements Runnable {

    private final StoreAccess access;
    private final TemporaryTaskStore memory;
    private final MaintenanceQueue queue;

    /** True while the next batch waits in the queue. Only the maintenance thread uses it. */
    private boolean goesOn;

    OldHistory(StoreAccess access, TemporaryTaskStore memory, MaintenanceQueue queue) {
        this.access = access;
        this.memory = memory;
        this.queue = queue;
    }

    /** Begins a removal, unless one is under way. */
    @Override
    public void run() {
        if (!goesOn) {
            memory.histories().removeOld();
            removeBatch();
        }
    }

    private void removeBatch() {
        goesOn = false;
        if (access.store().tasks().histories().removeOld()) {
            goesOn = true;
            queue.execute(this::removeBatch);
        }
    }
}
