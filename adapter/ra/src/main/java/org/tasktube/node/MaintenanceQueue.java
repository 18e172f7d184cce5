package org.tasktube.node;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The work of other threads for the maintenance thread, in the order of its due times. */
public final class MaintenanceQueue implements Executor {

    /** More than any work is late. */
    private static final Duration BEFORE_ALL = Duration.ofDays(-1);

    private final DelayQueue<Job> jobs = new DelayQueue<>();
    private volatile Thread thread;
    private volatile boolean ending;

    /** Makes the calling thread the maintenance thread. */
    void begin() {
        thread = Thread.currentThread();
    }

    boolean isThisThread() {
        return Thread.currentThread() == thread;
    }

    boolean hasBegun() {
        return thread != null;
    }

    /** Takes no more work, and wakes the thread so that it can end. */
    void end() {
        ending = true;
        jobs.add(new Job(() -> {}, System.nanoTime()));
    }

    boolean isEnding() {
        return ending;
    }

    /** Runs work on the maintenance thread, soon. */
    @Override
    public void execute(Runnable something) {
        executeIn(Duration.ZERO, something);
    }

    /** Runs work on the maintenance thread before all other work. */
    void executeFirst(Runnable something) {
        executeIn(BEFORE_ALL, something);
    }

    /** Runs work on the maintenance thread after a delay. */
    public void executeIn(Duration delay, Runnable something) {
        if (!ending) {
            jobs.add(new Job(something, System.nanoTime() + delay.toNanos()));
        }
    }

    /** Waits for the next work. Returns empty if no work is due within the given time, in nanoseconds. */
    Optional<Runnable> next(long nanos) throws InterruptedException {
        return Optional.ofNullable(jobs.poll(nanos, TimeUnit.NANOSECONDS)).map(job -> job.work);
    }

    /** A piece of work. Pieces with the same due time keep their order. */
    private static final class Job implements Delayed {

        private static final AtomicLong NUMBERS = new AtomicLong();

        private final Runnable work;
        private final long at;
        private final long number = NUMBERS.incrementAndGet();

        Job(Runnable work, long at) {
            this.work = work;
            this.at = at;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(at - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            Job that = (Job) other;
            int byTime = Long.signum(at - that.at);
            return byTime != 0 ? byTime : Long.compare(number, that.number);
        }
    }
}
