package org.tasktube.node;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.tasktube.TaskState;
import org.tasktube.store.OpenStore;
import org.tasktube.store.TemporaryTaskStore;
import org.tasktube.tube.TubeEngine;

/** Counts all tasks by state. This reads every task, so it runs on the background thread. */
final class Recount {

    private final StoreAccess access;
    private final TubeDirectory directory;
    private final TemporaryTaskStore memory;
    private final BackgroundThread background;
    private volatile Runnable afterCount = () -> {};
    private final AtomicInteger wanted = new AtomicInteger();

    Recount(StoreAccess access, TubeDirectory directory, TemporaryTaskStore memory, BackgroundThread background) {
        this.access = access;
        this.directory = directory;
        this.memory = memory;
        this.background = background;
    }

    /** Sets an action for the end of each count. It must not wait. */
    void afterCount(Runnable action) {
        afterCount = action;
    }

    /** Reads all tubes and counts all tasks, soon. A count that is under way may have read too early, so another follows. */
    void soon() {
        if (wanted.getAndIncrement() == 0) {
            background.execute(this::whileWanted);
        }
    }

    private void whileWanted() {
        int served = wanted.get();
        try {
            now();
        } finally {
            if (wanted.addAndGet(-served) > 0) {
                background.execute(this::whileWanted);
            }
        }
    }

    /** Reads all tubes and counts all tasks. */
    void now() {
        OpenStore from = access.store();
        directory.read(from);
        from.tasks().removeOrphans();
        count(from);
    }

    /** Counts the tasks of a store that has just opened, and removes the tasks of dropped tubes. */
    CompletableFuture<Void> first(OpenStore from) {
        CompletableFuture<Void> counted = CompletableFuture.runAsync(() -> count(from), background);
        // A server that is alone never recounts, but in H2 a put that commits after a drop leaves its tasks
        background.execute(() -> from.tasks().removeOrphans());
        return counted;
    }

    private void count(OpenStore from) {
        Map<TubeEngine, Map<TaskState, Long>> before = new HashMap<>();
        directory
                .known()
                .forEach(tube -> before.put(tube, tube.runtime().counters().tasks()));
        Map<Integer, Map<TaskState, Long>> counts = new HashMap<>();
        Stream.concat(from.tasks().counts().stream(), memory.counts().stream())
                .forEach(count -> counts.computeIfAbsent(count.tube(), id -> new HashMap<>())
                        .put(count.state(), count.tasks()));
        before.forEach((tube, known) -> tube.runtime()
                .counters()
                .counted(known, counts.getOrDefault(tube.stored().id(), Map.of())));
        afterCount.run();
    }
}
