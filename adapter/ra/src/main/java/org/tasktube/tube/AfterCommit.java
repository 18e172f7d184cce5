package org.tasktube.tube;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.TubeEvent;
import org.tasktube.session.Session;
import org.tasktube.store.OrderKey;
import org.tasktube.store.Transition;
import org.tasktube.store.Transitioned;

/**
 * The effects of committed transitions of one tube, always in this order: statistics count them, watches and listeners are
 * notified, waiters are woken, the deadline timer is armed. So a listener knows of a transition before a woken waiter can
 * make the next one.
 *
 * <p>The transitions stand, whatever becomes of their effects: an effect that fails is logged, and the others follow all
 * the same. Nothing is thrown, {@code Error}s neither: it would end the thread that committed, or keep other transitions of
 * its transaction from their effects.
 */
final class AfterCommit implements Runnable {

    private final TubeRuntime tube;
    private final List<Moved> all = new ArrayList<>(1);
    private Optional<LetGo> letGo = Optional.empty();
    private boolean alreadyCounted;

    AfterCommit(TubeRuntime tube) {
        this.tube = tube;
    }

    /**
     * Tasks that went through one transition together.
     *
     * @param events how many events statistics count
     * @param from their state before; empty for tasks that come, or if each had another one
     * @param ids of the tasks that watches may wait for
     * @param told gives the tasks as they are to be told, and is called only if a listener is there
     * @param untilDeadline until the first of their deadlines; empty without one
     * @param key of a task that is READY now; empty if it is not known
     */
    private record Moved(
            Transition transition,
            long events,
            Optional<TaskState> from,
            long count,
            Collection<Long> ids,
            Supplier<List<Task>> told,
            Optional<Duration> untilDeadline,
            Optional<OrderKey> key) {}

    private record LetGo(Session session, Collection<Task> tasks) {}

    /** The session does not hold these tasks any more. */
    AfterCommit letGo(Session session, Collection<Task> tasks) {
        letGo = Optional.of(new LetGo(session, tasks));
        return this;
    }

    /** Statistics have counted all of it. */
    AfterCommit alreadyCounted() {
        alreadyCounted = true;
        return this;
    }

    /** Adds a task that was put. */
    AfterCommit put(Transition transition, Task task, Optional<Duration> untilDeadline, Optional<OrderKey> key) {
        return add(new Moved(transition, 1, Optional.empty(), 1, List.of(), () -> List.of(task), untilDeadline, key));
    }

    /**
     * Adds tasks that went through one transition together.
     *
     * @param tasks gives them with their data, and is called only if a listener is there
     */
    AfterCommit transitioned(Transitioned done, Supplier<List<Task>> tasks) {
        Transition transition = done.transition();
        TaskState told = transition.told(done.from());
        Supplier<List<Task>> toTell =
                () -> tasks.get().stream().map(task -> in(told, task)).toList();
        return done.count() == 0
                ? this
                : add(new Moved(
                        transition,
                        transition.isCounted() ? done.count() : 0,
                        Optional.of(done.from()),
                        done.count(),
                        done.ids(),
                        toTell,
                        done.untilDeadline(),
                        Optional.empty()));
    }

    /** Adds one event for tasks in whatever states, which {@link #counted} counts. */
    AfterCommit event(Transition transition, Collection<Long> ids, Supplier<List<Task>> tasks) {
        Supplier<List<Task>> told =
                () -> tasks.get().stream().map(task -> in(task.state(), task)).toList();
        return add(new Moved(transition, 1, Optional.empty(), 0, ids, told, Optional.empty(), Optional.empty()));
    }

    /** Adds tasks that an {@link #event} is of. */
    AfterCommit counted(Transitioned done) {
        return add(new Moved(
                done.transition(),
                0,
                Optional.of(done.from()),
                done.count(),
                List.of(),
                List::of,
                Optional.empty(),
                Optional.empty()));
    }

    private AfterCommit add(Moved moved) {
        all.add(moved);
        return this;
    }

    /** A sweep of many tubes knows its tasks without their tubes' names. */
    private Task in(TaskState state, Task task) {
        return new Task(task.id(), tube.name(), state, task.pri(), task.attempts(), 0, task.utube(), task.data());
    }

    @Override
    public void run() {
        letGo.ifPresent(held -> held.tasks.forEach(held.session::holdsNoMore));
        if (!alreadyCounted) {
            all.forEach(moved -> isolated(moved, this::count));
        }
        all.forEach(moved -> isolated(moved, this::notifyWatches));
        all.forEach(moved -> isolated(moved, this::notifyListeners));
        all.forEach(moved -> isolated(moved, this::wake));
        all.forEach(moved -> isolated(moved, this::arm));
    }

    /** A take that found nothing moves no task: it is counted and told, and that is all. */
    static void tookNothing(TubeRuntime tube) {
        tube.counters().happened(TubeEvent.TAKE_TIMEOUT);
        try {
            tube.listeners().tell(TubeEvent.TAKE_TIMEOUT);
        } catch (Throwable e) {
            Log.LOG.effectFailed(tube.name(), TubeEvent.TAKE_TIMEOUT, e);
        }
    }

    private void isolated(Moved moved, Consumer<Moved> effect) {
        try {
            effect.accept(moved);
        } catch (Throwable e) {
            Log.LOG.effectFailed(tube.name(), moved.transition.event(), e);
        }
    }

    private void count(Moved moved) {
        tube.counters().count(moved.transition, moved.events, moved.from, moved.count);
    }

    private void notifyWatches(Moved moved) {
        tube.watches().changed(moved.ids, moved.transition.to().orElse(TaskState.DONE));
    }

    private void notifyListeners(Moved moved) {
        if (tube.notifiesListeners()) {
            List<Task> told = moved.told.get();
            if (!told.isEmpty()) {
                tube.listeners().tell(moved.transition.event(), told);
            }
        }
    }

    private void wake(Moved moved) {
        if (moved.count == 0) {
            return;
        }
        if (moved.transition.to().equals(Optional.of(TaskState.READY))) {
            moved.key.ifPresentOrElse(tube::readyAt, () -> tube.ready(moved.count));
        } else if (moved.from.filter(moved.transition::unblocks).isPresent()) {
            tube.subQueuesUnblocked(moved.count);
        }
        if (moved.transition.freesCapacity()) {
            tube.capacityFreed(moved.count);
        }
    }

    private void arm(Moved moved) {
        moved.untilDeadline.ifPresent(tube::due);
    }
}
