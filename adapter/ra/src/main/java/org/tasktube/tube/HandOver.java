package org.tasktube.tube;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.tasktube.PutOptions;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.TaskTubeException;
import org.tasktube.TubeMode;
import org.tasktube.session.Session;
import org.tasktube.store.ClaimRange;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.Holder;
import org.tasktube.store.NewTask;
import org.tasktube.store.OrderKey;
import org.tasktube.store.Put;
import org.tasktube.store.StackRoom;
import org.tasktube.store.sql.TaskStore;

/**
 * Puts tasks for beans with an idle thread: the task is TAKEN by the bean's session from its put on, and goes to a
 * thread of the bean after the commit. That spares the claim, which would be a second version of the task's row, and the
 * bean's wait for it. No waiting take is passed over, and no such task gets a thread that a READY task
 * before it needs. What a bean cannot begin at once is READY, for all servers.
 *
 * <p>In its own transaction such a task is READY like any other: before the transaction looks at the tube, or puts a
 * task that is READY, those that it has put for beans become READY ({@link #settle}). So they keep their order.
 */
final class HandOver {

    /** The part of the ttr that a transaction may use up. */
    private static final int TTR_PART = 4;

    /** A put on which the database works so long is slow. It takes a twentieth of that otherwise. */
    private static final long SLOW_MICROS = 2_000;

    private static final int SLOW_IN_A_ROW = 3;

    /** What the data of a task may take beside that, in microseconds per KiB: twice of what was measured. */
    private static final long SLOW_PER_KIB = 100;

    /** The rest after some slow puts. It doubles while the put after it is slow, too. */
    private static final long REST = Duration.ofMillis(250).toNanos();

    private static final long LONGEST_REST = Duration.ofSeconds(16).toNanos();

    private final TubeContext context;
    private final TubeRuntime runtime;
    private final Claimer claimer;
    private volatile long restsUntil = System.nanoTime();
    private final Object rests = new Object();
    private long rest = REST;
    private int slowInARow;

    /** True from a put that READY tasks came before until a claim has found all of them, so that puts need not look. */
    private volatile boolean isBehind;

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
                || isBehind
                || System.nanoTime() - restsUntil < 0
                || !isForReceivers(task)
                || runtime.takers().hasTakes()
                || isShared()
                || context.transactions().isCommitting()) {
            return Optional.empty();
        }
        StackRoom.check();
        List<TaskReceiver> receivers = runtime.receivers().inTurn();
        return put(store, receivers, false, task, options).or(() -> put(store, receivers, true, task, options));
    }

    private Optional<Put> put(
            TaskStore store, List<TaskReceiver> receivers, boolean ahead, NewTask task, PutOptions options) {
        for (TaskReceiver receiver : receivers) {
            Optional<TaskReceiver.Reservation> reserved =
                    ahead ? receiver.reserveAhead(task.data().size()) : receiver.reserve();
            if (reserved.isPresent()) {
                return Optional.of(put(store, handed(receiver, reserved.get(), task, options), reserved.get()));
            }
        }
        return Optional.empty();
    }

    /** Learns that a claim has found all READY tasks. */
    void foundAll() {
        isBehind = false;
    }

    /** Returns whether the end of the caller's transaction may not say what the database has committed. */
    private boolean isShared() {
        return context.transactions().active() && context.transactions().isShared();
    }

    private Handed handed(TaskReceiver receiver, TaskReceiver.Reservation reserved, NewTask task, PutOptions options) {
        try {
            return new Handed(receiver, reserved, task, options);
        } catch (RuntimeException | Error e) {
            receiver.answered();
            receiver.cancel();
            throw e;
        }
    }

    private Put putFor(TaskStore store, Handed handed, TaskReceiver.Reservation reserved) {
        try {
            // What the transaction has put or released may be before the position, seen by no claim
            boolean fromStart = context.transactions().isUsed();
            return store.putFor(
                    runtime.stored(),
                    handed.task,
                    handed.holder,
                    handed.token,
                    () -> ClaimRange.of(
                            fromStart ? OrderKey.START : runtime.cursor().position(), reserved.othersIdle()));
        } finally {
            // Without a transaction it has committed, and the bean gets it at once
            if (context.transactions().active()) {
                handed.answered();
            }
        }
    }

    /**
     * A listener could hold up the thread that hands the task over. Beside sub-queues a put does not see what a claim
     * would promote and take before it.
     */
    private boolean isForReceivers(NewTask task) {
        return task.isPlain()
                && task.state() == TaskState.READY
                && runtime.listeners().isEmpty()
                && !runtime.stored().subQueues()
                && !runtime.stored().isLimited()
                && runtime.mode().here().mode() == TubeMode.OPEN;
    }

    /** Puts a task, unless READY tasks before it need all the idle threads. */
    private Put put(TaskStore store, Handed handed, TaskReceiver.Reservation reserved) {
        boolean isDone = false;
        try {
            Put put = putFor(store, handed, reserved);
            isDone = true;
            took(put.micros() - SLOW_PER_KIB * handed.task.data().size() / 1024, handed.since);
            if (put.outcome() == Put.Outcome.TAKEN) {
                follow(handed, put);
            } else {
                context.claims().ended(handed.token);
                handed.cancel();
                isBehind = true;
                settle(store);
            }
            return put;
        } catch (RuntimeException | Error e) {
            if (!isDone && isRefusal(e)) {
                context.claims().ended(handed.token);
            } else {
                context.claims()
                        .lost(handed.token, isDone || !context.transactions().active());
            }
            handed.cancel();
            throw e;
        }
    }

    /**
     * Rests after some slow puts: each looks for tasks before it, and reads the entries of removed ones, as long as an
     * old snapshot keeps them. The time is the database's: on its way and at its commit, a put waits for other reasons.
     */
    private void took(long micros, long since) {
        synchronized (rests) {
            if (micros < SLOW_MICROS) {
                slowInARow = 0;
                rest = REST;
            } else if (since - restsUntil >= 0 && ++slowInARow >= SLOW_IN_A_ROW) {
                // One that began before the last rest has seen what that one is for
                restsUntil = System.nanoTime() + rest;
                rest = Math.min(2 * rest, LONGEST_REST);
            }
        }
    }

    /** Returns whether the task is surely not there. */
    private static boolean isRefusal(Throwable e) {
        boolean isAway = e instanceof StoreException failed && failed.isDatabaseAway();
        return e instanceof TaskTubeException && !isAway;
    }

    /** Follows the transaction, as a claim does. */
    private void follow(Handed handed, Put put) {
        handed.id = put.id();
        handed.mayVanish = put.mayVanish();
        claimer.hold(handed.session, handed.token, handed::held);
        runtime.afterCommit(handed::committed);
        context.transactions().atEnd(handed::cancel);
        // Last, so that there is none that nothing gives back
        if (context.transactions().active()) {
            ofThisTransaction().add(handed);
        }
    }

    private Queue<Handed> ofThisTransaction() {
        Object transaction = context.transactions().key();
        Queue<Handed> known = open.get(transaction);
        if (known != null) {
            return known;
        }
        Queue<Handed> first = new ConcurrentLinkedQueue<>();
        open.put(transaction, first);
        context.transactions().atEnd(() -> open.remove(transaction));
        context.transactions().beforeCommit(this::look);
        return first;
    }

    /** Looks before the commit at what the caller's transaction has put for beans. */
    private void look() {
        TaskStore store = context.server().tasks(runtime.stored());
        if (isShared()) {
            settle(store);
        }
        Queue<Handed> own = open.getOrDefault(context.transactions().key(), new ConcurrentLinkedQueue<>());
        own.forEach(Handed::commits);
        Map<Long, Handed> doubtful = new HashMap<>();
        own.stream().filter(handed -> handed.mayVanish).forEach(handed -> doubtful.put(handed.id, handed));
        if (!doubtful.isEmpty()) {
            doubtful.keySet().removeAll(store.reads().states(doubtful.keySet()).keySet());
            doubtful.values().forEach(Handed::vanish);
        }
    }

    /** Makes READY what the caller's transaction has put for beans, before it does something else with the tube. */
    void settle(TaskStore store) {
        if (open.isEmpty() || !context.transactions().active()) {
            return;
        }
        Queue<Handed> own = open.remove(context.transactions().key());
        if (own != null) {
            own.stream()
                    .collect(Collectors.groupingBy(handed -> handed.holder))
                    .forEach((holder, all) -> takeBack(store, holder, all));
        }
    }

    private void takeBack(TaskStore store, Holder holder, List<Handed> all) {
        List<Task> tasks = all.stream().map(handed -> handed.taken().task()).toList();
        Set<Long> back = Set.copyOf(
                store.returnUnstarted(runtime.stored(), holder, tasks).ids());
        all.stream()
                .map(handed -> handed.taken().key())
                .min(Comparator.naturalOrder())
                .ifPresent(runtime::comes);
        all.forEach(handed -> {
            handed.isTaken = false;
            handed.isThere = back.contains(handed.id);
            handed.cancel();
        });
    }

    /** A task that was put for a bean. */
    private final class Handed {

        private final TaskReceiver receiver;
        private final Session session;
        private final Holder holder;
        private final long token = context.claims().begin();
        private final NewTask task;
        private final PutOptions options;
        private final long since = System.nanoTime();
        private final AtomicBoolean reserved = new AtomicBoolean(true);
        private final AtomicBoolean asks = new AtomicBoolean(true);

        /** Sees which tasks become READY from before the put on, if the bean must have them in their order. */
        private final Optional<ScanCursor.Reading> watch;

        private volatile long id;
        private volatile boolean mayVanish;
        private volatile boolean isThere = true;
        private volatile boolean isTaken = true;

        Handed(TaskReceiver receiver, TaskReceiver.Reservation place, NewTask task, PutOptions options) {
            this.receiver = receiver;
            this.session = place.session();
            this.holder = new Holder(session.id(), context.server().number(), session.bean());
            this.task = task;
            this.options = options;
            this.watch = Optional.of(runtime.cursor())
                    .filter(cursor -> place.keepsOrder())
                    .map(ScanCursor::watch);
        }

        List<ClaimedTask> held() {
            return isThere && isTaken ? List.of(taken()) : List.of();
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
            if (!isThere) {
                return;
            }
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
                handTo(taken.task());
            }
        }

        /**
         * If the bean cannot get the task, for lack of memory, the check of holders finds it. So it does if a resource
         * has joined the transaction at its end: the database may have prepared the put only.
         */
        private void handTo(Task taken) {
            boolean done = false;
            try {
                if (!isShared()) {
                    reserved.set(false);
                    receiver.receive(taken, since, isLate());
                    done = true;
                }
            } finally {
                if (!done) {
                    session.removeHeld(taken);
                    context.claims().lost(token, true);
                }
            }
        }

        private boolean isLate() {
            long age = System.nanoTime() - since;
            return watch.filter(seen -> seen.isPassed(taken().key())).isPresent()
                    || task.ttr().filter(ttr -> age > ttr.toNanos() / TTR_PART).isPresent()
                    || task.untilExpiry().filter(ttl -> age > ttl.toNanos()).isPresent();
        }

        /** The transaction has rolled back to a savepoint before the put. */
        void vanish() {
            isThere = false;
            cancel();
        }

        void commits() {
            if (asks.compareAndSet(false, true)) {
                receiver.commits();
            }
        }

        void answered() {
            if (asks.compareAndSet(true, false)) {
                receiver.answered();
            }
        }

        /** Gives the reservation back, unless the bean has got the task. */
        void cancel() {
            if (reserved.compareAndSet(true, false)) {
                receiver.cancel();
            }
            answered();
            watch.ifPresent(ScanCursor.Reading::close);
        }
    }
}
