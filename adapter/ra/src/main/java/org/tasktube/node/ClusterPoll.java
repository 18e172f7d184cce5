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

/** Looks for what other servers did that somebody here waits for: tasks, room, and the ends of watched tasks. */
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

    /** What this server did itself, watches know already. */
    private void lookAtWatched() {
        for (TubeEngine tube : directory.known()) {
            Watches watches = tube.runtime().watches();
            if (!watches.tasks().isEmpty()) {
                Map<Watches.Watch, Long> told = watches.told();
                Watches.found(told, access.tasks(tube.stored()).states(List.copyOf(watches.tasks())));
            }
        }
    }
}
