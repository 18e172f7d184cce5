package org.tasktube.tube;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskChangeListener;
import org.tasktube.TaskData;
import org.tasktube.TaskFailure;
import org.tasktube.TaskMeta;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeMode;
import org.tasktube.TubeNotFoundException;
import org.tasktube.TubeStatistics;
import org.tasktube.session.ClientConnection;
import org.tasktube.session.Session;
import org.tasktube.store.Change;
import org.tasktube.store.ModeSetting;
import org.tasktube.store.NewTask;
import org.tasktube.store.Put;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transition;
import org.tasktube.store.Transitioned;
import org.tasktube.store.sql.TaskStore;

/**
 * One tube on this server: applies transitions to its tasks in the store, and their effects after the commit
 * ({@link AfterCommit}). If a task is not in the state that a transition needs, this is an ordinary result here.
 * {@link TubeHandle} makes it an error.
 */
public final class TubeEngine implements TubeContext.OrderedTube {

    /** The number of tries if a task changes between two states while a change searches for it. */
    private static final int STATE_TRIES = 10;

    private final TubeContext context;
    private final TubeRuntime runtime;
    private final Claimer claimer;
    private final HeldTasks held;
    private final HandOver handOver;

    public TubeEngine(StoredTube tube, TubeContext context) {
        this.context = context;
        this.runtime = new TubeRuntime(tube, context);
        this.claimer = new Claimer(context, runtime);
        this.held = new HeldTasks(context, runtime);
        this.handOver = new HandOver(context, runtime, claimer);
    }

    public String name() {
        return runtime.name();
    }

    /** Returns the tube with its defaults as the caller's transaction sees them. */
    @Override
    public StoredTube stored() {
        return runtime.stored();
    }

    public TubeDefinition definition() {
        return stored().definition();
    }

    public TubeRuntime runtime() {
        return runtime;
    }

    /** Returns the queue of the waiters for a task. */
    public WaitQueue takers() {
        return runtime.takers();
    }

    /**
     * Returns a waiter for free capacity. Several tasks may find too little room where one would find enough.
     */
    WaitQueue.Waiter roomWaiter(int tasks) {
        return tasks > 1 ? runtime.putters().choosyWaiter() : runtime.putters().waiter();
    }

    public TubeType type() {
        return context.drivers().of(definition().type());
    }

    /**
     * Fails if the tube no longer exists.
     *
     * @throws TubeNotFoundException if the tube was dropped, even if another tube has its name now
     */
    public void checkThere() {
        context.directory().checkThere(stored());
    }

    private AfterCommit effects() {
        return new AfterCommit(runtime);
    }

    private void afterCommit(AfterCommit effects) {
        effects.register();
    }

    /** The answer of a change, and the changed tasks if there are listeners. */
    private record Seen<T>(T answer, List<Task> tasks) {}

    /** Makes a change and reads the changed tasks, before others can change them again. */
    private <T> Seen<T> seen(Function<TaskStore, T> change, Function<T, Collection<Long>> changed) {
        // One store for both: the adapter may leave RUNNING between the change and the read
        TaskStore store = store();
        if (!isListenedTo()) {
            return new Seen<>(change.apply(store), List.of());
        }
        return store.together(() -> {
            T answer = change.apply(store);
            Collection<Long> ids = changed.apply(answer);
            return new Seen<>(answer, ids.isEmpty() ? List.of() : store.reads().tasks(stored(), ids));
        });
    }

    private static Collection<Long> ids(Optional<Transitioned> done) {
        return done.map(Transitioned::ids).orElse(List.of());
    }

    // Put

    /** Returns the task to put. Checks the options, and uses the tube's defaults for options that are not set. */
    NewTask plan(TaskData data, PutOptions options, Optional<String> uniqueKey) {
        return PutPlan.of(definition(), type(), context.maxDataSize(), data, options, uniqueKey);
    }

    /**
     * Puts all tasks or none; the outcome says which, and why.
     *
     * @throws org.tasktube.TubeDrainingException if the tube is DRAINING
     */
    Put put(List<NewTask> tasks, List<PutOptions> options) {
        TaskStore store = context.server().tasks(stored());
        Supplier<Put> plain = () -> {
            handOver.settle(store);
            return store.put(stored(), tasks);
        };
        Put put;
        if (Followers.isOrdered(options)) {
            put = context.ordering().put(stored(), options, store, plain);
        } else {
            put = (tasks.size() == 1 ? handOver.put(store, tasks.get(0), options.get(0)) : Optional.<Put>empty())
                    .orElseGet(plain);
        }
        if (put.outcome() == Put.Outcome.DONE || put.outcome() == Put.Outcome.TAKEN) {
            context.ordering().made(put.ids());
        }
        if (put.outcome() == Put.Outcome.NO_TUBE) {
            throw gone();
        }
        if (put.outcome() == Put.Outcome.DONE) {
            runtime.wakePuttersAtEnd(tasks.size());
            afterCommit(new PutPlan(name(), tasks, options).done(put.ids(), effects()));
        }
        return put;
    }

    Task toTask(long id, NewTask task) {
        return PutPlan.task(name(), id, task);
    }

    @Override
    public void holdBack(long id) {
        settle();
        if (context.server().afters().holdBack(stored(), id)) {
            afterCommit(effects()
                    .transitioned(
                            Transitioned.one(Transition.REPLACE_DELAYED, TaskState.READY, id, Optional.empty()),
                            List::of));
        }
    }

    /** Has an edited form of a task wait as that one did, and others for it. */
    void move(long old, long id, boolean waited) {
        context.ordering().move(this, old, id, waited);
    }

    @Override
    public void buryWaiting(long id, String why) {
        afterCommit(changed(Change.burial(TaskState.DELAYED, new TaskFailure(Tube.BURIED, why, "")), id));
    }

    /** Replaces a READY or DELAYED task by a new one. Returns false if the task is in neither state. */
    boolean replace(long id, NewTask task) {
        return inAnyState(
                Transition.REPLACE,
                id,
                from -> afterCommit(seen(store -> store.replace(stored(), id, from, task), TubeEngine::ids)));
    }

    /** Tries a change in each state that it is from. If a delay ends between two tries, it tries again. */
    private boolean inAnyState(Transition transition, long id, Predicate<TaskState> change) {
        Set<TaskState> states = transition.from();
        for (int i = 0; i < STATE_TRIES; i++) {
            if (states.stream().anyMatch(change)) {
                return true;
            }
            if (states.size() == 1
                    || find(id).filter(task -> states.contains(task.state())).isEmpty()) {
                return false;
            }
        }
        return false;
    }

    /**
     * Returns the error for a missing tube. The transaction may have dropped the tube itself and may still roll back,
     * so the tube is forgotten after the commit only.
     */
    private TubeNotFoundException gone() {
        context.transactions().afterCommit(this::forget);
        return new TubeNotFoundException(name());
    }

    // Take

    /**
     * Takes up to {@code max} tasks for a bean's session, from the end of the last such claim on. Returns none only if
     * the whole tube has none.
     *
     * @param maxBytes the bytes of data and headers after which it takes no more; it takes the first task of any size
     */
    public List<Task> claimOn(ClientConnection client, int max, long maxBytes) {
        List<Task> claimed = claimer.claimOn(client.session(), max, maxBytes);
        if (claimed.size() < max) {
            handOver.foundAll();
        }
        return claimed;
    }

    /**
     * Takes up to {@code max} tasks for a session. If the session ends before it works on them, its end releases them.
     */
    List<Task> claim(Session session, int max) {
        settle();
        return claimer.claim(session, max);
    }

    void tookNothing() {
        AfterCommit.tookNothing(runtime);
    }

    // Transitions by the holder

    /** Returns the operations of a task's holder. */
    public HeldTasks held() {
        return held;
    }

    // Releases by the adapter

    /** Makes the tasks READY that a session still holds. Called outside transactions. */
    public void releaseSession(Session session, Collection<Long> ids) {
        Change end = Change.of(Transition.SESSION_END);
        Seen<Transitioned> released =
                seen(store -> store.applyToSession(stored(), end, session.id(), ids), Transitioned::ids);
        afterCommit(effects().transitioned(released.answer(), released::tasks));
    }

    /** Counts releases at once, because the adapter may count all tasks before listeners are notified. */
    public void countReleased(Transition transition, long tasks) {
        runtime.counters().count(transition, transition.isCounted() ? tasks : 0, Optional.of(TaskState.TAKEN), tasks);
    }

    /**
     * Applies the effects of releases by a statement that did not read the tasks. Listeners are notified of the tasks
     * that still exist. {@link #countReleased} has counted the releases.
     */
    public void released(Transition transition, List<Long> ids) {
        List<Task> observed = isListenedTo() ? store().reads().tasks(stored(), ids) : List.of();
        Transitioned released = Transitioned.many(transition, TaskState.TAKEN, ids);
        afterCommit(effects().transitioned(released, () -> observed).alreadyCounted());
    }

    // Transitions by any caller

    /**
     * Applies a transition to the task with an id, and its effects after the commit. Returns false if the task has none
     * of the states that the transition is from.
     */
    boolean apply(Transition transition, long id) {
        if (transition == Transition.BURY_UNHELD && definition().takeLimits().strictOrder()) {
            // Only a head holds its sub-queue
            claimer.promoteHeads();
        }
        return inAnyState(transition, id, from -> afterCommit(changed(Change.from(from, transition), id)));
    }

    private Seen<Optional<Transitioned>> changed(Change change, long id) {
        return seen(store -> store.apply(stored(), change, id), TubeEngine::ids);
    }

    /** Deletes a task in any state. Returns the state that it had; empty if it does not exist. */
    Optional<TaskState> delete(long id) {
        Change change = Change.of(Transition.DELETE);
        TaskStore store = store();
        Seen<Optional<Transitioned>> removed = seenBefore(store, id, () -> store.apply(stored(), change, id));
        afterCommit(removed);
        return removed.answer().map(Transitioned::from);
    }

    /** Returns a change that may remove the task, with the task as it was before, if somebody listens. */
    private <T> Seen<T> seenBefore(TaskStore store, long id, Supplier<T> change) {
        return !isListenedTo()
                ? new Seen<>(change.get(), List.of())
                : store.together(() -> {
                    List<Task> before = store.reads().tasks(stored(), List.of(id));
                    return new Seen<>(change.get(), before);
                });
    }

    /** Cancels a task. Returns whether it was deleted, and not its holder asked; empty if it does not exist. */
    Optional<Boolean> cancel(long id, String reason) {
        TaskFailure why = new TaskFailure("cancelled", reason, "");
        TaskStore store = store();
        Seen<Optional<Transitioned>> seen = seenBefore(
                store,
                id,
                () -> store.together(() -> store.cancel(stored(), id, why).map(done -> {
                    if (done.transition() == Transition.CANCEL) {
                        context.holding().ask(id, reason);
                    }
                    return done;
                })));
        afterCommit(seen);
        Optional<Boolean> deleted = seen.answer().map(done -> done.transition() == Transition.DELETE);
        deleted.filter(gone -> !gone).ifPresent(asked -> context.holding().asked());
        return deleted;
    }

    /** Returns whether the holder of a task was asked to end it. */
    public boolean isCancelled(long id) {
        return context.holding().isCancelled(id);
    }

    TubeContext.Holding holding() {
        return context.holding();
    }

    private boolean afterCommit(Seen<Optional<Transitioned>> seen) {
        seen.answer().ifPresent(done -> {
            if (done.from() != TaskState.BURIED) {
                runtime.wakeAfterRollback(1);
            }
            afterCommit(effects().transitioned(done, seen::tasks));
        });
        return seen.answer().isPresent();
    }

    long kick(long count) {
        int most = (int) Math.min(count, Integer.MAX_VALUE);
        Change kick = Change.of(Transition.KICK);
        Seen<Transitioned> kicked = seen(store -> store.applyToFirst(stored(), kick, most), Transitioned::ids);
        afterCommit(effects().transitioned(kicked.answer(), kicked::tasks));
        return kicked.answer().count();
    }

    Optional<Task> find(String key) {
        return store().reads().byKey(stored(), key);
    }

    /** Returns whether a unique key is taken, by a task or for its time. */
    boolean isTaken(String key) {
        return store().reads().isTaken(stored(), key);
    }

    /** Deletes the task of a unique key, and frees the key. Returns whether there was something to do. */
    boolean delete(String key) {
        boolean freed = store().freeKey(stored(), key);
        Optional<Task> found = find(key);
        while (found.isPresent()) {
            if (delete(found.get().id()).isPresent()) {
                return true;
            }
            found = find(key);
        }
        return freed;
    }

    boolean letGo(String utube) {
        boolean held = store().letGo(stored(), utube);
        if (held) {
            runtime.afterCommit(() -> runtime.unblocked(1));
        }
        return held;
    }

    long releaseAll() {
        Change release = Change.of(Transition.RELEASE_ALL);
        Seen<List<Transitioned>> released = seen(
                store -> store.applyToAll(stored(), release, false),
                done -> done.stream().flatMap(one -> one.ids().stream()).toList());
        AfterCommit effects = effects();
        released.answer().forEach(done -> effects.transitioned(done, released::tasks));
        afterCommit(effects);
        return count(released.answer());
    }

    /**
     * Removes all tasks; returns their number. A watched task exists now, or others have removed it. In both cases it
     * no longer exists afterwards, so all watches are notified.
     */
    long truncate() {
        Set<Long> watched = Set.copyOf(runtime.watches().tasks());
        List<Transitioned> gone = store().applyToAll(stored(), Change.of(Transition.TRUNCATE), isListenedTo());
        long count = count(gone);
        runtime.wakeAfterRollback(count);
        List<Task> observed =
                gone.stream().flatMap(done -> done.tasks().stream()).toList();
        AfterCommit effects = effects().event(Transition.TRUNCATE, watched, () -> observed);
        gone.forEach(effects::counted);
        afterCommit(effects);
        return count;
    }

    private static long count(List<Transitioned> done) {
        return done.stream().mapToLong(Transitioned::count).sum();
    }

    void drop(boolean force) {
        settle();
        context.directory().drop(stored(), force);
        context.transactions().afterCommit(this::forget);
    }

    /** Forgets a dropped tube. All calls that wait at it fail. */
    public void forget() {
        context.directory().forget(stored());
        runtime.end();
        context.ordering().gone();
    }

    // Mode

    /** Sets the tube's mode. Returns false if it has that mode already. */
    boolean setMode(TubeMode mode, String by, String reason) {
        settle();
        Optional<ModeSetting> set = context.directory().setMode(stored(), mode, by, reason);
        set.ifPresent(runtime::modeSet);
        return set.isPresent();
    }

    // Deadlines

    /** Returns whether the tube has listeners, for which changed tasks must be read. */
    public boolean isListenedTo() {
        return !runtime.listeners().isEmpty();
    }

    /** Applies the effects of a sweep, which has changed tasks that were in one state. */
    public void swept(Transitioned done) {
        // A listener that was set since the sweep began gets the tasks that still exist
        effects()
                .transitioned(
                        done, () -> done.tasks().isEmpty() ? store().reads().tasks(stored(), done.ids()) : done.tasks())
                .run();
    }

    // Reads

    Optional<Task> find(long id) {
        return store().reads().find(stored(), id);
    }

    Optional<UUID> holder(long id) {
        return store().reads().holder(stored(), id);
    }

    Optional<TaskMeta> meta(long id) {
        return store().reads().meta(stored(), id);
    }

    Optional<TaskResult> result(long id) {
        return store().reads().result(stored(), id);
    }

    Optional<Task> first(TaskState state) {
        if (stored().subQueues() && state == TaskState.READY) {
            claimer.promoteHeads();
        }
        return store().reads().first(stored(), state);
    }

    List<Task> page(TaskState state, long afterId, int limit) {
        return store().reads().page(stored(), state, afterId, limit);
    }

    public TubeStatistics statistics() {
        return runtime.counters().read(name(), runtime.mode().committed());
    }

    Optional<TaskChangeListener> onTaskChange(TaskChangeListener listener) {
        return runtime.listeners().set(listener);
    }

    /** Returns the store for all but puts and claims. The caller's transaction sees what it has put as READY. */
    private TaskStore store() {
        settle();
        return context.server().tasks(stored());
    }

    /** Makes READY what the caller's transaction has put for beans, so that it stays before what comes next. */
    void settle() {
        handOver.settle(context.server().tasks(stored()));
    }
}
