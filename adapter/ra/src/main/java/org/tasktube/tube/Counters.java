package org.tasktube.tube;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.tasktube.TaskState;
import org.tasktube.TubeEvent;
import org.tasktube.TubeStatistics;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.ModeSetting;
import org.tasktube.store.Transition;
import org.tasktube.store.sql.Flow;

/**
 * The statistics of one tube. Transitions that this server commits change them. Those of other servers come with their
 * heartbeats. The adapter counts the database's tasks at its start, after lost answers, when a count is negative, and at
 * intervals while there are other servers.
 */
public final class Counters {

    /** What this server's transitions have added to each state. */
    private final Map<TaskState, LongAdder> moved = new EnumMap<>(TaskState.class);

    /** What other servers have told that theirs have added. */
    private final Map<TaskState, LongAdder> told = new EnumMap<>(TaskState.class);

    /** What counts of the database have found beside that. */
    private final Map<TaskState, LongAdder> found = new EnumMap<>(TaskState.class);

    /** The tasks in all states. A sum of the states would miss a task that moves while it is read. */
    private final LongAdder total = new LongAdder();

    private final Map<TubeEvent, LongAdder> events = new EnumMap<>(TubeEvent.class);
    private final LongAdder done = new LongAdder();
    private final LongAdder failedDeliveries = new LongAdder();
    private final TimeHistogram waits = new TimeHistogram();
    private final TimeHistogram runs = new TimeHistogram();

    Counters() {
        for (TaskState state : TaskState.values()) {
            moved.put(state, new LongAdder());
            told.put(state, new LongAdder());
            found.put(state, new LongAdder());
        }
        for (TubeEvent event : TubeEvent.values()) {
            events.put(event, new LongAdder());
        }
    }

    /** Counts tasks that went through a transition together; {@code from} is empty for new tasks. */
    void count(Transition transition, long happened, Optional<TaskState> from, long count) {
        from.ifPresent(state -> moved.get(state).add(-count));
        transition.to().ifPresent(state -> moved.get(state).add(count));
        total.add((transition.to().isPresent() ? count : 0) - (from.isPresent() ? count : 0));
        if (transition.endsTask()) {
            done.add(count);
        }
        // Last, so that a reader who sees the event sees its effect
        events.get(transition.event()).add(happened);
    }

    void happened(TubeEvent event) {
        events.get(event).increment();
    }

    /** Counts the wait of a task that was taken for the first time. */
    void waited(ClaimedTask task) {
        if (task.waitMillis() != ClaimedTask.TAKEN_BEFORE) {
            waits.add(TimeUnit.MILLISECONDS.toMicros(task.waitMillis()));
        }
    }

    /** Counts the time of a take that ended by an ack. */
    void ran(long nanos) {
        runs.add(TimeUnit.NANOSECONDS.toMicros(nanos));
    }

    /** Returns the times from put to first take. */
    public TimeHistogram waits() {
        return waits;
    }

    /** Returns the times from take to ack. */
    public TimeHistogram runs() {
        return runs;
    }

    void deliveryFailed() {
        failedDeliveries.increment();
    }

    /** Returns the tasks of a tube that were put, that ended, and the takes that failed, since the start. */
    public Flow.Numbers flow(int tube) {
        return new Flow.Numbers(
                tube,
                happenedSinceStart(TubeEvent.PUT) + happenedSinceStart(TubeEvent.URGENT),
                done.sum(),
                failedDeliveries.sum() + happenedSinceStart(TubeEvent.TTR));
    }

    private long happenedSinceStart(TubeEvent event) {
        return events.get(event).sum();
    }

    /** Returns whether more tasks have left a state than were counted in it: rows came by SQL, or from another server. */
    public boolean isNegative() {
        return tasks().values().stream().anyMatch(count -> count < 0);
    }

    /** Returns the number of tasks in each state, as this server knows it. It can be negative. */
    public Map<TaskState, Long> tasks() {
        Map<TaskState, Long> now = new EnumMap<>(TaskState.class);
        moved.keySet().forEach(state -> now.put(state, tasks(state)));
        return now;
    }

    /** Returns by how much this server's transitions have changed a state's number of tasks since the start. */
    public long moved(TaskState state) {
        return moved.get(state).sum();
    }

    private long tasks(TaskState state) {
        return moved(state) + told(state) + found.get(state).sum();
    }

    /** Adds what other servers tell of their transitions. */
    public void tell(TaskState state, long more) {
        told.get(state).add(more);
        total.add(more);
    }

    /** Returns what other servers have told so far. */
    public long told(TaskState state) {
        return told.get(state).sum();
    }

    /** Adds tasks in a state that no transition has counted, or takes them off as a negative number. */
    public void correct(TaskState state, long by) {
        found.get(state).add(by);
        total.add(by);
    }

    TubeStatistics read(String tube, ModeSetting mode) {
        Map<TubeEvent, Long> calls = new EnumMap<>(TubeEvent.class);
        events.forEach((event, count) -> calls.put(event, count.sum()));
        return new TubeStatistics(
                tube,
                sum(TaskState.READY),
                sum(TaskState.DELAYED),
                sum(TaskState.TAKEN),
                sum(TaskState.BURIED),
                sum(TaskState.DONE),
                done.sum(),
                Math.max(0, total.sum()),
                Map.copyOf(calls),
                mode.mode(),
                mode.by(),
                mode.since(),
                mode.reason());
    }

    private long sum(TaskState state) {
        return Math.max(0, tasks(state));
    }
}
