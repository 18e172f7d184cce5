package org.tasktube.tube;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.tasktube.OnConflict;
import org.tasktube.PutItem;
import org.tasktube.PutOptions;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.TaskChangeListener;
import org.tasktube.TaskData;
import org.tasktube.TaskFailure;
import org.tasktube.TaskMeta;
import org.tasktube.TaskProgress;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.TaskWatch;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeInUseException;
import org.tasktube.TubeMode;
import org.tasktube.TubeStatistics;
import org.tasktube.session.ClientConnection;
import org.tasktube.session.CurrentDelivery;
import org.tasktube.session.Session;
import org.tasktube.spi.TubeOption;
import org.tasktube.store.Change;
import org.tasktube.store.InUse;
import org.tasktube.store.Transition;
import org.tasktube.text.OneLine;
import org.tasktube.tracing.Tracing;

/**
 * The application's view of a tube through a connection. It checks arguments, waits, and makes refused operations
 * exceptions with a reason.
 */
public final class TubeHandle implements Tube {

    private static final int MOST_AT_ONCE = 1_000;
    private static final String NO_REASON = "";

    private final TubeEngine tube;
    private final TubeContext context;
    private final ClientConnection client;
    private final BlockingCall blocking;
    private final RefusalReason refusal;
    private final WatchCalls watching;
    private final PutCalls puts;
    private final Tracing tracing;

    public TubeHandle(TubeEngine tube, TubeContext context, ClientConnection client) {
        this.tube = tube;
        this.context = context;
        this.client = client;
        this.blocking = new BlockingCall(tube, context, client);
        this.refusal = new RefusalReason(tube);
        this.watching = new WatchCalls(tube, client, refusal);
        this.puts = new PutCalls(tube, client);
        this.tracing = context.tracing();
    }

    /** Throws an {@link IllegalArgumentException} if the timeout is negative. */
    public static void checkTimeout(Duration timeout) {
        BlockingCall.checkTimeout(timeout);
    }

    @Override
    public String name() {
        return tube.name();
    }

    @Override
    public TubeDefinition definition() {
        return tube.definition();
    }

    // Puts. Each is within a span, its wait for free capacity included

    @Override
    public Task put(Object data, PutOptions options) {
        TaskData checked = TaskData.of(data);
        return tracing.put(name(), options, sent -> puts.put(checked, sent)).orElseThrow(refusal::full);
    }

    @Override
    public Optional<Task> put(Object data, PutOptions options, Duration timeout) {
        TaskData checked = TaskData.of(data);
        return tracing.put(name(), options, sent -> waiting(1, timeout, () -> puts.put(checked, sent)));
    }

    @Override
    public List<Task> putAll(List<?> data, PutOptions options) {
        return putAll(PutCalls.items(data, options));
    }

    @Override
    public List<Task> putAll(List<PutItem> items) {
        return tracing.putAll(name(), PutCalls.checked(items), puts::putAll).orElseThrow(refusal::full);
    }

    @Override
    public Optional<List<Task>> putAll(List<?> data, PutOptions options, Duration timeout) {
        return putAll(PutCalls.items(data, options), timeout);
    }

    @Override
    public Optional<List<Task>> putAll(List<PutItem> items, Duration timeout) {
        List<PutItem> checked = PutCalls.checked(items);
        puts.checkFits(checked.size());
        return tracing.putAll(name(), checked, sent -> waiting(sent.size(), timeout, () -> puts.putAll(sent)));
    }

    @Override
    public Task putUnique(Object data) {
        TaskData checked = TaskData.of(data);
        return putUnique(checked.digest(), checked, PutOptions.defaults(), OnConflict.KEEP);
    }

    @Override
    public Task putUnique(String key, Object data, PutOptions options, OnConflict onConflict) {
        PutCalls.checkKey(key);
        TaskData checked = TaskData.of(data);
        return tracing.put(name(), options, sent -> puts.putUnique(key, checked, sent, onConflict))
                .orElseThrow(refusal::full);
    }

    @Override
    public Optional<Task> putUnique(
            String key, Object data, PutOptions options, OnConflict onConflict, Duration timeout) {
        PutCalls.checkKey(key);
        TaskData checked = TaskData.of(data);
        return tracing.put(
                name(), options, sent -> waiting(1, timeout, () -> puts.putUnique(key, checked, sent, onConflict)));
    }

    private <T> Optional<T> waiting(int tasks, Duration timeout, Supplier<Optional<T>> put) {
        return blocking.waitIn(() -> tube.roomWaiter(tasks), timeout, put);
    }

    // The mode

    @Override
    public boolean pause(String reason) {
        return pause(reason, context.server().name());
    }

    @Override
    public boolean pause(String reason, String by) {
        OneLine.check("reason", reason, MAX_MODE_TEXT);
        return set(TubeMode.PAUSED, by, reason);
    }

    @Override
    public boolean drain(String reason) {
        return drain(reason, context.server().name());
    }

    @Override
    public boolean drain(String reason, String by) {
        OneLine.check("reason", reason, MAX_MODE_TEXT);
        return set(TubeMode.DRAINING, by, reason);
    }

    @Override
    public boolean resume() {
        return resume(context.server().name());
    }

    @Override
    public boolean resume(String by) {
        return set(TubeMode.OPEN, by, NO_REASON);
    }

    private boolean set(TubeMode mode, String by, String reason) {
        client.checkOpen();
        OneLine.check("by", by, MAX_MODE_TEXT);
        return tube.setMode(mode, by, reason);
    }

    // Takes, and the calls of the holder

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
            throw new IllegalArgumentException("max " + max + " is out of its bounds; take 1 to " + MOST_AT_ONCE);
        }
        List<Task> tasks = blocking.waitIn(tube.takers()::waiter, timeout, () -> takeNow(max))
                .orElse(List.of());
        if (tasks.isEmpty()) {
            tube.tookNothing();
        }
        return tasks;
    }

    private Optional<List<Task>> takeNow(int max) {
        List<Task> tasks = tube.claim(client.session(), max);
        if (!tasks.isEmpty() && client.isClosed()) {
            // The connection was closed while the database answered, perhaps before this task counted as held
            tube.held().returnUnstarted(client.session(), tasks);
            client.checkOpen();
        }
        return tasks.isEmpty() ? Optional.empty() : Optional.of(tasks);
    }

    @Override
    public void ack(Task task) {
        ofHolder(task, holder -> tube.held().ack(holder, task)).recordFinished(task, context.transactions());
    }

    @Override
    public void ack(Task task, TaskResult result) {
        client.checkOpen();
        PutPlan.checkSize(tube.name(), result.data(), context.maxDataSize());
        finish(task, Change.result(result));
    }

    @Override
    public void ackAll(Collection<Task> tasks) {
        client.checkOpen();
        if (tasks.isEmpty()) {
            return;
        }
        Set<Session> holders = tasks.stream().map(this::holder).collect(Collectors.toSet());
        Session holder = holders.size() == 1 ? holders.iterator().next() : client.session();
        if (!tube.held().ackAll(holder, tasks)) {
            throw refusal.notAllHeld(holder, tasks);
        }
        tasks.forEach(task -> holder.recordFinished(task, context.transactions()));
    }

    @Override
    public void release(Task task, ReleaseOptions options) {
        client.checkOpen();
        tube.type().check(tube.name(), options);
        tube.settle();
        finish(task, Change.release(options.delay().orElse(Duration.ZERO), options.ttl()));
    }

    @Override
    public void requeue(Task task) {
        finish(task, Change.of(Transition.REQUEUE));
    }

    @Override
    public void touch(Task task, Duration increment) {
        client.checkOpen();
        if (increment.isNegative() || increment.compareTo(TubeDefinition.MAX_DURATION) > 0) {
            throw new IllegalArgumentException("increment " + increment + " is out of its bounds; add 0 to "
                    + TubeDefinition.MAX_DURATION.toDays() + " days");
        }
        tube.type().check(tube.name(), TubeOption.TTR, true);
        if (increment.toMillis() > 0) {
            ofHolder(task, holder -> tube.held().apply(holder, task, Change.touch(increment)));
        }
    }

    @Override
    public void heartbeat(Task task) {
        tube.type().check(tube.name(), TubeOption.TTR, true);
        ofHolder(task, holder -> tube.held().apply(holder, task, Change.of(Transition.HEARTBEAT)));
    }

    /** Returns the holder for which a call acts: the session of the bean that works on the task, else the own. */
    private Session holder(Task task) {
        return CurrentDelivery.holderOf(tube.stored(), task).orElse(client.session());
    }

    private void finish(Task task, Change change) {
        ofHolder(task, holder -> tube.held().apply(holder, task, change)).recordFinished(task, context.transactions());
    }

    private Session ofHolder(Task task, Predicate<Session> change) {
        client.checkOpen();
        Session holder = holder(task);
        if (!change.test(holder)) {
            throw refusal.notHeld(holder, task);
        }
        return holder;
    }

    @Override
    public void bury(Task task) {
        client.checkOpen();
        Session holder = holder(task);
        boolean buried = tube.held().apply(holder, task, Change.of(Transition.BURY))
                || tube.apply(Transition.BURY_UNHELD, task.id());
        if (!buried) {
            refusal.checkBuried(holder, task);
        }
        holder.recordFinished(task, context.transactions());
    }

    @Override
    public void bury(Task task, String reason) {
        if (reason.isBlank() || reason.length() > TaskFailure.MAX_MESSAGE) {
            throw new IllegalArgumentException("the reason of a burial has " + reason.length()
                    + " characters, or is blank; set 1 to " + TaskFailure.MAX_MESSAGE);
        }
        TaskFailure why = new TaskFailure(BURIED, reason, "");
        finish(task, Change.failed(why, Optional.empty()));
    }

    @Override
    public void bury(long id) {
        client.checkOpen();
        if (!tube.apply(Transition.BURY_UNHELD, id)) {
            refusal.checkBuried(id);
        }
    }

    @Override
    public long kick(long count) {
        client.checkOpen();
        return count <= 0 ? 0 : tube.kick(count);
    }

    @Override
    public void dig(long id) {
        client.checkOpen();
        if (!tube.apply(Transition.DIG, id)) {
            throw refusal.notBuried(id);
        }
    }

    @Override
    public Optional<Task> find(String key) {
        client.checkOpen();
        PutCalls.checkKey(key);
        return tube.find(key);
    }

    @Override
    public boolean delete(String key) {
        client.checkOpen();
        PutCalls.checkKey(key);
        return tube.delete(key);
    }

    @Override
    public boolean cancel(long id, String reason) {
        client.checkOpen();
        if (reason.isBlank() || reason.length() > TaskProgress.MAX_TEXT || reason.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("the reason of a cancel has " + reason.length()
                    + " characters, a NUL, or is blank; set 1 to " + TaskProgress.MAX_TEXT + " characters");
        }
        return tube.cancel(id, reason).orElseThrow(() -> refusal.notFound(id));
    }

    @Override
    public boolean isCancelled(Task task) {
        client.checkOpen();
        return tube.isCancelled(task.id());
    }

    @Override
    public void progress(Task task, long done, long total, String note) {
        client.checkOpen();
        if (done < 0 || total < 0 || (total > 0 && done > total)) {
            throw new IllegalArgumentException("the progress of task " + task.id() + " is " + done + " of " + total
                    + "; set done from 0 to total, and total to 0 if it is not known");
        }
        if (note.length() > TaskProgress.MAX_TEXT || note.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("the note of task " + task.id() + " has " + note.length()
                    + " characters, or a NUL; set at most " + TaskProgress.MAX_TEXT + " characters");
        }
        tube.holding().says(task.id(), new TaskProgress(done, total, note, Optional.empty(), Optional.empty()));
    }

    @Override
    public Optional<TaskProgress> progress(long id) {
        client.checkOpen();
        return tube.holding().of(id);
    }

    @Override
    public boolean letGo(String utube) {
        client.checkOpen();
        tube.type().check(tube.name(), PutOptions.defaults().utube(utube));
        return tube.letGo(utube);
    }

    @Override
    public void delete(long id) {
        client.checkOpen();
        if (tube.delete(id).isEmpty()) {
            throw refusal.notFound(id);
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
            throw new IllegalArgumentException("limit " + limit + " is out of its bounds; read 1 to " + MOST_AT_ONCE);
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
        return watching.await(id, timeout);
    }

    @Override
    public TaskWatch watch(long id) {
        return watching.watch(id);
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

    /** Drops the tube. The words of the errors are tarantool/queue's. */
    @Override
    public void drop() {
        client.checkOpen();
        if (tube.takers().length() > 0) {
            throw new TubeInUseException(
                    "There are consumers connected to the tube '" + tube.name() + "'; stop them, then drop it");
        }
        if (tube.first(TaskState.TAKEN).isPresent()) {
            throw InUse.byTaken(tube.name());
        }
        tube.drop(false);
    }

    @Override
    public void dropForcibly() {
        client.checkOpen();
        tube.drop(true);
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
