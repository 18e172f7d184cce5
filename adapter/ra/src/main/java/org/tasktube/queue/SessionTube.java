package org.tasktube.queue;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.PutOptions;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskMeta;
import org.tasktube.TaskNotFoundException;
import org.tasktube.TaskNotTakenException;
import org.tasktube.TaskState;
import org.tasktube.TaskTakenByAnotherException;
import org.tasktube.TaskTubeException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeEvent;
import org.tasktube.TubeInUseException;
import org.tasktube.TubeStatistics;
import org.tasktube.WrongStateException;

/** A tube as a session sees it: checks what is asked for, waits, and says by an exception why something is not so. */
final class SessionTube implements Tube {

    private static final int LONGEST_PAGE = 1_000;

    private final Queue queue;
    private final TubeQueue tube;
    private final Session session;

    SessionTube(Queue queue, TubeQueue tube, Session session) {
        this.queue = queue;
        this.tube = tube;
        this.session = session;
    }

    @Override
    public String name() {
        return tube.name();
    }

    @Override
    public TubeDefinition definition() {
        return tube.definition();
    }

    @Override
    public Task put(Object data) {
        return put(data, PutOptions.defaults());
    }

    @Override
    public Task put(Object data, PutOptions options) {
        session.checkOpen();
        return tube.put(TaskData.of(data), options);
    }

    @Override
    public Task take() {
        Optional<Task> taken = Optional.empty();
        while (taken.isEmpty()) {
            taken = take(Deadlines.LONGEST_SLEEP.multipliedBy(1_000));
        }
        return taken.get();
    }

    @Override
    public Optional<Task> take(Duration timeout) {
        session.checkOpen();
        if (timeout.isNegative()) {
            throw new IllegalArgumentException(
                    "timeout " + timeout + " is negative; zero answers at once, take() waits as long as it takes");
        }
        Optional<Task> task = takeNow().or(() -> timeout.isZero() ? Optional.empty() : takeLater(timeout));
        if (task.isEmpty()) {
            tube.counters().happened(TubeEvent.TAKE_TIMEOUT);
        }
        return task;
    }

    private Optional<Task> takeNow() {
        List<Task> tasks = tube.claim(session, 1);
        if (!tasks.isEmpty() && session.isClosed()) {
            // It was closed while the database answered, and may have looked at what it holds before this task was it
            tube.giveBack(session, tasks);
            session.checkOpen();
        }
        return tasks.stream().findFirst();
    }

    private Optional<Task> takeLater(Duration timeout) {
        long end = System.nanoTime() + Deadlines.capped(timeout);
        try (WaitLine.Waiter waiter = tube.line().waiter()) {
            session.waits(waiter);
            Optional<Task> task = Optional.empty();
            long left = end - System.nanoTime();
            while (task.isEmpty() && left > 0) {
                waiter.enter();
                session.checkOpen();
                queue.checkThere(tube);
                task = takeNow();
                if (task.isEmpty()) {
                    waiter.await(left);
                    left = end - System.nanoTime();
                } else {
                    waiter.found();
                }
            }
            return task.or(this::takeNow);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AdapterNotRunningException(queue.state(), "the thread that waited for a task was interrupted");
        }
    }

    @Override
    public void ack(Task task) {
        ofHolder(task, () -> tube.ack(session, task));
    }

    @Override
    public void release(Task task) {
        release(task, ReleaseOptions.defaults());
    }

    @Override
    public void release(Task task, ReleaseOptions options) {
        ofHolder(task, () -> tube.release(session, task, options));
    }

    @Override
    public void requeue(Task task) {
        ofHolder(task, () -> tube.requeue(session, task));
    }

    @Override
    public void touch(Task task, Duration increment) {
        session.checkOpen();
        if (increment.isNegative() || increment.compareTo(TubeDefinition.MAX_DURATION) > 0) {
            throw new IllegalArgumentException("increment " + increment + " is out of its bounds, 0 to "
                    + TubeDefinition.MAX_DURATION.toDays() + " days");
        }
        tube.type().checkTtr(tube.name());
        if (increment.toMillis() > 0) {
            ofHolder(task, () -> tube.touch(session, task, increment));
        }
    }

    @Override
    public void heartbeat(Task task) {
        tube.type().checkTtr(tube.name());
        ofHolder(task, () -> tube.heartbeat(session, task));
    }

    private void ofHolder(Task task, BooleanSupplier move) {
        session.checkOpen();
        if (!move.getAsBoolean()) {
            throw notHeld(task);
        }
    }

    /** Why a move of a task that this session thinks it holds found nothing. */
    private TaskTubeException notHeld(Task task) {
        session.holdsNoMore(task.id());
        Optional<UUID> holder = tube.holder(task.id());
        if (holder.isPresent()) {
            return new TaskTakenByAnotherException(tube.name(), task.id(), holder.get(), session.id());
        }
        return tube.find(task.id())
                .<TaskTubeException>map(now -> new TaskNotTakenException(tube.name(), now.id(), now.state()))
                .orElseGet(() -> new TaskNotFoundException(tube.name(), task.id()));
    }

    @Override
    public void bury(Task task) {
        session.checkOpen();
        boolean buried = tube.bury(session, task)
                || tube.buryIdle(task.id(), TaskState.READY)
                || tube.buryIdle(task.id(), TaskState.DELAYED);
        if (!buried) {
            checkBuried(task);
        }
    }

    private void checkBuried(Task task) {
        Task now = tube.find(task.id()).orElseThrow(() -> new TaskNotFoundException(tube.name(), task.id()));
        if (now.state() == TaskState.TAKEN) {
            throw notHeld(task);
        }
        if (now.state() != TaskState.BURIED) {
            throw new WrongStateException(tube.name(), now.id(), now.state(), "READY, DELAYED, or TAKEN by the caller");
        }
    }

    @Override
    public int kick() {
        return kick(1);
    }

    @Override
    public int kick(int count) {
        session.checkOpen();
        return count <= 0 ? 0 : tube.kick(count);
    }

    @Override
    public void dig(long id) {
        session.checkOpen();
        if (!tube.dig(id)) {
            Task now = tube.find(id).orElseThrow(() -> new TaskNotFoundException(tube.name(), id));
            throw new WrongStateException(tube.name(), id, now.state(), TaskState.BURIED.name());
        }
    }

    @Override
    public void delete(long id) {
        session.checkOpen();
        if (!tube.delete(id)) {
            throw new TaskNotFoundException(tube.name(), id);
        }
    }

    @Override
    public Optional<Task> peek(long id) {
        session.checkOpen();
        return tube.find(id);
    }

    @Override
    public Optional<Task> peekReady() {
        return first(TaskState.READY);
    }

    @Override
    public Optional<Task> peekDelayed() {
        return first(TaskState.DELAYED);
    }

    @Override
    public Optional<Task> peekBuried() {
        return first(TaskState.BURIED);
    }

    private Optional<Task> first(TaskState state) {
        session.checkOpen();
        return tube.first(state);
    }

    @Override
    public List<Task> tasks(TaskState state, long afterId, int limit) {
        session.checkOpen();
        if (limit < 1 || limit > LONGEST_PAGE) {
            throw new IllegalArgumentException("limit " + limit + " is out of its bounds, 1 to " + LONGEST_PAGE);
        }
        return tube.page(state, afterId, limit);
    }

    @Override
    public Optional<TaskMeta> meta(long id) {
        session.checkOpen();
        return tube.meta(id);
    }

    @Override
    public long releaseAll() {
        session.checkOpen();
        return tube.releaseAll();
    }

    @Override
    public long truncate() {
        session.checkOpen();
        return tube.truncate();
    }

    /** The words are tarantool/queue's. */
    @Override
    public void drop() {
        session.checkOpen();
        if (tube.line().length() > 0) {
            throw new TubeInUseException(
                    "There are consumers connected the tube '" + tube.name() + "'; stop them, and drop it then");
        }
        if (tube.first(TaskState.TAKEN).isPresent()) {
            throw new TubeInUseException(
                    "There are taken tasks in the tube '" + tube.name() + "'; have them acked or released first");
        }
        tube.drop();
    }

    @Override
    public TubeStatistics statistics() {
        session.checkOpen();
        return tube.statistics();
    }
}
