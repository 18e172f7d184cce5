package org.tasktube.node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Work in batches on the maintenance thread: short transactions between which that thread does other work. */
final class Batches implements Runnable {

    private static final Duration BETWEEN = Duration.ofMillis(200);

    private final MaintenanceQueue queue;
    private final List<BooleanSupplier> kinds;

    /** True while the next batch waits in the queue. Only the maintenance thread uses it. */
    private boolean goesOn;

    /** @param kinds each does one batch, and returns whether more may be left */
    Batches(MaintenanceQueue queue, List<BooleanSupplier> kinds) {
        this.queue = queue;
        this.kinds = kinds;
    }

    /** Begins, unless the last run has not ended: each minute would add another one to it. */
    @Override
    public void run() {
        if (!goesOn) {
            run(kinds);
        }
    }

    /** Runs a batch of each kind. A kind that fails waits for the next run, and does not keep the others. */
    private void run(List<BooleanSupplier> some) {
        goesOn = false;
        List<BooleanSupplier> more = new ArrayList<>();
        RuntimeException failure = null;
        for (BooleanSupplier kind : some) {
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
            queue.executeIn(BETWEEN, () -> run(more));
        }
        if (failure != null) {
            throw failure;
        }
    }
}
