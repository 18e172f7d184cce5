package org.tasktube.inflow;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;
import org.tasktube.Task;
import org.tasktube.tube.TubeEngine;

/**
 * The claimed tasks that the bean has not begun, and the decision how many more to claim. A quick bean has tasks
 * claimed ahead, so that it does not wait for a claim, and one claim serves many deliveries. A slow bean has none, so
 * that other consumers may take them. Not thread-safe.
 */
final class Prefetch {

    /** The time that the bean needs for the tasks claimed ahead. */
    static final Duration PREFETCH_WINDOW = Duration.ofMillis(40);

    static final int MAX_AHEAD = 256;

    /** The most tasks that are claimed at once for free sessions with batches: threads for them may come late. */
    static final int MOST_IN_BATCHES = 1_024;

    /** The bytes of data of tasks that were claimed and not begun after which no more are claimed. */
    static final int MAX_BYTES_AHEAD = 8 << 20;

    /** The smallest part of the bounds that failed claims leave, as a power of 2. */
    private static final int MOST_HALVINGS = 20;

    /**
     * The age at which an unstarted task returns to its tube: the bean has become slow, and other consumers may be
     * idle.
     */
    static final Duration MAX_AGE = Duration.ofMillis(500);

    /**
     * The longest time that tasks gather before a claim. A claim is a transaction: while tasks arrive one by one, fewer
     * of them leave the database more time for the tasks.
     */
    static final Duration MAX_GATHERING = Duration.ofNanos(300_000);

    /** The weight of the last delivery in the mean duration per task, and of the last task in the mean size. */
    private static final double WEIGHT = 1.0 / 16;

    private final LongSupplier nanoTime;
    private final int batchSize;
    private final Deque<Claimed> buffer = new ArrayDeque<>();
    private double meanNanos = PREFETCH_WINDOW.toNanos();
    private double meanBytes = 1;
    private long bytes;
    private boolean claimsAhead = true;

    /** How often the bounds were halved by failed claims, less one for each claim that was done since. */
    private int halvings;

    /** A task that this server holds. */
    record Claimed(TubeEngine tube, Task task, long at) {}

    /**
     * Begins without tasks.
     *
     * @param nanoTime the time in nanoseconds, as {@link System#nanoTime} gives it
     * @param batchSize the most tasks per delivery
     */
    Prefetch(LongSupplier nanoTime, int batchSize) {
        this.nanoTime = nanoTime;
        this.batchSize = batchSize;
    }

    /** @param since the time at which they became TAKEN */
    void add(TubeEngine tube, List<Task> tasks, long since) {
        for (Task task : tasks) {
            buffer.addLast(new Claimed(tube, task, since));
            bytes += task.data().size();
            meanBytes = Math.max(1, meanBytes + (task.data().size() - meanBytes) * WEIGHT);
        }
    }

    boolean isEmpty() {
        return buffer.isEmpty();
    }

    /** Returns the tasks in the order of their claims. */
    List<Claimed> all() {
        return List.copyOf(buffer);
    }

    /** Returns the number of deliveries that all the tasks need. */
    int deliveries() {
        return deliveries(buffer.size());
    }

    /** Returns the number of deliveries that so many tasks need. */
    int deliveries(int tasks) {
        return (tasks + batchSize - 1) / batchSize;
    }

    /** Returns whether there are tasks, of a tube that is PAUSED. */
    boolean isPaused() {
        return !buffer.isEmpty()
                && buffer.getFirst().tube().runtime().mode().committed().isPaused();
    }

    /**
     * Removes the tasks of the next delivery: those claimed first. A task that comes again is alone in it: perhaps it has
     * outlasted its ttr or killed its server, and would do so with the others again.
     */
    List<Claimed> removeFirst() {
        List<Claimed> batch = new ArrayList<>(Math.min(batchSize, buffer.size()));
        do {
            Claimed first = buffer.removeFirst();
            bytes -= first.task.data().size();
            batch.add(first);
        } while (batch.size() < batchSize && !buffer.isEmpty() && together(batch.get(0), buffer.getFirst()));
        return batch;
    }

    private static boolean together(Claimed one, Claimed other) {
        return one.tube == other.tube && one.task.attempts() <= 1 && other.task.attempts() <= 1;
    }

    List<Claimed> removeAll() {
        List<Claimed> all = List.copyOf(buffer);
        buffer.clear();
        bytes = 0;
        return all;
    }

    /**
     * Returns the number of further tasks to claim; 0 while more than half of those claimed ahead are left.
     *
     * @param sessions the number of deliveries that can run at once
     * @param busy the number of deliveries that run now
     */
    int room(int sessions, int busy) {
        int ahead = ahead(sessions);
        boolean isLow = buffer.isEmpty() || buffer.size() <= ahead / 2;
        return isLow ? Math.max(0, begun(sessions - busy) + ahead - buffer.size()) : 0;
    }

    /**
     * Returns whether a quick bean has a place for a task that is being put, beside so many others. The task may have a
     * part of the bytes for which the places are, because the others' are not known.
     */
    boolean hasPlace(int free, int sessions, int others, int taskBytes) {
        return isQuick() && taskBytes <= maxBytes() / MAX_AHEAD && free + ahead(sessions) - buffer.size() > others;
    }

    /** Returns the tasks that so many free sessions begin with. */
    private int begun(int free) {
        return Math.max(free, Math.min(free * batchSize, Math.max(batchSize, MOST_IN_BATCHES)));
    }

    /**
     * Returns the time in nanoseconds for which tasks gather before the next claim, which is at most one mean delivery.
     * 0 for a slow bean, and for a bean that does nothing now: a lone task begins at once.
     */
    long gathering(int busy) {
        return busy > 0 && isQuick() ? Math.min(MAX_GATHERING.toNanos(), (long) meanNanos) : 0;
    }

    boolean isQuick() {
        return meanNanos <= PREFETCH_WINDOW.toNanos();
    }

    /** Sets whether tasks may be claimed ahead. They would use up the limit of a tube that has one. */
    void mayClaimAhead(boolean allowed) {
        claimsAhead = allowed;
    }

    private int ahead(int sessions) {
        if (!claimsAhead || bytes >= maxBytes()) {
            return 0;
        }
        double byTime = sessions * PREFETCH_WINDOW.toNanos() / meanNanos;
        int ahead = (int) Math.min(MAX_AHEAD >> halvings, Math.min(byTime, MAX_BYTES_AHEAD / meanBytes));
        return ahead - ahead % batchSize;
    }

    /** Returns the bytes of data after which a claim takes no more tasks; it takes a first one in any case. */
    long roomInBytes() {
        return Math.max(1, maxBytes() - bytes);
    }

    private long maxBytes() {
        return MAX_BYTES_AHEAD >> halvings;
    }

    /**
     * Learns whether a claim got its tasks. The server may have had no memory for them, so each failure halves what is
     * claimed, and as many claims that got tasks undo it. One that found none says nothing.
     */
    void claimed(boolean done) {
        halvings = done ? Math.max(0, halvings - 1) : Math.min(MOST_HALVINGS, halvings + 1);
    }

    /** Updates the bean's mean duration per task by one delivery. */
    void delivered(long nanos, int tasks) {
        meanNanos += ((double) nanos / tasks - meanNanos) * WEIGHT;
    }

    /**
     * Returns the time in nanoseconds until the oldest task is {@link #MAX_AGE} old; {@link Long#MAX_VALUE} without
     * tasks.
     */
    long untilStale() {
        return buffer.isEmpty()
                ? Long.MAX_VALUE
                : Math.max(0, buffer.getFirst().at + MAX_AGE.toNanos() - nanoTime.getAsLong());
    }

    /** Stops claiming ahead for this number of sessions, until the bean has been quick again for a while. */
    void slowDown(int sessions) {
        meanNanos = Math.max(meanNanos, sessions * PREFETCH_WINDOW.toNanos() * 2.0);
    }
}
