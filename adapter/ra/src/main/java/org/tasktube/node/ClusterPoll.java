package org.tasktube.node;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.tasktube.TubeMode;
import org.tasktube.store.ModeSetting;
import org.tasktube.store.Poll;
import org.tasktube.store.RegistryNews;
import org.tasktube.tube.TubeEngine;
import org.tasktube.tube.TubeRuntime;
import org.tasktube.tube.WaitQueue;
import org.tasktube.tube.Watches;

/**
 * Polls the database for changes of other servers that matter here: tasks and free capacity that a thread waits for,
 * modes of tubes, and new states of watched tasks.
 */
final class ClusterPoll implements Runnable {

    private final StoreAccess access;
    private final TubeDirectory directory;
    private final BooleanSupplier hasLivePeers;
    private final Consumer<RegistryNews> onNews;
    private final AtomicBoolean scheduled = new AtomicBoolean();

    /** @param onNews follows the news that a poll brings */
    ClusterPoll(
            StoreAccess access, TubeDirectory directory, BooleanSupplier hasLivePeers, Consumer<RegistryNews> onNews) {
        this.onNews = onNews;
        this.access = access;
        this.directory = directory;
        this.hasLivePeers = hasLivePeers;
    }

    /** Polls once on the maintenance thread, however often this is called until then. */
    void soon(MaintenanceQueue queue) {
        if (scheduled.compareAndSet(false, true)) {
            queue.executeIn(PeerNotices.GAP, this);
        }
    }

    @Override
    public void run() {
        scheduled.set(false);
        Set<Integer> closed = closed();
        lookAtTubes(false, closed);
        lookAtTubes(true, Set.of());
        lookAtWatched();
    }

    /** Polls all tubes of a table of tasks by one statement, if a thread waits at one, or must learn of its mode. */
    private void lookAtTubes(boolean temporary, Set<Integer> followed) {
        Map<Integer, WaitQueue> takers = waitedFor(temporary, TubeRuntime::takers);
        Map<Integer, WaitQueue> putters = waitedFor(temporary, TubeRuntime::putters);
        Set<Integer> polled = new HashSet<>(takers.keySet());
        polled.addAll(followed);
        if (!polled.isEmpty() || !putters.isEmpty()) {
            Poll poll = access.tasks(temporary).poll(polled, putters.keySet());
            // First, because a waiter that wakes acts by the mode that this server knows
            learn(poll.modes());
            wake(takers, poll.ready());
            wake(putters, poll.free());
            poll.news().ifPresent(onNews);
        }
    }

    private Map<Integer, WaitQueue> waitedFor(boolean temporary, Function<TubeRuntime, WaitQueue> line) {
        return directory.known().stream()
                .filter(tube -> tube.definition().temporary() == temporary)
                .filter(tube -> line.apply(tube.runtime()).length() > 0)
                .collect(Collectors.toMap(tube -> tube.stored().id(), tube -> line.apply(tube.runtime())));
    }

    /** Returns the tubes from which nothing is claimed here, although another server may have opened them unnoticed. */
    private Set<Integer> closed() {
        if (!hasLivePeers.getAsBoolean()) {
            return Set.of();
        }
        return directory.known().stream()
                .filter(tube -> tube.runtime().mode().committed().mode() != TubeMode.OPEN)
                .map(tube -> tube.stored().id())
                .collect(Collectors.toSet());
    }

    private void learn(Map<Integer, ModeSetting> modes) {
        for (TubeEngine tube : directory.known()) {
            ModeSetting mode = modes.get(tube.stored().id());
            if (mode != null) {
                tube.runtime().learn(mode);
            }
        }
    }

    private static void wake(Map<Integer, WaitQueue> waitedFor, Set<Integer> found) {
        found.stream()
                .filter(waitedFor::containsKey)
                .forEach(tube -> waitedFor.get(tube).wakeOneForMore());
    }

    /** Reports the states of watched tasks. Watches already know this server's own changes. */
    private void lookAtWatched() {
        for (TubeEngine tube : directory.known()) {
            Watches watches = tube.runtime().watches();
            if (!watches.tasks().isEmpty()) {
                Map<Watches.Watch, Long> notified = watches.notified();
                Watches.found(notified, access.tasks(tube.stored()).reads().states(List.copyOf(watches.tasks())));
            }
        }
    }
}
