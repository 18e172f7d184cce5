package org.tasktube.queue;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.OnConflict;
import org.tasktube.PutOptions;
import org.tasktube.ReleaseOptions;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskChangeListener;
import org.tasktube.TaskData;
import org.tasktube.TaskExistsException;
import org.tasktube.TaskMeta;
import org.tasktube.TaskNotFoundException;
import org.tasktube.TaskNotTakenException;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.TaskTakenByAnotherException;
import org.tasktube.TaskTubeException;
import org.tasktube.TaskWatch;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeFullException;
import org.tasktube.TubeInUseException;
import org.tasktube.TubeStatistics;
import org.tasktube.WrongStateException;
import org.tasktube.spi.TubeOption;
import org.tasktube.store.NewTask;
import org.tasktube.store.Put;

/** A tube as a session sees it: checks what is asked for, waits, and says by an exception why something is not so. */
final class SessionTube implements Tube {

    private static final int MOST_AT_ONCE = 1_000;

    private final Queue queue;
    private final TubeQueue tube;
    private final Client client;

    SessionTube(Queue queue, TubeQueue tube, Client client) {
        this.queue = queue;
        this.tube = tube;
        this.client = client;
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
        return putNow(TaskData.of(data), options).orElseThrow(this::full);
    }

    @Override
    public Optional<Task> put(Object data, PutOptions options, Duration timeout) {
        TaskData checked = TaskData.of(data);
        return waitIn(tube.places(), timeout, () -> putNow(checked, options));
    }

    /** Empty if the tube is full. */
    private Optional<Task> putNow(TaskData data, PutOptions options) {
        client.checkOpen();
        NewTask task = tube.plan(data, options, Optional.empty());
        Put put = tube.put(List.of(task), options);
        return put.outcome() == Put.Outcome.FULL ? Optional.empty() : Optional.of(tube.toTask(put.id(), task));
    }

    private TubeFullException full() {
        return new TubeFullException(tube.name(), queue.bounds(tube));
    }

    @Override
    public List<Task> putAll(List<?> data, PutOptions options) {
        client.checkOpen();
        if (data.isEmpty()) {
            throw new IllegalArgumentException("the list of tasks to put is empty");
        }
        List<NewTask> tasks = data.stream()
                .map(each -> tube.plan(TaskData.of(each), options, Optional.empty()))
                .toList();
        Put put = tube.put(tasks, options);
        if (put.outcome() == Put.Outcome.FULL) {
            throw full();
        }
        return IntStream.range(0, tasks.size())
                .mapToObj(i -> tube.toTask(put.ids().get(i), tasks.get(i)))
                .toList();
    }

    @Override
    public Task putUnique(Object data) {
        TaskData checked = TaskData.of(data);
        return putUnique(checked.digest(), checked, PutOptions.defaults(), OnConflict.KEEP);
    }

    @Override
    public Task putUnique(String key, Object data, PutOptions options, OnConflict onConflict) {
        client.checkOpen();
        checkKey(key);
        NewTask task = tube.plan(TaskData.of(data), options, Optional.of(key));
        while (true) {
            Put put = tube.put(List.of(task), options);
            switch (put.outcome()) {
                case FULL -> throw full();
                case EXISTS -> {
                    Optional<Task> there = conflict(put.id(), key, task, onConflict);
                    if (there.isPresent()) {
                        return there.get();
                    }
                }
                default -> {
                    return tube.toTask(put.id(), task);
                }
            }
        }
    }

    private static void checkKey(String key) {
        if (key.isEmpty() || key.length() > MAX_KEY || key.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(
                    "a unique key of " + key.length() + " characters: it takes 1 to " + MAX_KEY + ", none of them NUL");
        }
    }

    /** The task that is there; empty if it has gone meanwhile. */
    private Optional<Task> conflict(long id, String key, NewTask task, OnConflict onConflict) {
        switch (onConflict) {
            case FAIL -> throw new TaskExistsException(tube.name(), key, id);
            case REPLACE -> tube.replace(id, task);
            case KEEP -> {
                // as it is
            }
        }
        return tube.find(id);
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
        return take(1, timeout).stream().findFirst();
    }

    @Override
    public List<Task> take(int max, Duration timeout) {
        if (max < 1 || max > MOST_AT_ONCE) {
            throw new IllegalArgumentException("max " + max + " is out of its bounds, 1 to " + MOST_AT_ONCE);
        }
        List<Task> tasks = waitIn(tube.line(), timeout, () -> takeNow(max)).orElse(List.of());
        if (tasks.isEmpty()) {
            tube.tookNothing();
        }
        return tasks;
    }

    private Optional<List<Task>> takeNow(int max) {
        List<Task> tasks = tube.claim(client.session(), max);
        if (!tasks.isEmpty() && client.isClosed()) {
            // It was closed while the database answered, and may have looked at what it holds before this task was it
            tube.giveBack(client, tasks);
            client.checkOpen();
        }
        return tasks.isEmpty() ? Optional.empty() : Optional.of(tasks);
    }

    /** Tries at once, then in line with others whenever there may be something, until the time is over. */
    private <T> Optional<T> waitIn(WaitLine line, Duration timeout, Supplier<Optional<T>> attempt) {
        client.checkOpen();
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("timeout " + timeout + " is negative; zero answers at once");
        }
        return attempt.get().or(() -> timeout.isZero() ? Optional.empty() : waitLonger(line, timeout, attempt));
    }

    private <T> Optional<T> waitLonger(WaitLine line, Duration timeout, Supplier<Optional<T>> attempt) {
        long end = System.nanoTime() + Deadlines.capped(timeout);
        WaitLine.Waiter waiter = line.waiter();
        try (waiter) {
            client.waits(waiter);
            Optional<T> found = Optional.empty();
            long left = end - System.nanoTime();
            while (found.isEmpty() && left > 0) {
                waiter.enter();
                client.checkOpen();
                queue.checkThere(tube);
                found = attempt.get();
                if (found.isEmpty()) {
                    waiter.await(left);
                    left = end - System.nanoTime();
                } else {
                    waiter.found();
                }
            }
            return found.or(attempt);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AdapterNotRunningException(queue.state(), "the thread that waited was interrupted");
        } finally {
            client.waitsNoMore(waiter);
        }
    }

    @Override
    public void ack(Task task) {
        lettingGo(task, holder -> tube.ack(holder, task));
    }

    @Override
    public void ack(Task task, TaskResult result) {
        lettingGo(task, holder -> tube.done(holder, task, result));
    }

    @Override
    public void ackAll(Collection<Task> tasks) {
        client.checkOpen();
        if (tasks.isEmpty()) {
            return;
        }
        Set<Session> holders = tasks.stream().map(this::holder).collect(Collectors.toSet());
        Session holder = holders.size() == 1 ? holders.iterator().next() : client.session();
        if (!tube.ackAll(holder, tasks)) {
            throw tasks.stream()
                    .filter(task -> !isHeld(holder, task))
                    .findFirst()
                    .<TaskTubeException>map(task -> notHeld(holder, task))
                    .orElseGet(() -> new StoreException("tasks changed hands while they were acked; ack them again"));
        }
        tasks.forEach(holder::letGo);
    }

    private boolean isHeld(Session holder, Task task) {
        return tube.find(task.id())
                        .filter(now -> now.token() == task.token() && now.state() == TaskState.TAKEN)
                        .isPresent()
                && tube.holder(task.id()).filter(holder.id()::equals).isPresent();
    }

    @Override
    public void release(Task task) {
        release(task, ReleaseOptions.defaults());
    }

    @Override
    public void release(Task task, ReleaseOptions options) {
        lettingGo(task, holder -> tube.release(holder, task, options));
    }

    @Override
    public void requeue(Task task) {
        lettingGo(task, holder -> tube.requeue(holder, task));
    }

    @Override
    public void touch(Task task, Duration increment) {
        client.checkOpen();
        if (increment.isNegative() || increment.compareTo(TubeDefinition.MAX_DURATION) > 0) {
            throw new IllegalArgumentException("increment " + increment + " is out of its bounds, 0 to "
                    + TubeDefinition.MAX_DURATION.toDays() + " days");
        }
        tube.type().check(tube.name(), TubeOption.TTR, true);
        if (increment.toMillis() > 0) {
            ofHolder(task, holder -> tube.touch(holder, task, increment));
        }
    }

    @Override
    public void heartbeat(Task task) {
        tube.type().check(tube.name(), TubeOption.TTR, true);
        ofHolder(task, holder -> tube.heartbeat(holder, task));
    }

    /** Who a task's holder is to be: the bean that this thread runs with it, or else this connection. */
    private Session holder(Task task) {
        return tube.handedOver(task).orElse(client.session());
    }

    private void lettingGo(Task task, Predicate<Session> move) {
        ofHolder(task, move).letGo(task);
    }

    private Session ofHolder(Task task, Predicate<Session> move) {
        client.checkOpen();
        Session holder = holder(task);
        if (!move.test(holder)) {
            throw notHeld(holder, task);
        }
        return holder;
    }

    /** Why a move of a task that this session thinks it holds found nothing. */
    private TaskTubeException notHeld(Session session, Task task) {
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
        client.checkOpen();
        Session holder = holder(task);
        boolean buried = tube.bury(holder, task)
                || tube.buryIdle(task.id(), TaskState.READY)
                || tube.buryIdle(task.id(), TaskState.DELAYED);
        if (!buried) {
            checkBuried(holder, task);
        }
        holder.letGo(task);
    }

    private void checkBuried(Session holder, Task task) {
        Task now = tube.find(task.id()).orElseThrow(() -> new TaskNotFoundException(tube.name(), task.id()));
        if (now.state() == TaskState.TAKEN) {
            throw notHeld(holder, task);
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
        client.checkOpen();
        return count <= 0 ? 0 : tube.kick(count);
    }

    @Override
    public void dig(long id) {
        client.checkOpen();
        if (!tube.dig(id)) {
            Task now = tube.find(id).orElseThrow(() -> new TaskNotFoundException(tube.name(), id));
            throw new WrongStateException(tube.name(), id, now.state(), TaskState.BURIED.name());
        }
    }

    @Override
    public void delete(long id) {
        client.checkOpen();
        if (!tube.delete(id)) {
            throw new TaskNotFoundException(tube.name(), id);
        }
    }

    @Override
    public Optional<Task> peek(long id) {
        client.checkOpen();
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
        client.checkOpen();
        return tube.first(state);
    }

    @Override
    public List<Task> tasks(TaskState state, long afterId, int limit) {
        client.checkOpen();
        if (limit < 1 || limit > MOST_AT_ONCE) {
            throw new IllegalArgumentException("limit " + limit + " is out of its bounds, 1 to " + MOST_AT_ONCE);
        }
        return tube.page(state, afterId, limit);
    }

    @Override
    public Optional<TaskMeta> meta(long id) {
        client.checkOpen();
        return tube.meta(id);
    }

    @Override
    public Optional<TaskResult> result(long id) {
        client.checkOpen();
        return tube.result(id);
    }

    @Override
    public Optional<TaskResult> await(long id, Duration timeout) {
        client.checkOpen();
        long end = System.nanoTime() + Deadlines.capped(timeout);
        try (TaskWatch watch = watch(id)) {
            boolean waiting = true;
            while (!watch.isOver() && waiting) {
                long left = Math.max(0, end - System.nanoTime());
                waiting = watch.next(timeout.isNegative() ? timeout : Duration.ofNanos(left))
                                .isPresent()
                        || left > 0;
            }
            return watch.isOver() ? Optional.of(finalResult(id)) : Optional.empty();
        }
    }

    private TaskResult finalResult(long id) {
        return tube.result(id).orElseThrow(() -> new TaskNotFoundException(tube.name(), id));
    }

    @Override
    public TaskWatch watch(long id) {
        client.checkOpen();
        Watches.Watch watch = tube.watches().open(id);
        Optional<Task> now = Optional.empty();
        try {
            now = tube.find(id);
        } finally {
            if (now.isEmpty()) {
                watch.close();
            }
        }
        watch.begin(now.orElseThrow(() -> new TaskNotFoundException(tube.name(), id))
                .state());
        return watch;
    }

    @Override
    public long releaseAll() {
        client.checkOpen();
        return tube.releaseAll();
    }

    @Override
    public long truncate() {
        client.checkOpen();
        return tube.truncate();
    }

    /** The words are tarantool/queue's. */
    @Override
    public void drop() {
        client.checkOpen();
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
    public Optional<TaskChangeListener> onTaskChange(TaskChangeListener listener) {
        client.checkOpen();
        return tube.onTaskChange(listener);
    }

    @Override
    public TubeStatistics statistics() {
        client.checkOpen();
        return tube.statistics();
    }
}
