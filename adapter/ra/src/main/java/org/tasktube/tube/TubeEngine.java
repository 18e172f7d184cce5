package org.tasktube.tube;

import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
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
import org.tasktube.store.Moved;
import org.tasktube.store.NewTask;
import org.tasktube.store.Put;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Sweep;
import org.tasktube.store.TaskStore;
import org.tasktube.store.Transition;
import org.tasktube.store.TubeCount;

/**
 * One tube on this server: applies transitions to its tasks in the store, and their effects after the commit
 * ({@link AfterCommit}). A task that is not as a transition needs it is an ordinary result here; {@link TubeHandle} makes
 * it an error.
 */
public final class TubeEngine {

    private static final Set<TaskState> IDLE = EnumSet.of(TaskState.READY, TaskState.DELAYED);

    /** How often a task may go from one of them to the other while a change looks for it. */
    private static final int IDLE_TRIES = 10;

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

    private static Function<Optional<Moved>, Collection<Long>> ifMoved(long id) {
        return moved -> moved.isPresent() ? List.of(id) : List.of();
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
        return whileIdle(id, from -> replace(id, from, task));
    }

    /** Tries a change in both states that nobody holds a task in. A delay that ends between the two is no reason to give up. */
    private boolean whileIdle(long id, Predicate<TaskState> change) {
        for (int i = 0; i < IDLE_TRIES; i++) {
            if (change.test(TaskState.READY) || change.test(TaskState.DELAYED)) {
                return true;
            }
            if (find(id).filter(task -> IDLE.contains(task.state())).isEmpty()) {
                return false;
            }
        }
        return false;
    }

    private boolean replace(long id, TaskState from, NewTask task) {
        Transition transition = task.state() == TaskState.READY ? Transition.REPLACE : Transition.REPLACE_DELAYED;
        Seen<Optional<Moved>> replaced = seen(() -> store().replace(tube, id, from, task), ifMoved(id));
        replaced.answer().ifPresent(done -> runtime.wakeAfterRollback(1));
        return movedById(transition, from, id, replaced);
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
        Seen<List<Long>> released = seen(() -> store().releaseSession(tube, session.id(), ids), done -> done);
        afterCommit(effects().released(Transition.SESSION_END, released.answer(), released.tasks()));
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
        afterCommit(effects().released(transition, ids, told).alreadyCounted());
    }

    // What anybody does

    /** Buries a task that nobody holds; false if it is not READY or DELAYED. */
    boolean buryUnheld(long id) {
        return whileIdle(id, from -> buryUnheld(id, from));
    }

    private boolean buryUnheld(long id, TaskState from) {
        Seen<Optional<Moved>> buried = seen(() -> store().buryIdle(tube, id, from), ifMoved(id));
        buried.answer().ifPresent(done -> runtime.wakeAfterRollback(1));
        return movedById(Transition.BURY_UNHELD, from, id, buried);
    }

    private boolean movedById(Transition transition, TaskState from, long id, Seen<Optional<Moved>> seen) {
        seen.answer()
                .ifPresent(done ->
                        afterCommit(effects().moved(transition, from, List.of(id), seen::tasks, done.untilEvent())));
        return seen.answer().isPresent();
    }

    long kick(long count) {
        int most = (int) Math.min(count, Integer.MAX_VALUE);
        Seen<List<Long>> kicked = seen(() -> store().kick(tube, most), done -> done);
        List<Long> ids = kicked.answer();
        afterCommit(effects().moved(Transition.KICK, TaskState.BURIED, ids, kicked::tasks, Optional.empty()));
        return ids.size();
    }

    boolean dig(long id) {
        Seen<Optional<Moved>> dug = seen(() -> store().dig(tube, id), ifMoved(id));
        return movedById(Transition.DIG, TaskState.BURIED, id, dug);
    }

    boolean delete(long id) {
        Seen<Optional<TaskState>> deleted = isListenedTo()
                ? store().together(() -> {
                    List<Task> before = store().tasks(tube, List.of(id));
                    return new Seen<>(store().delete(tube, id), before);
                })
                : new Seen<>(store().delete(tube, id), List.of());
        deleted.answer().ifPresent(from -> {
            runtime.wakeAfterRollback(1);
            afterCommit(effects().moved(Transition.DELETE, from, List.of(id), deleted::tasks, Optional.empty()));
        });
        return deleted.answer().isPresent();
    }

    long releaseAll() {
        Seen<List<Long>> released = seen(() -> store().releaseAll(tube), done -> done);
        afterCommit(effects().released(Transition.RELEASE_ALL, released.answer(), released.tasks()));
        return released.answer().size();
    }

    /** What is watched now, is there now or was removed by others; so it is gone after this. */
    long truncate() {
        Set<Long> watched = Set.copyOf(runtime.watches().tasks());
        Seen<List<TubeCount>> gone = removeAll();
        long count = gone.answer().stream().mapToLong(TubeCount::tasks).sum();
        runtime.wakeAfterRollback(count);
        AfterCommit effects = effects().event(Transition.TRUNCATE, watched, gone::tasks);
        gone.answer().forEach(removed -> effects.counted(Transition.TRUNCATE, removed.state(), removed.tasks()));
        afterCommit(effects);
        return count;
    }

    private Seen<List<TubeCount>> removeAll() {
        if (!isListenedTo()) {
            return new Seen<>(store().truncate(tube), List.of());
        }
        List<Task> gone = store().removeAll(tube);
        Map<TaskState, Long> counts = gone.stream().collect(Collectors.groupingBy(Task::state, Collectors.counting()));
        return new Seen<>(
                counts.entrySet().stream()
                        .map(count -> new TubeCount(tube.id(), count.getKey(), count.getValue()))
                        .toList(),
                gone);
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
    public void swept(Sweep.Swept swept) {
        Transition transition =
                switch (swept.from()) {
                    case TAKEN -> Transition.TTR_OVER;
                    case DELAYED -> Transition.DELAY_OVER;
                    case DONE -> Transition.RESULT_TTL_OVER;
                    case READY, BURIED -> Transition.TTL_OVER;
                };
        // A listener that came since the sweep began is told of the tasks that are there still
        effects()
                .moved(
                        transition,
                        swept.from(),
                        swept.ids(),
                        () -> swept.tasks().isEmpty() ? store().tasks(tube, swept.ids()) : swept.tasks(),
                        Optional.empty())
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
            claimer.settle();
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
