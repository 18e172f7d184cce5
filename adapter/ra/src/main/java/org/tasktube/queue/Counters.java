package org.tasktube.queue;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.tasktube.TaskState;
import org.tasktube.TubeEvent;
import org.tasktube.TubeStatistics;
import org.tasktube.store.TubeCount;

/**
 * The numbers of one tube: kept by what was committed on this server, and set anew from the database when the adapter
 * starts and, while other servers work on it too, now and then.
 */
final class Counters {

    private final Map<TaskState, LongAdder> tasks = new EnumMap<>(TaskState.class);
    private final Map<TubeEvent, LongAdder> events = new EnumMap<>(TubeEvent.class);
    private final LongAdder done = new LongAdder();

    Counters() {
        for (TaskState state : TaskState.values()) {
            tasks.put(state, new LongAdder());
        }
        for (TubeEvent event : TubeEvent.values()) {
            events.put(event, new LongAdder());
        }
    }

    void came(TubeEvent event, TaskState to, long count) {
        events.get(event).add(count);
        tasks.get(to).add(count);
    }

    /** A task that nobody holds was given other times. */
    void replaced(TaskState from, TaskState to) {
        tasks.get(from).decrement();
        tasks.get(to).increment();
    }

    void moved(TubeEvent event, TaskState from, TaskState to, long count) {
        events.get(event).add(count);
        tasks.get(from).add(-count);
        tasks.get(to).add(count);
    }

    /** Tasks that were acked, deleted, or lived too long. */
    void ended(TubeEvent event, TaskState from, long count) {
        events.get(event).add(count);
        tasks.get(from).add(-count);
        done.add(count);
    }

    /** Results whose time was over; their tasks were done long before. */
    void forgotten(long count) {
        events.get(TubeEvent.TTL).add(count);
        tasks.get(TaskState.DONE).add(-count);
    }

    /** A task was acked, and its result is kept. */
    void finished() {
        moved(TubeEvent.DONE, TaskState.TAKEN, TaskState.DONE, 1);
        done.increment();
    }

    void truncated(List<TubeCount> gone) {
        events.get(TubeEvent.TRUNCATE).increment();
        gone.forEach(count -> tasks.get(count.state()).add(-count.tasks()));
    }

    void happened(TubeEvent event) {
        events.get(event).increment();
    }

    void set(TaskState state, long count) {
        LongAdder adder = tasks.get(state);
        adder.add(count - adder.sum());
    }

    TubeStatistics read(String tube) {
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
                tasks.values().stream().mapToLong(LongAdder::sum).sum(),
                Map.copyOf(calls));
    }

    private long sum(TaskState state) {
        return tasks.get(state).sum();
    }
}
