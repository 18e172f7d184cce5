package org.tasktube.node;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.tasktube.StoreException;
import org.tasktube.store.IndexStep;
import org.tasktube.store.StoredTube;
import org.tasktube.tube.TubeEngine;

/** Completes the indexes of searchable fields, and cleans them. */
public final class SearchIndexes implements Runnable {

    private static final Duration SOON = Duration.ofMillis(500);

    /** The pause before an index that waits is tried again. */
    private static final Duration PAUSE = Duration.ofSeconds(2);

    private final StoreAccess access;
    private final TubeDirectory directory;
    private final MaintenanceQueue queue;
    private final Duration margin;
    private final Batches batches;

    /** True while a further try waits in the queue. Only the maintenance thread uses it. */
    private boolean isAsked;

    /** @param margin the time after which each server that is up knows a change of a tube */
    SearchIndexes(StoreAccess access, TubeDirectory directory, MaintenanceQueue queue, Duration margin) {
        this.access = access;
        this.directory = directory;
        this.queue = queue;
        this.margin = margin;
        this.batches = new Batches(
                queue, List.of(this::complete, () -> access.store().tasks().cleanIndexes()));
    }

    /** Does it now, on the maintenance thread. */
    @Override
    public void run() {
        batches.run();
    }

    /** Has it done soon, after a declaration of searchable fields. */
    public void soon() {
        queue.executeIn(SOON, this);
    }

    private void again() {
        isAsked = false;
        run();
    }

    private boolean complete() {
        List<StoredTube> incomplete = directory.known().stream()
                .map(TubeEngine::stored)
                .filter(tube -> tube.index().exists() && !tube.index().isComplete())
                .toList();
        Set<IndexStep> left = EnumSet.noneOf(IndexStep.class);
        try {
            incomplete.forEach(tube -> left.add(access.store().tasks().completeIndex(tube, margin)));
        } catch (StoreException e) {
            // As by a lock of another transaction
            left.add(IndexStep.WAITS);
            throw e;
        } finally {
            if (left.contains(IndexStep.WAITS) && !isAsked) {
                isAsked = true;
                queue.executeIn(PAUSE, this::again);
            }
        }
        if (left.contains(IndexStep.ENDED)) {
            directory.read(access.own());
        }
        return left.contains(IndexStep.MORE);
    }
}
