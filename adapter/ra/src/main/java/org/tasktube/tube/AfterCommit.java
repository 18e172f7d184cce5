package org.tasktube.tube;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.TubeEvent;
import org.tasktube.session.Session;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.OrderKey;
import org.tasktube.store.Transition;
import org.tasktube.store.Transitioned;

/**
 * The effects of committed transitions of one tube. The order is always the same: statistics count them, watches and
 * listeners are notified, waiters wake, the deadline timer is armed. So a listener knows of a transition before a woken
 * waiter can make the next one. The last effect is the look for tasks that wait for those that have ended.
 *
 * <p>If an effect fails, the transitions stand. The failure is logged, and the other effects follow. Nothing is thrown,
 * not even an {@code Error}: it would end the thread that committed, or prevent the effects of other transitions.
 */
final class AfterCommit implements Runnable {

    private static final Optional<TaskState> DONE = Optional.of(TaskState.DONE);

    private final TubeRuntime tube;
    private final List<Applied> all = new ArrayList<>(1);
    private Optional<Forgotten> forgotten = Optional.empty();
    private boolean alreadyCounted;
    private boolean failed;

    /** Whether other tasks may wait for those that were acked. */
    private boolean followed;

    AfterCommit(TubeRuntime tube) {
        this.tube = tube;
    }

    /**
     * Tasks that went through one transition together.
     *
     * @param events the number of events that statistics count
     * @param from the tasks' state before; empty if they were put, or if each had another one
     * @param ids the ids of the tasks that watches may wait for
     * @param toPublish gives the tasks as listeners see them, and is called only if there is a listener
     * @param untilDeadline the time until the first of their deadlines; empty without one
     * @param key the order key of a task that is READY now; empty if it is not known
     */
    private record Applied(
            Transition transition,
            long events,
            Optional<TaskState> from,
            long count,
            Collection<Long> ids,
            Supplier<List<Task>> toPublish,
            Optional<Duration> untilDeadline,
            Optional<OrderKey> key) {}

    private record Forgotten(Session session, Collection<Task> tasks) {}

    /** Adds tasks that the session no longer holds. */
    AfterCommit sessionForgets(Session session, Collection<Task> tasks) {
        forgotten = Optional.of(new Forgotten(session, tasks));
        return this;
    }

    /** Adds a delivery that failed. */
    AfterCommit deliveryFailed() {
        failed = true;
        return this;
    }

    /** Skips the statistics, which have counted all of it already. */
    AfterCommit alreadyCounted() {
        alreadyCounted = true;
        return this;
    }

    /** Adds a task that was put. */
    AfterCommit put(Transition transition, Task task, Optional<Duration> untilDeadline, Optional<OrderKey> key) {
        return add(new Applied(transition, 1, Optional.empty(), 1, List.of(), () -> List.of(task), untilDeadline, key));
    }

    /** Adds a task that was put for its holder, and was READY at no time, so that it wakes no other. */
    AfterCommit putFor(Task ready, ClaimedTask taken) {
        Task task = taken.task();
        add(new Applied(
                Transition.PUT,
                1,
                Optional.empty(),
                0,
                List.of(),
                () -> List.of(ready),
                Optional.empty(),
                Optional.empty()));
        return add(new Applied(
                Transition.TAKE,
                1,
                Optional.empty(),
                1,
                List.of(task.id()),
                () -> List.of(task),
                taken.ttr(),
                Optional.empty()));
    }

    /**
     * Adds tasks that went through one transition together.
     *
     * @param tasks gives the tasks with their data, and is called only if there is a listener
     */
    AfterCommit transitioned(Transitioned done, Supplier<List<Task>> tasks) {
        Transition transition = done.transition();
        followed |= done.followed() && (transition.isAck() || transition.freesCapacity());
        TaskState seen = transition.stateForListeners(done.from());
        Supplier<List<Task>> toPublish =
                () -> tasks.get().stream().map(task -> in(seen, task)).toList();
        return done.count() == 0
                ? this
                : add(new Applied(
                        transition,
                        transition.isCounted() ? done.count() : 0,
                        Optional.of(done.from()),
                        done.count(),
                        done.ids(),
                        toPublish,
                        done.untilDeadline(),
                        Optional.empty()));
    }

    /** Adds one event for tasks in any states. {@link #counted} counts the tasks. */
    AfterCommit event(Transition transition, Collection<Long> ids, Supplier<List<Task>> tasks) {
        Supplier<List<Task>> toPublish =
                () -> tasks.get().stream().map(task -> in(task.state(), task)).toList();
        return add(new Applied(transition, 1, Optional.empty(), 0, ids, toPublish, Optional.empty(), Optional.empty()));
    }

    /** Adds the number of tasks of an {@link #event}. */
    AfterCommit counted(Transitioned done) {
        return add(new Applied(
                done.transition(),
                0,
                Optional.of(done.from()),
                done.count(),
                List.of(),
                List::of,
                Optional.empty(),
                Optional.empty()));
    }

    /** Has the effects follow the commit of the caller's transaction. */
    void register() {
        all.stream()
                .filter(applied -> applied.count > 0)
                .filter(applied -> applied.transition.to().equals(Optional.of(TaskState.READY)))
                .map(applied -> applied.key.orElse(OrderKey.START))
                .min(Comparator.naturalOrder())
                .ifPresent(tube::comes);
        tube.afterCommit(this);
    }

    private AfterCommit add(Applied applied) {
        all.add(applied);
        return this;
    }

    /** Returns a task in a state, with the name of this tube, which a sweep of many tubes does not know. */
    private Task in(TaskState state, Task task) {
        return new Task(
                task.id(),
                tube.name(),
                state,
                task.pri(),
                task.attempts(),
                state == TaskState.TAKEN ? task.token() : 0,
                task.utube(),
                task.headers(),
                task.data());
    }

    @Override
    public void run() {
        forgotten.ifPresent(this::forget);
        if (!alreadyCounted) {
            all.forEach(applied -> isolated(applied, this::count));
        }
        if (failed) {
            tube.counters().deliveryFailed();
        }
        all.forEach(applied -> isolated(applied, this::notifyWatches));
        all.forEach(applied -> isolated(applied, this::notifyListeners));
        all.forEach(applied -> isolated(applied, this::wake));
        all.forEach(applied -> isolated(applied, this::arm));
        all.forEach(applied -> isolated(applied, this::follow));
    }

    /** Forgets the takes, and counts the times of those that ended by an ack. */
    private void forget(Forgotten ended) {
        boolean acked = false;
        for (Applied applied : all) {
            acked |= applied.transition.isAck();
        }
        long now = System.nanoTime();
        for (Task task : ended.tasks) {
            Session.Held take = ended.session.removeHeld(task);
            if (acked && take != null) {
                tube.counters().ran(now - take.since());
            }
        }
    }

    /** Counts a take that found nothing, and notifies listeners. It changes no task, so there are no other effects. */
    static void tookNothing(TubeRuntime tube) {
        tube.counters().happened(TubeEvent.TAKE_TIMEOUT);
        try {
            tube.listeners().publish(TubeEvent.TAKE_TIMEOUT);
        } catch (Throwable e) {
            Log.LOG.effectFailed(tube.name(), TubeEvent.TAKE_TIMEOUT, e);
        }
    }

    private void isolated(Applied applied, Consumer<Applied> effect) {
        try {
            effect.accept(applied);
        } catch (Throwable e) {
            Log.LOG.effectFailed(tube.name(), applied.transition.event(), e);
        }
    }

    private void count(Applied applied) {
        tube.counters().count(applied.transition, applied.events, applied.from, applied.count);
    }

    private void notifyWatches(Applied applied) {
        tube.watches().changed(applied.ids, applied.transition.to().orElse(TaskState.DONE));
        if (applied.transition.to().equals(DONE)) {
            tube.resultsKept();
        }
    }

    private void notifyListeners(Applied applied) {
        if (tube.notifiesListeners()) {
            List<Task> toPublish = applied.toPublish.get();
            if (!toPublish.isEmpty()) {
                tube.listeners().publish(applied.transition.event(), toPublish);
            }
        }
    }

    private void wake(Applied applied) {
        if (applied.count == 0) {
            return;
        }
        if (applied.transition.to().equals(Optional.of(TaskState.READY))) {
            applied.key.ifPresentOrElse(tube::readyAt, () -> tube.ready(applied.count));
        } else if (applied.from.filter(applied.transition::unblocks).isPresent() || mayHaveHeld(applied)) {
            tube.unblocked(applied.count);
        }
        if (applied.transition.freesCapacity()) {
            tube.capacityFreed(applied.count);
        }
    }

    /** In strict order a task that failed holds its sub-queue, until it is gone or another one is in its place. */
    private boolean mayHaveHeld(Applied applied) {
        return tube.stored().definition().takeLimits().strictOrder()
                && applied.from
                        .filter(from -> from == TaskState.DELAYED || from == TaskState.BURIED)
                        .isPresent();
    }

    /** Tells of tasks for which others may wait, and which have ended or are gone. */
    private void follow(Applied applied) {
        if (applied.transition == Transition.TRUNCATE) {
            tube.ordering().gone();
        } else if (followed || (applied.transition.freesCapacity() && !applied.transition.isAck())) {
            tube.ordering().ended(applied.ids, followed);
        }
    }

    private void arm(Applied applied) {
        applied.untilDeadline.ifPresent(tube::due);
    }
}
