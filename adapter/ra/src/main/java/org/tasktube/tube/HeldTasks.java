package org.tasktube.tube;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.session.Session;
import org.tasktube.store.Change;
import org.tasktube.store.Holder;
import org.tasktube.store.Transition;
import org.tasktube.store.Transitioned;
import org.tasktube.store.sql.TaskStore;

/** The operations of a task's holder. They return false if the session does not hold the task by that taking. */
public final class HeldTasks {

    private final TubeContext context;
    private final TubeRuntime runtime;

    HeldTasks(TubeContext context, TubeRuntime runtime) {
        this.context = context;
        this.runtime = runtime;
    }

    /** Deletes a task because its work is done. */
    boolean ack(Session session, Task task) {
        return apply(session, task, Change.of(Transition.ACK));
    }

    /** The same at the end of a delivery. This take is not ended again, so the session forgets it in any case. */
    public boolean ackDelivered(Session session, Task task) {
        boolean acked = applyOutcome(session, task, Change.of(Transition.ACK));
        if (!acked) {
            session.removeHeld(task);
        }
        return acked;
    }

    /**
     * Acks tasks of ended deliveries, each that is still held and that no other transaction has locked. Returns the
     * others.
     */
    public List<Task> ackDelivered(Session session, Collection<Task> tasks) {
        Transitioned acked = store().ackUnlocked(runtime.stored(), holder(session), tasks);
        Set<Long> ids = Set.copyOf(acked.ids());
        Map<Boolean, List<Task>> byAck =
                tasks.stream().collect(Collectors.partitioningBy(task -> ids.contains(task.id())));
        effects()
                .transitioned(acked, () -> byAck.get(true))
                .sessionForgets(session, byAck.get(true))
                .register();
        return byAck.get(false);
    }

    /** Acks all of these tasks, or none if one of them is not held any more. */
    public boolean ackAll(Session session, Collection<Task> tasks) {
        Optional<Transitioned> acked =
                store().applyToAllHeld(runtime.stored(), Change.of(Transition.ACK), holder(session), tasks);
        acked.ifPresent(done -> afterCommit(session, List.copyOf(tasks), done, effects()));
        return acked.isPresent();
    }

    /** Applies a transition to a task, and its effects after the commit. */
    public boolean apply(Session session, Task task, Change change) {
        Optional<Transitioned> done = store().apply(runtime.stored(), change, holder(session), task);
        done.ifPresent(transitioned -> afterCommit(session, List.of(task), transitioned, effects()));
        return done.isPresent();
    }

    /**
     * The same for the outcome of a delivery.
     *
     * @throws org.tasktube.StoreException outside a transaction also if another one has locked the task
     */
    public boolean applyOutcome(Session session, Task task, Change change) {
        Optional<Transitioned> done = store().applyOutcome(runtime.stored(), change, holder(session), task);
        done.ifPresent(transitioned -> afterCommit(
                session,
                List.of(task),
                transitioned,
                change.failure().isPresent() ? effects().deliveryFailed() : effects()));
        return done.isPresent();
    }

    private void afterCommit(Session session, List<Task> tasks, Transitioned done, AfterCommit plain) {
        AfterCommit effects = plain.transitioned(done, () -> tasks);
        boolean stays = done.to().filter(TaskState.TAKEN::equals).isPresent();
        (stays ? effects : effects.sessionForgets(session, tasks)).register();
    }

    /** Begins the ttr of a task again. If the session does not hold it any more, the session forgets it. */
    public boolean beginAgain(Session session, Task task) {
        boolean isHeld = apply(session, task, Change.of(Transition.HEARTBEAT));
        if (!isHeld) {
            session.removeHeld(task);
        }
        return isHeld;
    }

    /** Returns tasks that were taken but not begun. Their attempts do not count. */
    public void returnUnstarted(Session session, Collection<Task> tasks) {
        if (tasks.isEmpty()) {
            return;
        }
        Transitioned returned = store().returnUnstarted(runtime.stored(), holder(session), tasks);
        Set<Long> ids = Set.copyOf(returned.ids());
        List<Task> observed = tasks.stream()
                .filter(task -> ids.contains(task.id()))
                .map(HeldTasks::notAttempted)
                .toList();
        effects()
                .transitioned(returned, () -> observed)
                .sessionForgets(session, tasks)
                .register();
    }

    /** Makes a session forget a take that is not this tube's any more. A rollback may bring the take back. */
    void forget(Session session, Task task) {
        Session.Held take = session.held().get(task.id());
        if (take != null && take.tube().id() == runtime.stored().id()) {
            context.transactions().afterCommit(() -> session.removeHeld(task));
        }
    }

    private static Task notAttempted(Task task) {
        return new Task(
                task.id(),
                task.tube(),
                TaskState.READY,
                task.pri(),
                task.attempts() - 1,
                0,
                task.utube(),
                task.headers(),
                task.data());
    }

    private AfterCommit effects() {
        return new AfterCommit(runtime);
    }

    private TaskStore store() {
        return context.server().tasks(runtime.stored());
    }

    private Holder holder(Session session) {
        return new Holder(session.id(), context.server().number(), session.bean());
    }
}
