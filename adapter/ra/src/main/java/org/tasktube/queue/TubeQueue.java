package org.tasktube.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.tasktube.DataTooLargeException;
import org.tasktube.PutOptions;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.TaskChangeListener;
import org.tasktube.TaskData;
import org.tasktube.TaskFailure;
import org.tasktube.TaskMeta;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeEvent;
import org.tasktube.TubeNotFoundException;
import org.tasktube.TubeStatistics;
import org.tasktube.spi.Position;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.Holder;
import org.tasktube.store.Moved;
import org.tasktube.store.NewTask;
import org.tasktube.store.Place;
import org.tasktube.store.Put;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Sweep;
import org.tasktube.store.TaskStore;
import org.tasktube.store.TubeCount;

/**
 * One tube on this server: moves its tasks in the store, and after the commit counts, wakes who waits, tells who listens or
 * watches, and has the timer armed. That a task was not as a move needs it is an ordinary result here; {@link SessionTube}
 * makes it an error.
 */
public final class TubeQueue {

    /** What a bean works on, on its thread. */
    private static final ThreadLocal<HandedOver> HANDED_OVER = new ThreadLocal<>();

    private final Queue queue;
    private final StoredTube tube;
    private final Counters counters = new Counters();
    private final WaitLine line = new WaitLine();
    private final WaitLine places = new WaitLine();
    private final ReadingPlace reading = new ReadingPlace();

    private final Watches watches;
    private final Listeners listeners;

    TubeQueue(Queue queue, StoredTube tube) {
        this.queue = queue;
        this.tube = tube;
        this.watches = new Watches(queue);
        this.listeners = new Listeners(tube.name());
    }

    public String name() {
        return tube.name();
    }

    /** Who waits for a task. */
    public WaitLine line() {
        return line;
    }

    /** Who waits for a place. */
    WaitLine places() {
        return places;
    }

    StoredTube stored() {
        return tube;
    }

    TubeType type() {
        return queue.drivers().of(tube.definition().type());
    }

    Counters counters() {
        return counters;
    }

    Watches watches() {
        return watches;
    }

    TubeDefinition definition() {
        return tube.definition();
    }

    // Put

    /** A task as it is to be put: the options checked, the tube's defaults where they say nothing. */
    NewTask plan(TaskData data, PutOptions options, Optional<String> uniqueKey) {
        TubeType type = type();
        type.check(tube.name(), options);
        checkSize(data);
        TubeDefinition defaults = tube.definition();
        Duration delay = options.delay().orElse(defaults.delay());
        Optional<Duration> ttl = options.ttl().or(defaults::ttl);
        // The ttr is the tube's, else the ttl; the delay adds to the ttl
        Optional<Duration> ttr = options.ttr().or(defaults::ttr).or(() -> ttl);
        Optional<Duration> expiry = ttl.map(delay::plus);
        boolean delayed = delay.toMillis() > 0;
        boolean urgent = options.urgent() && !delayed;
        if (urgent && options.pri().isPresent()) {
            throw new IllegalArgumentException("pri " + options.pri().getAsInt()
                    + " of an urgent task: it goes ahead of every pri; leave one of them out");
        }
        return new NewTask(
                delayed ? TaskState.DELAYED : TaskState.READY,
                urgent ? 0 : options.pri().orElse(defaults.pri()),
                urgent ? Position.first() : type.position(tube.name(), data, options),
                delayed ? Optional.of(delay) : expiry,
                expiry,
                ttr,
                options.utube(),
                uniqueKey,
                data);
    }

    void checkSize(TaskData data) {
        if (data.size() > queue.settings().maxDataSize()) {
            throw new DataTooLargeException(
                    tube.name(), data.size(), queue.settings().maxDataSize());
        }
    }

    /** What became of it; the caller says it to whoever asked. */
    Put put(List<NewTask> tasks, PutOptions options) {
        Put put = store().put(tube, tasks);
        if (put.outcome() == Put.Outcome.NO_TUBE) {
            throw gone();
        }
        if (put.outcome() == Put.Outcome.DONE) {
            if (isBounded()) {
                // A place that a rollback gives back is for who waits
                queue.transactions().atEnd(() -> queue.placesFreed(this, tasks.size()));
            }
            TubeEvent event =
                    options.urgent() && tasks.get(0).state() == TaskState.READY ? TubeEvent.URGENT : TubeEvent.PUT;
            queue.transactions().afterCommit(() -> came(event, put.ids(), tasks));
        }
        return put;
    }

    private boolean isBounded() {
        return tube.hasCapacity() || tube.definition().temporary();
    }

    private void came(TubeEvent event, List<Long> ids, List<NewTask> tasks) {
        for (int i = 0; i < tasks.size(); i++) {
            NewTask task = tasks.get(i);
            counters.came(event, task.state(), 1);
            if (!listeners.isEmpty()) {
                listeners.tell(event, List.of(toTask(ids.get(i), task)));
            }
            if (task.state() == TaskState.READY) {
                ready(task, ids.get(i));
            }
            task.untilEvent().ifPresent(queue.deadlines()::due);
        }
    }

    private void ready(NewTask task, long id) {
        if (task.position().end() == Position.End.LAST) {
            reading.ready(new Place(task.pri(), id));
        } else {
            reading.back();
        }
        line.wake(1);
    }

    Task toTask(long id, NewTask task) {
        return new Task(
                id, tube.name(), task.state(), task.pri(), 0, 0, task.utube().orElse(""), task.data());
    }

    /** Gives a task that is READY or DELAYED what the new one has; false if it is neither. */
    boolean replace(long id, NewTask task) {
        return replace(id, TaskState.READY, task) || replace(id, TaskState.DELAYED, task);
    }

    private boolean replace(long id, TaskState from, NewTask task) {
        Optional<Moved> replaced = store().replace(tube, id, from, task);
        replaced.ifPresent(done -> wakeAfterRollback(1));
        replaced.ifPresent(done -> queue.transactions().afterCommit(() -> {
            counters.replaced(from, task.state());
            watches.changed(id, task.state());
            if (task.state() == TaskState.READY) {
                ready(1);
            }
            done.untilEvent().ifPresent(queue.deadlines()::due);
        }));
        return replaced.isPresent();
    }

    TubeNotFoundException gone() {
        queue.forget(this);
        return new TubeNotFoundException(tube.name());
    }

    // Take

    /**
     * Takes up to max tasks for a bean's session, reading on from where the last such claim ended; none only if there are
     * none in all the tube.
     */
    public List<Task> claimOn(Client client, int max) {
        Place after = reading.next();
        List<ClaimedTask> claimed = claim(client.session(), after, max);
        if (claimed.isEmpty() && !after.equals(Place.START)) {
            reading.back();
            claimed = claim(client.session(), Place.START, max);
        }
        if (!claimed.isEmpty()) {
            reading.reached(claimed.get(claimed.size() - 1).place());
        }
        return tasks(claimed);
    }

    /** Takes up to max tasks for a session; those that fail to be worked on before its close are released by that. */
    List<Task> claim(Session session, int max) {
        if (tube.subQueues() && queue.transactions().active()) {
            queue.outsideTransaction(() -> {
                store().settle(tube);
                return null;
            });
        }
        return tasks(claim(session, Place.START, max));
    }

    private static List<Task> tasks(List<ClaimedTask> claimed) {
        return claimed.stream().map(ClaimedTask::task).toList();
    }

    private List<ClaimedTask> claim(Session session, Place after, int max) {
        List<ClaimedTask> claimed = store().claim(tube, holder(session), after, max);
        if (!claimed.isEmpty()) {
            queue.sessions().know(session);
            wakeAfterRollback(claimed.size());
            queue.transactions().afterCommit(() -> {
                counters.moved(TubeEvent.TAKE, TaskState.READY, TaskState.TAKEN, claimed.size());
                claimed.forEach(task -> {
                    session.holds(this, task.task().id());
                    watches.changed(task.task().id(), TaskState.TAKEN);
                    task.ttr().ifPresent(queue.deadlines()::due);
                });
                listeners.tell(TubeEvent.TAKE, tasks(claimed));
            });
        }
        return claimed;
    }

    /** A take found nothing. */
    void tookNothing() {
        counters.happened(TubeEvent.TAKE_TIMEOUT);
        listeners.tell(TubeEvent.TAKE_TIMEOUT);
    }

    // What the holder does

    private record HandedOver(TubeQueue tube, Session session, Task task) {}

    /** Until {@link #handedBack()} this thread acts as the holder of that task, whatever connection it uses. */
    public void handOver(Client client, Task task) {
        HANDED_OVER.set(new HandedOver(this, client.session(), task));
    }

    /** What {@link #handOver} began is over. */
    public void handedBack() {
        HANDED_OVER.remove();
    }

    /** For whom the bean that runs on this thread was handed that very taking; empty if it was not. */
    Optional<Session> handedOver(Task task) {
        return Optional.ofNullable(HANDED_OVER.get())
                .filter(over -> over.tube == this && over.task.id() == task.id() && over.task.token() == task.token())
                .map(HandedOver::session);
    }

    public boolean ack(Client client, Task task) {
        return ack(client.session(), task);
    }

    boolean ack(Session session, Task task) {
        boolean acked = store().ack(tube, holder(session), task);
        if (acked) {
            queue.transactions().afterCommit(() -> acked(session, task));
        }
        return acked;
    }

    boolean ackAll(Session session, Collection<Task> tasks) {
        boolean acked = store().ackAll(tube, holder(session), tasks);
        if (acked) {
            queue.transactions().afterCommit(() -> tasks.forEach(task -> acked(session, task)));
        }
        return acked;
    }

    private void acked(Session session, Task task) {
        session.holdsNoMore(task.id());
        counters.ended(TubeEvent.ACK, TaskState.TAKEN, 1);
        watches.changed(task.id(), TaskState.DONE);
        listeners.tell(TubeEvent.ACK, List.of(as(task, TaskState.DONE)));
        removed(1);
    }

    boolean done(Session session, Task task, TaskResult result) {
        checkSize(result.data());
        Optional<Moved> done = store().done(tube, holder(session), task, result);
        done.ifPresent(moved -> queue.transactions().afterCommit(() -> {
            session.holdsNoMore(task.id());
            counters.finished();
            watches.changed(task.id(), TaskState.DONE);
            listeners.tell(TubeEvent.DONE, List.of(as(task, TaskState.DONE)));
            subQueueMovesOn();
            moved.untilEvent().ifPresent(queue.deadlines()::due);
        }));
        return done.isPresent();
    }

    boolean release(Session session, Task task, ReleaseOptions options) {
        type().check(tube.name(), options);
        Duration delay = options.delay().orElse(Duration.ZERO);
        TaskState to = delay.toMillis() > 0 ? TaskState.DELAYED : TaskState.READY;
        return move(session, task, TubeEvent.RELEASE, to, () -> store().release(
                        tube, holder(session), task, delay, options.ttl()));
    }

    boolean requeue(Session session, Task task) {
        return move(
                session, task, TubeEvent.REQUEUE, TaskState.READY, () -> store().requeue(tube, holder(session), task));
    }

    boolean bury(Session session, Task task) {
        return move(session, task, TubeEvent.BURY, TaskState.BURIED, () -> store().bury(tube, holder(session), task));
    }

    /** Gives back or buries a task whose delivery failed: buried if there is no delay to try again after. */
    public boolean fail(Client client, Task task, TaskFailure failure, Optional<Duration> delay) {
        TaskState to =
                delay.isEmpty() ? TaskState.BURIED : delay.get().toMillis() > 0 ? TaskState.DELAYED : TaskState.READY;
        TubeEvent event = to == TaskState.BURIED ? TubeEvent.BURY : TubeEvent.RELEASE;
        return move(client.session(), task, event, to, () -> store().fail(
                        tube, holder(client.session()), task, failure, delay));
    }

    private boolean move(Session session, Task task, TubeEvent event, TaskState to, Supplier<Optional<Moved>> change) {
        Optional<Moved> moved = change.get();
        moved.ifPresent(done -> queue.transactions().afterCommit(() -> {
            session.holdsNoMore(task.id());
            moved(event, TaskState.TAKEN, as(task, to), done);
            if (to != TaskState.READY) {
                subQueueMovesOn();
            }
        }));
        return moved.isPresent();
    }

    private void moved(TubeEvent event, TaskState from, Task task, Moved moved) {
        counters.moved(event, from, task.state(), 1);
        watches.changed(task.id(), task.state());
        listeners.tell(event, List.of(task));
        if (task.state() == TaskState.READY) {
            ready(1);
        }
        moved.untilEvent().ifPresent(queue.deadlines()::due);
    }

    private static Task as(Task task, TaskState state) {
        return new Task(task.id(), task.tube(), state, task.pri(), task.attempts(), 0, task.utube(), task.data());
    }

    /** Gives back what was taken but not begun; these attempts do not count. */
    public void giveBack(Client client, Collection<Task> tasks) {
        if (tasks.isEmpty()) {
            return;
        }
        Session session = client.session();
        int given = store().giveBack(tube, holder(session), tasks);
        queue.transactions().afterCommit(() -> {
            tasks.forEach(task -> session.holdsNoMore(task.id()));
            List<Long> ids = tasks.stream().map(Task::id).toList();
            released(TubeEvent.RELEASE, given, ids, List.of());
        });
    }

    /** Makes READY what a session still holds; outside transactions. */
    void releaseSession(Session session, Collection<Long> ids) {
        released(TubeEvent.RELEASED_BY_SESSION, store().releaseSession(tube, session.id(), ids));
    }

    /** Tasks that were taken are READY again. */
    void released(TubeEvent event, List<Long> ids) {
        List<Task> told = listeners.isEmpty() ? List.of() : found(ids);
        queue.transactions().afterCommit(() -> released(event, ids.size(), ids, told));
    }

    /** At what deadline nobody asked: a sweep finds it. */
    private void released(TubeEvent event, long count, Collection<Long> ids, List<Task> told) {
        if (count > 0) {
            counters.moved(event, TaskState.TAKEN, TaskState.READY, count);
            watches.changed(ids, TaskState.READY);
            listeners.tell(event, told);
            ready(count);
            queue.deadlines().due(Duration.ZERO);
        }
    }

    private List<Task> found(List<Long> ids) {
        List<Task> found = new ArrayList<>();
        ids.forEach(id -> store().find(tube, id).ifPresent(found::add));
        return found;
    }

    /** So many tasks have become ready, nobody knows where. To be said last: who is woken takes at once, and tells that. */
    private void ready(long count) {
        if (count > 0) {
            reading.back();
            line.wake(count);
        }
    }

    /** Who came meanwhile has passed over what the transaction changed; if it rolls back, that is to be had again. */
    private void wakeAfterRollback(long tasks) {
        if (queue.transactions().active()) {
            AtomicBoolean committed = new AtomicBoolean();
            queue.transactions().afterCommit(() -> committed.set(true));
            queue.transactions().atEnd(() -> ready(committed.get() ? 0 : tasks));
        }
    }

    /** The next task of a sub-queue may be ready now. */
    private void subQueueMovesOn() {
        if (tube.subQueues()) {
            ready(1);
        }
    }

    private void removed(long count) {
        subQueueMovesOn();
        if (isBounded()) {
            queue.placesFreed(this, count);
        }
    }

    // What anybody does

    boolean buryIdle(long id, TaskState from) {
        Optional<Moved> buried = store().buryIdle(tube, id, from);
        buried.ifPresent(done -> wakeAfterRollback(1));
        buried.ifPresent(done -> movedById(TubeEvent.BURY, from, TaskState.BURIED, id, done));
        return buried.isPresent();
    }

    private void movedById(TubeEvent event, TaskState from, TaskState to, long id, Moved moved) {
        List<Task> told = listeners.isEmpty() ? List.of() : found(List.of(id));
        queue.transactions().afterCommit(() -> {
            counters.moved(event, from, to, 1);
            watches.changed(id, to);
            listeners.tell(event, told);
            if (to == TaskState.READY) {
                ready(1);
            } else {
                subQueueMovesOn();
            }
            moved.untilEvent().ifPresent(queue.deadlines()::due);
        });
    }

    boolean touch(Session session, Task task, Duration increment) {
        return touched(task, store().touch(tube, holder(session), task, increment));
    }

    boolean heartbeat(Session session, Task task) {
        return touched(task, store().heartbeat(tube, holder(session), task));
    }

    private boolean touched(Task task, Optional<Moved> moved) {
        moved.ifPresent(done -> queue.transactions().afterCommit(() -> {
            counters.happened(TubeEvent.TOUCH);
            listeners.tell(TubeEvent.TOUCH, List.of(task));
            done.untilEvent().ifPresent(queue.deadlines()::due);
        }));
        return moved.isPresent();
    }

    int kick(int count) {
        List<Long> kicked = store().kick(tube, count);
        List<Task> told = listeners.isEmpty() ? List.of() : found(kicked);
        queue.transactions().afterCommit(() -> {
            counters.moved(TubeEvent.KICK, TaskState.BURIED, TaskState.READY, kicked.size());
            watches.changed(kicked, TaskState.READY);
            listeners.tell(TubeEvent.KICK, told);
            ready(kicked.size());
        });
        return kicked.size();
    }

    boolean dig(long id) {
        Optional<Moved> dug = store().dig(tube, id);
        dug.ifPresent(done -> movedById(TubeEvent.DIG, TaskState.BURIED, TaskState.READY, id, done));
        return dug.isPresent();
    }

    boolean delete(long id) {
        List<Task> told = listeners.isEmpty() ? List.of() : found(List.of(id));
        Optional<TaskState> deleted = store().delete(tube, id);
        deleted.ifPresent(from -> wakeAfterRollback(1));
        deleted.ifPresent(from -> queue.transactions().afterCommit(() -> {
            counters.ended(TubeEvent.DELETE, from, 1);
            watches.changed(id, TaskState.DONE);
            listeners.tell(TubeEvent.DELETE, told);
            removed(1);
        }));
        return deleted.isPresent();
    }

    long releaseAll() {
        List<Long> ids = store().releaseAll(tube);
        released(TubeEvent.RELEASE, ids);
        return ids.size();
    }

    long truncate() {
        List<TubeCount> gone = store().truncate(tube);
        long count = gone.stream().mapToLong(TubeCount::tasks).sum();
        wakeAfterRollback(count);
        queue.transactions().afterCommit(() -> {
            counters.truncated(gone);
            removed(count);
            listeners.tell(TubeEvent.TRUNCATE);
        });
        return count;
    }

    void drop() {
        queue.dropTube(tube);
        queue.transactions().afterCommit(() -> {
            queue.forget(this);
            line.wakeAll();
            places.wakeAll();
        });
    }

    // Deadlines

    /** Whether the tasks that a sweep removes are to be told. */
    boolean isListenedTo() {
        return !listeners.isEmpty();
    }

    /** Tasks had come to their deadline in that state, and the store has moved them. */
    void swept(Sweep.Swept swept) {
        switch (swept.from()) {
            case TAKEN -> madeReady(TubeEvent.TTR, swept);
            case DELAYED -> madeReady(TubeEvent.DELAY, swept);
            default -> lapsed(swept);
        }
    }

    private void madeReady(TubeEvent event, Sweep.Swept swept) {
        counters.moved(event, swept.from(), TaskState.READY, swept.ids().size());
        watches.changed(swept.ids(), TaskState.READY);
        if (isListenedTo()) {
            listeners.tell(event, found(swept.ids()));
        }
        ready(swept.ids().size());
    }

    private void lapsed(Sweep.Swept swept) {
        long count = swept.ids().size();
        if (swept.from() == TaskState.DONE) {
            counters.forgotten(count);
        } else {
            counters.ended(TubeEvent.TTL, swept.from(), count);
        }
        removed(count);
        watches.changed(swept.ids(), TaskState.DONE);
        listeners.tell(
                TubeEvent.TTL,
                swept.tasks().stream()
                        .map(task -> new Task(
                                task.id(),
                                tube.name(),
                                task.state(),
                                task.pri(),
                                task.attempts(),
                                0,
                                task.utube(),
                                task.data()))
                        .toList());
    }

    // Looks

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
            queue.outsideTransaction(() -> {
                store().settle(tube);
                return null;
            });
        }
        return store().first(tube, state);
    }

    List<Task> page(TaskState state, long afterId, int limit) {
        return store().page(tube, state, afterId, limit);
    }

    TubeStatistics statistics() {
        return counters.read(tube.name());
    }

    Optional<TaskChangeListener> onTaskChange(TaskChangeListener listener) {
        return listeners.set(listener);
    }

    /** A bean that is told of what happens here, until it is run. */
    public Runnable listen(TaskChangeListener bean) {
        listeners.add(bean);
        return () -> listeners.remove(bean);
    }

    private TaskStore store() {
        return queue.store(tube);
    }

    private Holder holder(Session session) {
        return new Holder(session.id(), queue.node());
    }
}
