package org.tasktube.queue;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.tasktube.DataTooLargeException;
import org.tasktube.PutOptions;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskFailure;
import org.tasktube.TaskMeta;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeEvent;
import org.tasktube.TubeNotFoundException;
import org.tasktube.TubeStatistics;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.Holder;
import org.tasktube.store.Moved;
import org.tasktube.store.NewTask;
import org.tasktube.store.Place;
import org.tasktube.store.StoredTube;
import org.tasktube.store.TaskStore;
import org.tasktube.store.TubeCount;

/**
 * One tube on this server: moves its tasks in the store, and after the commit counts, wakes who waits, and has the timer
 * armed. That a task was not as a move needs it is an ordinary result here; {@link SessionTube} makes it an error.
 */
public final class TubeQueue {

    private final Queue queue;
    private final StoredTube tube;
    private final TubeType type;
    private final Counters counters = new Counters();
    private final WaitLine line = new WaitLine();
    private final ReadingPlace reading = new ReadingPlace();

    TubeQueue(Queue queue, StoredTube tube) {
        this.queue = queue;
        this.tube = tube;
        this.type = TubeType.of(tube.definition().type());
    }

    public String name() {
        return tube.name();
    }

    public WaitLine line() {
        return line;
    }

    StoredTube stored() {
        return tube;
    }

    TubeType type() {
        return type;
    }

    Counters counters() {
        return counters;
    }

    TubeDefinition definition() {
        return tube.definition();
    }

    Task put(TaskData data, PutOptions options) {
        type.check(tube.name(), options);
        if (data.size() > queue.settings().maxDataSize()) {
            throw new DataTooLargeException(
                    tube.name(), data.size(), queue.settings().maxDataSize());
        }
        NewTask task = plan(data, options);
        long id = store().put(tube, task).orElseThrow(this::gone);
        queue.transactions().afterCommit(() -> {
            counters.came(TubeEvent.PUT, task.state());
            if (task.state() == TaskState.READY) {
                reading.ready(new Place(task.pri(), id));
                line.wake(1);
            }
            task.untilEvent().ifPresent(queue.deadlines()::due);
        });
        return new Task(id, tube.name(), task.state(), task.pri(), 0, 0, data);
    }

    /** The tube's defaults where the options say nothing; the ttr is the tube's, else the ttl; the delay adds to the ttl. */
    private NewTask plan(TaskData data, PutOptions options) {
        TubeDefinition defaults = tube.definition();
        Duration delay = options.delay().orElse(defaults.delay());
        Optional<Duration> ttl = options.ttl().or(defaults::ttl);
        Optional<Duration> ttr = options.ttr().or(defaults::ttr).or(() -> ttl);
        Optional<Duration> expiry = ttl.map(delay::plus);
        boolean delayed = delay.toMillis() > 0;
        return new NewTask(
                delayed ? TaskState.DELAYED : TaskState.READY,
                options.pri().orElse(defaults.pri()),
                delayed ? Optional.of(delay) : expiry,
                expiry,
                ttr,
                data);
    }

    TubeNotFoundException gone() {
        queue.forget(this);
        return new TubeNotFoundException(tube.name());
    }

    /**
     * Takes up to max tasks for a bean's session, reading on from where the last such claim ended; none only if there are
     * none in all the tube.
     */
    public List<Task> claimOn(Session session, int max) {
        Place after = reading.next();
        List<ClaimedTask> claimed = claim(session, after, max);
        if (claimed.isEmpty() && !after.equals(Place.START)) {
            reading.back();
            claimed = claim(session, Place.START, max);
        }
        if (!claimed.isEmpty()) {
            reading.reached(claimed.get(claimed.size() - 1).place());
        }
        return tasks(claimed);
    }

    /** Takes up to max tasks for a session; those that fail to be worked on before its close are released by that. */
    List<Task> claim(Session session, int max) {
        return tasks(claim(session, Place.START, max));
    }

    private static List<Task> tasks(List<ClaimedTask> claimed) {
        return claimed.stream().map(ClaimedTask::task).toList();
    }

    private List<ClaimedTask> claim(Session session, Place after, int max) {
        List<ClaimedTask> claimed = store().claim(tube, holder(session), after, max);
        if (!claimed.isEmpty()) {
            queue.transactions().afterCommit(() -> {
                counters.moved(TubeEvent.TAKE, TaskState.READY, TaskState.TAKEN, claimed.size());
                claimed.forEach(task -> {
                    session.holds(this, task.task());
                    task.ttr().ifPresent(queue.deadlines()::due);
                });
            });
        }
        return claimed;
    }

    public boolean ack(Session session, Task task) {
        boolean acked = store().ack(tube, holder(session), task);
        if (acked) {
            queue.transactions().afterCommit(() -> {
                session.holdsNoMore(task.id());
                counters.ended(TubeEvent.ACK, TaskState.TAKEN, 1);
            });
        }
        return acked;
    }

    boolean release(Session session, Task task, ReleaseOptions options) {
        type.check(tube.name(), options);
        Duration delay = options.delay().orElse(Duration.ZERO);
        TaskState to = delay.toMillis() > 0 ? TaskState.DELAYED : TaskState.READY;
        return letGo(session, task, TubeEvent.RELEASE, to, () -> store().release(
                        tube, holder(session), task, delay, options.ttl()));
    }

    boolean requeue(Session session, Task task) {
        return letGo(
                session, task, TubeEvent.REQUEUE, TaskState.READY, () -> store().requeue(tube, holder(session), task));
    }

    boolean bury(Session session, Task task) {
        return letGo(session, task, TubeEvent.BURY, TaskState.BURIED, () -> store().bury(tube, holder(session), task));
    }

    /** Gives back or buries a task whose delivery failed: buried if there is no delay to try again after. */
    public boolean fail(Session session, Task task, TaskFailure failure, Optional<Duration> delay) {
        TaskState to =
                delay.isEmpty() ? TaskState.BURIED : delay.get().toMillis() > 0 ? TaskState.DELAYED : TaskState.READY;
        return letGo(session, task, to == TaskState.BURIED ? TubeEvent.BURY : TubeEvent.RELEASE, to, () -> store().fail(
                        tube, holder(session), task, failure, delay));
    }

    private boolean letGo(Session session, Task task, TubeEvent event, TaskState to, Supplier<Optional<Moved>> change) {
        Optional<Moved> moved = change.get();
        moved.ifPresent(done -> queue.transactions().afterCommit(() -> {
            session.holdsNoMore(task.id());
            moved(event, TaskState.TAKEN, to, done);
        }));
        return moved.isPresent();
    }

    private void moved(TubeEvent event, TaskState from, TaskState to, Moved moved) {
        counters.moved(event, from, to, 1);
        if (to == TaskState.READY) {
            ready(1);
        }
        moved.untilEvent().ifPresent(queue.deadlines()::due);
    }

    /** Gives back what was taken but not begun; these attempts do not count. */
    public void giveBack(Session session, Collection<Task> tasks) {
        if (tasks.isEmpty()) {
            return;
        }
        int given = store().giveBack(tube, holder(session), tasks);
        queue.transactions().afterCommit(() -> {
            tasks.forEach(task -> session.holdsNoMore(task.id()));
            released(TubeEvent.RELEASE, given);
        });
    }

    /** Makes READY what a session still holds; outside transactions. */
    void releaseSession(Session session, Collection<Long> ids) {
        released(TubeEvent.RELEASED_BY_SESSION, store().releaseSession(tube, holder(session), ids));
    }

    /** Tasks that were taken are READY again, at what deadline nobody asked: a sweep finds it. */
    void released(TubeEvent event, long count) {
        if (count > 0) {
            counters.moved(event, TaskState.TAKEN, TaskState.READY, count);
            readied(count);
        }
    }

    private void readied(long count) {
        ready(count);
        if (type.hasTimes()) {
            queue.deadlines().due(Duration.ZERO);
        }
    }

    /** So many tasks have become ready, nobody knows where. */
    private void ready(long count) {
        if (count > 0) {
            reading.back();
            line.wake(count);
        }
    }

    boolean buryIdle(long id, TaskState from) {
        Optional<Moved> buried = store().buryIdle(tube, id, from);
        buried.ifPresent(
                done -> queue.transactions().afterCommit(() -> moved(TubeEvent.BURY, from, TaskState.BURIED, done)));
        return buried.isPresent();
    }

    boolean touch(Session session, Task task, Duration increment) {
        return touched(store().touch(tube, holder(session), task, increment));
    }

    boolean heartbeat(Session session, Task task) {
        return touched(store().heartbeat(tube, holder(session), task));
    }

    private boolean touched(Optional<Moved> moved) {
        moved.ifPresent(done -> queue.transactions().afterCommit(() -> {
            counters.happened(TubeEvent.TOUCH);
            done.untilEvent().ifPresent(queue.deadlines()::due);
        }));
        return moved.isPresent();
    }

    int kick(int count) {
        int kicked = store().kick(tube, count);
        queue.transactions().afterCommit(() -> {
            counters.moved(TubeEvent.KICK, TaskState.BURIED, TaskState.READY, kicked);
            ready(kicked);
        });
        return kicked;
    }

    boolean dig(long id) {
        Optional<Moved> dug = store().dig(tube, id);
        dug.ifPresent(done ->
                queue.transactions().afterCommit(() -> moved(TubeEvent.DIG, TaskState.BURIED, TaskState.READY, done)));
        return dug.isPresent();
    }

    boolean delete(long id) {
        Optional<TaskState> deleted = store().delete(tube, id);
        deleted.ifPresent(from -> queue.transactions().afterCommit(() -> counters.ended(TubeEvent.DELETE, from, 1)));
        return deleted.isPresent();
    }

    long releaseAll() {
        long count = store().releaseAll(tube);
        queue.transactions().afterCommit(() -> released(TubeEvent.RELEASE, count));
        return count;
    }

    long truncate() {
        List<TubeCount> gone = store().truncate(tube);
        queue.transactions().afterCommit(() -> counters.truncated(gone));
        return gone.stream().mapToLong(TubeCount::tasks).sum();
    }

    void drop() {
        store().dropTube(tube);
        queue.transactions().afterCommit(() -> {
            queue.forget(this);
            line.wakeAll();
        });
    }

    /** So many tasks had come to their deadline in that state, and the store has moved them. */
    void swept(TaskState from, long count) {
        switch (from) {
            case TAKEN -> {
                counters.moved(TubeEvent.TTR, from, TaskState.READY, count);
                ready(count);
            }
            case DELAYED -> {
                counters.moved(TubeEvent.DELAY, from, TaskState.READY, count);
                ready(count);
            }
            default -> counters.ended(TubeEvent.TTL, from, count);
        }
    }

    Optional<Task> find(long id) {
        return store().find(tube, id);
    }

    Optional<UUID> holder(long id) {
        return store().holder(tube, id);
    }

    Optional<TaskMeta> meta(long id) {
        return store().meta(tube, id);
    }

    Optional<Task> first(TaskState state) {
        return store().first(tube, state);
    }

    List<Task> page(TaskState state, long afterId, int limit) {
        return store().page(tube, state, afterId, limit);
    }

    TubeStatistics statistics() {
        return counters.read(tube.name());
    }

    private TaskStore store() {
        return queue.store();
    }

    private Holder holder(Session session) {
        return new Holder(session.id(), queue.node());
    }
}
