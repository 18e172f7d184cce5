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
import org.tasktube.TaskMeta;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeNotFoundException;
import org.tasktube.TubeStatistics;
import org.tasktube.session.ClientConnection;
import org.tasktube.session.Session;
import org.tasktube.store.Change;
import org.tasktube.store.NewTask;
import org.tasktube.store.Put;
import org.tasktube.store.StoredTube;
import org.tasktube.store.TaskStore;
import org.tasktube.store.Transition;
import org.tasktube.store.Transitioned;

/**
 * One tube on this server: applies transitions to its tasks in the store, and their effects after the commit
 * ({@link AfterCommit}). A task that is not as a transition needs it is an ordinary result here; {@link TubeHandle} makes
 * it an error.
 */
public final class TubeEngine {

    /** How often a task may go from one state to another while a change looks for it. */
    private static final int STATE_TRIES = 10;

    private final StoredTube tube;
    private final TubeContext context;
    private final TubeRuntime runtime;
    private final Claimer claimer;
    private final HeldTasks held;

    public TubeEngine(StoredTube tube, TubeContext context) {
        this.tube = tube;
        this.context = context;
        this.runtime = new TubeRuntime(tube, context);
        this.claimer = new Claimer(tube, context, runtime);
        this.held = new HeldTasks(tube, context, runtime);
    }

    public String name() {
        return tube.name();
    }

    public StoredTube stored() {
        return tube;
    }

    public TubeDefinition definition() {
        return tube.definition();
    }

    public TubeRuntime runtime() {
        return runtime;
    }

    /** Returns those that wait for a task. */
    public WaitQueue takers() {
        return runtime.takers();
    }

    /** Several tasks, and in memory a large one, may find too little room where a small one would find enough. */
    WaitQueue.Waiter roomWaiter(int tasks) {
        return tasks > 1 || tube.definition().temporary()
                ? runtime.putters().choosyWaiter()
                : runtime.putters().waiter();
    }

    TubeType type() {
        return context.drivers().of(tube.definition().type());
    }

    /**
     * Fails if the tube is no more.
     *
     * @throws TubeNotFoundException if that is so, even if there is another one of its name
     */
    public void checkThere() {
        context.directory().checkThere(tube);
    }

    private AfterCommit effects() {
        return new AfterCommit(runtime);
    }

    private void afterCommit(AfterCommit effects) {
        runtime.afterCommit(effects);
    }

    /** What a change answered, and the tasks as it left them, if anybody listens. */
    private record Seen<T>(T answer, List<Task> tasks) {}

    /** Makes a change and looks what it made of the tasks before others can change them again. */
    private <T> Seen<T> seen(Supplier<T> change, Function<T, Collection<Long>> changed) {
        if (!isListenedTo()) {
            return new Seen<>(change.get(), List.of());
        }
        return store().together(() -> {
            T answer = change.get();
            Collection<Long> ids = changed.apply(answer);
            return new Seen<>(answer, ids.isEmpty() ? List.of() : store().tasks(tube, ids));
        });
    }

    private static Collection<Long> ids(Optional<Transitioned> done) {
        return done.map(Transitioned::ids).orElse(List.of());
    }

    // Put

    /** Returns a task as it is to be put: the options checked, the tube's defaults where they say nothing. */
    NewTask plan(TaskData data, PutOptions options, Optional<String> uniqueKey) {
        return PutPlan.of(tube.definition(), type(), context.maxDataSize(), data, options, uniqueKey);
    }

    /** Puts all tasks or none; the outcome says which, and why. */
    Put put(List<NewTask> tasks, List<PutOptions> options) {
        Put put = store().put(tube, tasks);
        if (put.outcome() == Put.Outcome.NO_TUBE) {
            throw gone();
        }
        if (put.outcome() == Put.Outcome.DONE) {
            runtime.wakePuttersAtEnd(tasks.size());
            afterCommit(new PutPlan(tube.name(), tasks, options).done(put.ids(), effects()));
        }
        return put;
    }

    Task toTask(long id, NewTask task) {
        return PutPlan.task(tube.name(), id, task);
    }

    /** Gives a task that is READY or DELAYED what the new one has; false if it is neither. */
    boolean replace(long id, NewTask task) {
        return inAnyState(
                Transition.REPLACE,
                id,
                from -> afterCommit(seen(() -> store().replace(tube, id, from, task), TubeEngine::ids)));
    }

    /** Tries a change in each state that it is from. A delay that ends between two tries is no reason to give up. */
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

    /** A transaction that has dropped the tube itself may yet roll back. */
    private TubeNotFoundException gone() {
        context.transactions().afterCommit(this::forget);
        return new TubeNotFoundException(tube.name());
    }

    // Take

    /**
     * Takes up to max tasks for a bean's session, reading on from where the last such claim ended; none only if there are
     * none in all the tube.
     */
    public List<Task> claimOn(ClientConnection client, int max) {
        return claimer.claimOn(client.session(), max);
    }

    /** Takes up to max tasks for a session; those that fail to be worked on before its close are released by that. */
    List<Task> claim(Session session, int max) {
        return claimer.claim(session, max);
    }

    void tookNothing() {
        AfterCommit.tookNothing(runtime);
    }

    // What the holder does

    /** Returns what a task's holder can do with it. */
    public HeldTasks held() {
        return held;
    }

    // What others make READY

    /** Makes READY what a session still holds; outside transactions. */
    public void releaseSession(Session session, Collection<Long> ids) {
        Change end = Change.of(Transition.SESSION_END);
        Seen<Transitioned> released =
                seen(() -> store().applyToSession(tube, end, session.id(), ids), Transitioned::ids);
        afterCommit(effects().transitioned(released.answer(), released::tasks));
    }

    /** Counts releases at once: the adapter may count all tasks before listeners are notified. */
    public void countReleased(Transition transition, long tasks) {
        runtime.counters().count(transition, transition.isCounted() ? tasks : 0, Optional.of(TaskState.TAKEN), tasks);
    }

    /**
     * Applies the effects of releases by a statement that did not look at the tasks: listeners are notified of those that
     * are READY still. {@link #countReleased} has counted them.
     */
    public void released(Transition transition, List<Long> ids) {
        List<Task> told = isListenedTo() ? store().tasks(tube, ids) : List.of();
        Transitioned released = Transitioned.many(transition, TaskState.TAKEN, ids);
        afterCommit(effects().transitioned(released, () -> told).alreadyCounted());
    }

    // What anybody does

    /**
     * Applies a transition to the task of an id, and its effects after the commit; returns false if the task is in none of
     * the states that the transition is from.
     */
    boolean apply(Transition transition, long id) {
        return transition.to().isEmpty()
                ? afterCommit(removed(transition, id))
                : inAnyState(transition, id, from -> afterCommit(changed(Change.from(from, transition), id)));
    }

    private Seen<Optional<Transitioned>> changed(Change change, long id) {
        return seen(() -> store().apply(tube, change, id), TubeEngine::ids);
    }

    private Seen<Optional<Transitioned>> removed(Transition transition, long id) {
        Change change = Change.of(transition);
        if (!isListenedTo()) {
            return new Seen<>(store().apply(tube, change, id), List.of());
        }
        return store().together(() -> {
            List<Task> before = store().tasks(tube, List.of(id));
            return new Seen<>(store().apply(tube, change, id), before);
        });
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
        Seen<Transitioned> kicked = seen(() -> store().applyToFirst(tube, kick, most), Transitioned::ids);
        afterCommit(effects().transitioned(kicked.answer(), kicked::tasks));
        return kicked.answer().count();
    }

    long releaseAll() {
        Change release = Change.of(Transition.RELEASE_ALL);
        Seen<List<Transitioned>> released = seen(
                () -> store().applyToAll(tube, release, false),
                done -> done.stream().flatMap(one -> one.ids().stream()).toList());
        AfterCommit effects = effects();
        released.answer().forEach(done -> effects.transitioned(done, released::tasks));
        afterCommit(effects);
        return count(released.answer());
    }

    /** What is watched now, is there now or was removed by others; so it is gone after this. */
    long truncate() {
        Set<Long> watched = Set.copyOf(runtime.watches().tasks());
        List<Transitioned> gone = store().applyToAll(tube, Change.of(Transition.TRUNCATE), isListenedTo());
        long count = count(gone);
        runtime.wakeAfterRollback(count);
        List<Task> told = gone.stream().flatMap(done -> done.tasks().stream()).toList();
        AfterCommit effects = effects().event(Transition.TRUNCATE, watched, () -> told);
        gone.forEach(effects::counted);
        afterCommit(effects);
        return count;
    }

    private static long count(List<Transitioned> done) {
        return done.stream().mapToLong(Transitioned::count).sum();
    }

    void drop() {
        context.directory().drop(tube);
        context.transactions().afterCommit(this::forget);
    }

    /** The tube is gone: all that wait at it fail. */
    public void forget() {
        context.directory().forget(tube);
        runtime.end();
    }

    // Deadlines

    /** Returns whether tasks that others change are to be looked at for listeners. */
    public boolean isListenedTo() {
        return !runtime.listeners().isEmpty();
    }

    /** Applies the effects of deadlines: the store has moved tasks that were in one state. */
    public void swept(Transitioned done) {
        // A listener that came since the sweep began is told of the tasks that are there still
        effects()
                .transitioned(done, () -> done.tasks().isEmpty() ? store().tasks(tube, done.ids()) : done.tasks())
                .run();
    }

    // Reads

    Optional<Task> find(long id) {
        return store().find(tube, id);
    }

    Optional<UUID> holder(long id) {
        return store().holder(tube, id);
    }

    Optional<TaskMeta> meta(long id) {
        return store().meta(tube, id);
    }

    Optional<TaskResult> result(long id) {
        return store().result(tube, id);
    }

    Optional<Task> first(TaskState state) {
        if (tube.subQueues() && state == TaskState.READY) {
            claimer.promoteHeads();
        }
        return store().first(tube, state);
    }

    List<Task> page(TaskState state, long afterId, int limit) {
        return store().page(tube, state, afterId, limit);
    }

    public TubeStatistics statistics() {
        return runtime.counters().read(tube.name());
    }

    Optional<TaskChangeListener> onTaskChange(TaskChangeListener listener) {
        return runtime.listeners().set(listener);
    }

    private TaskStore store() {
        return context.server().tasks(tube);
    }
}
