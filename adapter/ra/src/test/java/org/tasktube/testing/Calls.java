package org.tasktube.testing;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.store.Change;
import org.tasktube.store.Holder;
import org.tasktube.store.Peer;
import org.tasktube.store.Pulse;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transition;
import org.tasktube.store.Transitioned;
import org.tasktube.store.TubeCount;
import org.tasktube.store.sql.Registry;
import org.tasktube.store.sql.TaskStore;

/** The changes that a store applies, as calls with the names that applications have for them. */
public final class Calls {

    private Calls() {}

    /** Writes a heartbeat by which each other server is overdue. */
    public static Pulse beat(Registry registry, int node) {
        String name = registry.peers("x", Duration.ZERO, Duration.ZERO).stream()
                .filter(peer -> peer.node() == node)
                .map(Peer::name)
                .findFirst()
                .orElse("x");
        return registry.beat(node, "", name, Duration.ZERO, Duration.ZERO);
    }

    public static boolean ack(TaskStore store, StoredTube tube, Holder holder, Task task) {
        return store.apply(tube, Change.of(Transition.ACK), holder, task).isPresent();
    }

    public static boolean ackAll(TaskStore store, StoredTube tube, Holder holder, Collection<Task> tasks) {
        return store.applyToAllHeld(tube, Change.of(Transition.ACK), holder, tasks)
                .isPresent();
    }

    public static Optional<Transitioned> done(
            TaskStore store, StoredTube tube, Holder holder, Task task, TaskResult result) {
        return store.apply(tube, Change.result(result), holder, task);
    }

    public static Optional<Transitioned> release(TaskStore store, StoredTube tube, Holder holder, Task task) {
        return store.apply(tube, Change.of(Transition.RELEASE), holder, task);
    }

    public static Optional<Transitioned> release(
            TaskStore store, StoredTube tube, Holder holder, Task task, Duration delay, Optional<Duration> ttl) {
        return store.apply(tube, Change.release(delay, ttl), holder, task);
    }

    public static Optional<Transitioned> requeue(TaskStore store, StoredTube tube, Holder holder, Task task) {
        return store.apply(tube, Change.of(Transition.REQUEUE), holder, task);
    }

    public static Optional<Transitioned> bury(TaskStore store, StoredTube tube, Holder holder, Task task) {
        return store.apply(tube, Change.of(Transition.BURY), holder, task);
    }

    public static Optional<Transitioned> buryUnheld(TaskStore store, StoredTube tube, long id, TaskState from) {
        return store.apply(tube, Change.from(from, Transition.BURY_UNHELD), id);
    }

    public static Optional<Transitioned> touch(
            TaskStore store, StoredTube tube, Holder holder, Task task, Duration increment) {
        return store.apply(tube, Change.touch(increment), holder, task);
    }

    public static Optional<Transitioned> heartbeat(TaskStore store, StoredTube tube, Holder holder, Task task) {
        return store.apply(tube, Change.of(Transition.HEARTBEAT), holder, task);
    }

    public static Optional<Transitioned> fail(
            TaskStore store, StoredTube tube, Holder holder, Task task, TaskFailure failure, Optional<Duration> delay) {
        return store.apply(tube, Change.failed(failure, delay), holder, task);
    }

    public static List<Long> returnUnstarted(TaskStore store, StoredTube tube, Holder holder, Collection<Task> tasks) {
        return store.returnUnstarted(tube, holder, tasks).ids();
    }

    public static List<Long> kick(TaskStore store, StoredTube tube, int max) {
        return store.applyToFirst(tube, Change.of(Transition.KICK), max).ids();
    }

    public static Optional<Transitioned> dig(TaskStore store, StoredTube tube, long id) {
        return store.apply(tube, Change.of(Transition.DIG), id);
    }

    /** Returns the state that the task was in. */
    public static Optional<TaskState> delete(TaskStore store, StoredTube tube, long id) {
        return store.apply(tube, Change.of(Transition.DELETE), id).map(Transitioned::from);
    }

    public static List<Long> releaseAll(TaskStore store, StoredTube tube) {
        return store.applyToAll(tube, Change.of(Transition.RELEASE_ALL), false).stream()
                .flatMap(done -> done.ids().stream())
                .toList();
    }

    public static List<Long> releaseSession(TaskStore store, StoredTube tube, UUID session, Collection<Long> ids) {
        return store.applyToSession(tube, Change.of(Transition.SESSION_END), session, ids)
                .ids();
    }

    /** Returns how many tasks were in which state. */
    public static List<TubeCount> truncate(TaskStore store, StoredTube tube) {
        return store.applyToAll(tube, Change.of(Transition.TRUNCATE), false).stream()
                .map(done -> new TubeCount(tube.id(), done.from(), done.count()))
                .toList();
    }

    /** Truncates, and returns the tasks as they were. */
    public static List<Task> truncateReturningTasks(TaskStore store, StoredTube tube) {
        return store.applyToAll(tube, Change.of(Transition.TRUNCATE), true).stream()
                .flatMap(done -> done.tasks().stream())
                .toList();
    }
}
