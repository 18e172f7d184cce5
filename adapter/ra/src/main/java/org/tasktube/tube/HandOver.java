package org.tasktube.tube;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.tasktube.PutOptions;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.TaskTubeException;
import org.tasktube.TubeMode;
import org.tasktube.session.Session;
import org.tasktube.store.Change;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.Holder;
import org.tasktube.store.NewTask;
import org.tasktube.store.OrderKey;
import org.tasktube.store.Put;
import org.tasktube.store.TaskStore;
import org.tasktube.store.Transition;
import org.tasktube.store.Transitioned;

/**
 * Puts tasks for beans with an idle thread: the task is TAKEN by the bean's session from its put on, and goes to a
 * thread of the bean after the commit. That spares the claim, which would be a second version of the task's row, and the
 * bean's wait for it. No take that is first in line is passed over, and no such task gets a thread that a READY task
 * before it needs. What a bean cannot begin at once is READY, for all servers.
 *
 * <p>In its own transaction such a task is READY like any other: before the transaction looks at the tube, or puts a
 * task that is READY, those that it has put for beans become READY ({@link #settle}). So they keep their order.
 */
final class HandOver {

    private final TubeContext context;
    private final TubeRuntime runtime;
    private final Claimer claimer;

    /** What open transactions have put for beans, by their identities. */
    private final Map<Object, Queue<Handed>> open = new ConcurrentHashMap<>();

    HandOver(TubeContext context, TubeRuntime runtime, Claimer claimer) {
        this.context = context;
        this.runtime = runtime;
        this.claimer = claimer;
    }

    /** Puts a task for a bean that waits for one. Returns empty, and puts nothing, if the task can be for none. */
    Optional<Put> put(TaskStore store, NewTask task, PutOptions options) {
        if (runtime.receivers().isEmpty()
                || !isForReceivers(task)
                || runtime.takers().isFirstByWakes()) {
            return Optional.empty();
        }
        for (TaskReceiver receiver : runtime.receivers().inTurn()) {
            Optional<TaskReceiver.Reservation> reserved = receiver.reserve();
            if (reserved.isPresent()) {
                long token = context.claims().begin();
                Handed handed = new Handed(receiver, reserved.get().session(), token, task, options);
                return Optional.of(put(store, handed, reserved.get().othersIdle()));
            }
        }
        return Optional.empty();
    }

    /** A listener could hold up the thread that hands the task over. */
    private boolean isForReceivers(NewTask task) {
        return task.isPlain()
                && task.state() == TaskState.READY
                && runtime.listeners().isEmpty()
                && !runtime.stored().definition().temporary()
                && runtime.mode().here().mode() == TubeMode.OPEN;
    }

    /** Puts a task, unless READY tasks before it need all the idle threads. */
    private Put put(TaskStore store, Handed handed, int othersIdle) {
        try {
            Put put = store.putFor(runtime.stored(), handed.task, handed.holder, handed.token, othersIdle);
            if (put.outcome() == Put.Outcome.TAKEN) {
                follow(handed, put.id());
            } else {
                context.claims().ended(handed.token);
                handed.cancel();
                settle(store);
            }
            return put;
        } catch (RuntimeException | Error e) {
            if (isRefusal(e)) {
                context.claims().ended(handed.token);
            } else {
                context.claims().lost(handed.token, !context.transactions().active());
            }
            handed.cancel();
            throw e;
        }
    }

    /** Returns whether the task is surely not there. */
    private static boolean isRefusal(Throwable e) {
        boolean isAway = e instanceof StoreException failed && failed.isDatabaseAway();
        return e instanceof TaskTubeException && !isAway;
    }

    /** Follows the transaction, as a claim does. */
    private void follow(Handed handed, long id) {
        handed.id = id;
        if (context.transactions().active()) {
            Object transaction = context.transactions().key();
            open.computeIfAbsent(transaction, this::forgottenAtEnd).add(handed);
        }
        claimer.hold(handed.session, handed.token, handed::held);
        runtime.afterCommit(handed::committed);
        context.transactions().atEnd(handed::cancel);
    }

    private Queue<Handed> forgottenAtEnd(Object transaction) {
        context.transactions().atEnd(() -> open.remove(transaction));
        return new ConcurrentLinkedQueue<>();
    }

    /** Makes READY what the caller's transaction has put for beans, before it does something else with the tube. */
    void settle(TaskStore store) {
        if (open.isEmpty() || !context.transactions().active()) {
            return;
        }
        Queue<Handed> own = open.remove(context.transactions().key());
        if (own != null) {
            own.forEach(handed -> handed.takeBack(store));
        }
    }

    /** A task that was put for a bean. */
    private final class Handed {

        private final TaskReceiver receiver;
        private final Session session;
        private final Holder holder;
        private final long token;
        private final NewTask task;
        private final PutOptions options;
        private final long since = System.nanoTime();
        private final AtomicBoolean reserved = new AtomicBoolean(true);
        private volatile long id;
        private volatile boolean isTaken = true;

        Handed(TaskReceiver receiver, Session session, long token, NewTask task, PutOptions options) {
            this.receiver = receiver;
            this.session = session;
            this.holder = new Holder(session.id(), context.server().number(), session.bean());
            this.token = token;
            this.task = task;
            this.options = options;
        }

        List<ClaimedTask> held() {
            return isTaken ? List.of(taken()) : List.of();
        }

        /** Returns the task as its holder sees it. */
        private ClaimedTask taken() {
            Task held = new Task(
                    id,
                    runtime.name(),
                    TaskState.TAKEN,
                    task.pri(),
                    1,
                    token,
                    task.utube(),
                    task.headers(),
                    task.data());
            return new ClaimedTask(held, new OrderKey(task.pri(), id, id), task.ttr(), 0);
        }

        void committed() {
            AfterCommit effects = new AfterCommit(runtime);
            if (!isTaken) {
                new PutPlan(runtime.name(), List.of(task), List.of(options))
                        .done(List.of(id), effects)
                        .run();
                return;
            }
            ClaimedTask taken = taken();
            try {
                effects.putFor(PutPlan.task(runtime.name(), id, task), taken).run();
            } finally {
                reserved.set(false);
                receiver.receive(taken.task(), since);
            }
        }

        void takeBack(TaskStore store) {
            Change back = Change.of(Transition.RETURN_UNSTARTED);
            Transitioned unused = store.applyToHeld(runtime.stored(), back, holder, List.of(taken().task()));
            isTaken = false;
            cancel();
        }

        /** Gives the reservation back, unless the bean has got the task. */
        void cancel() {
            if (reserved.compareAndSet(true, false)) {
                receiver.cancel();
            }
        }
    }
}
