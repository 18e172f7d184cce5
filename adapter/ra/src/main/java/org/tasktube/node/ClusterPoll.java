package org.tasktube.node;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.tasktube.tube.TubeEngine;
import org.tasktube.tube.TubeRuntime;
import org.tasktube.tube.WaitQueue;
import org.tasktube.tube.Watches;

/**
 * Polls the database for changes of other servers that a thread here waits for: tasks, free capacity, and new states of
 * watched tasks.
 */
final class ClusterPoll implements Runnable {

    private final StoreAccess access;
    private final TubeDirectory directory;

    ClusterPoll(StoreAccess access, TubeDirectory directory) {
        this.access = access;
        this.directory = directory;
    }

    @Override
    public void run() {
        wake(TubeRuntime::takers, ids -> access.store().tasks().readyTubes(ids));
        wake(TubeRuntime::putters, ids -> access.store().tasks().freeTubes(ids));
        lookAtWatched();
    }

    private void wake(Function<TubeRuntime, WaitQueue> line, Function<Set<Integer>, Set<Integer>> look) {
        Map<Integer, WaitQueue> waitedFor = waitedFor(line);
        if (!waitedFor.isEmpty()) {
            look.apply(waitedFor.keySet()).forEach(tube -> waitedFor.get(tube).wakeOneForMore());
        }
    }

    private Map<Integer, WaitQueue> waitedFor(Function<TubeRuntime, WaitQueue> line) {
        return directory.known().stream()
                .filter(tube -> !tube.definition().temporary())
                .filter(tube -> line.apply(tube.runtime()).length() > 0)
                .collect(Collectors.toMap(tube -> tube.stored().id(), tube -> line.apply(tube.runtime())));
    }

    /** Reports the states of watched tasks. Watches already know this server's own changes. */
    private void lookAtWatched() {
        for (TubeEngine tube : directory.known()) {
            Watches watches = tube.runtime().watches();
            if (!watches.tasks().isEmpty()) {
                Map<Watches.Watch, Long> notified = watches.notified();
                Watches.found(notified, access.tasks(tube.stored()).states(List.copyOf(watches.tasks())));
            }
        }
    }
}
