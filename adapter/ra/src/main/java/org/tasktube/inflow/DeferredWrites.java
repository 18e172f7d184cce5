package org.tasktube.inflow;

import java.time.Duration;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.tasktube.TaskFailure;
import org.tasktube.TubeNotFoundException;

/**
 * The writes that the database refused: the result of a delivery, or the return of a task that was not begun. Each is
 * retried until the database accepts it. A write names its claim, so a second run of a write that had succeeded
 * unnoticed has no effect.
 *
 * <p>Any thread may add writes. Only the claim loop retries them.
 */
final class DeferredWrites {

    /** The number of deferred writes at which claiming stops, because memory has bounds. */
    static final int LIMIT = 1_000;

    static final Duration RETRY = Duration.ofSeconds(1);

    /** The longest time between two retries. */
    static final Duration MOST = Duration.ofSeconds(10);

    /** The time between two retries, in times of the one that a retry took: the claim loop has other work. */
    private static final int REST = 10;

    private final LongSupplier nanoTime;
    private final Deque<Runnable> writes = new ConcurrentLinkedDeque<>();

    /** The writes that wait, and the one that runs. */
    private final AtomicInteger notDone = new AtomicInteger();

    private volatile long retryAt;

    /** @param nanoTime the time in nanoseconds, as {@link System#nanoTime} gives it */
    DeferredWrites(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.retryAt = nanoTime.getAsLong();
    }

    void add(Runnable write) {
        notDone.incrementAndGet();
        writes.addLast(write);
    }

    /** Returns whether all are done, and none runs. */
    boolean areDone() {
        return notDone.get() == 0;
    }

    boolean isFull() {
        return writes.size() >= LIMIT;
    }

    boolean isDue() {
        return untilDue() == 0;
    }

    /** Returns the time until the next retry in nanoseconds; {@link Long#MAX_VALUE} without deferred writes. */
    long untilDue() {
        return writes.isEmpty() ? Long.MAX_VALUE : Math.max(0, retryAt - nanoTime.getAsLong());
    }

    /**
     * Tries each write once. One that fails again is the last from then on, and does not prevent the others. Each may
     * have waited for a lock, so after a failure and a second the rest waits for the next retry.
     */
    void retry() {
        long begin = nanoTime.getAsLong();
        boolean failed = false;
        for (int left = writes.size(); left > 0 && !(failed && isLong(begin)); left--) {
            Runnable next = writes.pollFirst();
            if (next != null && isDone(next)) {
                notDone.decrementAndGet();
            } else if (next != null) {
                writes.addLast(next);
                failed = true;
            }
        }
        if (failed) {
            long now = nanoTime.getAsLong();
            retryAt = now + Math.min(Math.max(RETRY.toNanos(), REST * (now - begin)), MOST.toNanos());
        }
    }

    private boolean isLong(long begin) {
        return nanoTime.getAsLong() - begin >= RETRY.toNanos();
    }

    private static boolean isDone(Runnable write) {
        try {
            write.run();
            return true;
        } catch (TubeNotFoundException e) {
            // The task is gone with its tube
            return true;
        } catch (Throwable e) {
            Log.LOG.thrown(TaskFailure.summary(e));
            return false;
        }
    }
}
