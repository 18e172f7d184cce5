package org.tasktube.node;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The work that others give to the maintenance thread, in the order in which it comes due. */
final class MaintenanceQueue implements Executor {

    private final DelayQueue<Job> jobs = new DelayQueue<>();
    private volatile Thread thread;
    private volatile boolean ending;

    /** The calling thread is the maintenance thread. */
    void begin() {
        thread = Thread.currentThread();
    }

    boolean isThisThread() {
        return Thread.currentThread() == thread;
    }

    boolean hasBegun() {
        return thread != null;
    }

    /** Takes no more work, and has the thread look whether it ends. */
    void end() {
        ending = true;
        jobs.add(new Job(() -> {}, System.nanoTime()));
    }

    boolean isEnding() {
        return ending;
    }

    /** Runs something on the maintenance thread, soon. */
    @Override
    public void execute(Runnable something) {
        executeIn(Duration.ZERO, something);
    }

    /** Runs something on the maintenance thread, after that time. */
    void executeIn(Duration delay, Runnable something) {
        if (!ending) {
            jobs.add(new Job(something, System.nanoTime() + delay.toNanos()));
        }
    }

    /** Waits for the next work; returns empty if none comes due within that time. */
    Optional<Runnable> next(long nanos) throws InterruptedException {
        return Optional.ofNullable(jobs.poll(nanos, TimeUnit.NANOSECONDS)).map(job -> job.work);
    }

    /** Work of the same time comes in the order in which it was given. */
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
