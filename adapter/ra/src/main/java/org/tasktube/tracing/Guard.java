package org.tasktube.tracing;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.tasktube.TaskFailure;

/** Runs code of OpenTelemetry and of what is configured in it. A failure is logged, and the task goes on. */
final class Guard {

    private static final long AGAIN = Duration.ofMinutes(1).toNanos();

    private final LongSupplier nanoTime;
    private final AtomicLong logAt;

    Guard(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.logAt = new AtomicLong(nanoTime.getAsLong());
    }

    /** Returns the result of a step, or another if it fails. */
    <T> T get(Supplier<T> step, T other) {
        try {
            return step.get();
        } catch (Throwable e) {
            log(e);
            return other;
        }
    }

    void run(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            log(e);
        }
    }

    private void log(Throwable failure) {
        long now = nanoTime.getAsLong();
        long due = logAt.get();
        if (due - now <= 0 && logAt.compareAndSet(due, now + AGAIN)) {
            Log.LOG.failed(TaskFailure.summary(failure));
        }
        Log.LOG.thrown(TaskFailure.describe(failure));
    }
}
