package org.tasktube.console.metrics;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * An answer that all callers share for a short time. One thread at a time reads it, so that many callers cost as much
 * as one.
 */
public final class Cached<T> {

    /** The age up to which callers share an answer. */
    static final Duration LIFETIME = Duration.ofSeconds(1);

    /** The longest wait for another thread's answer. The server's pool may not answer for longer. */
    private static final Duration WAIT = Duration.ofSeconds(5);

    private final Supplier<T> source;
    private final LongSupplier nanoTime;
    private final long waitNanos;
    private final ReentrantLock lock = new ReentrantLock();

    private T answer;
    private long read;

    public Cached(Supplier<T> source) {
        this(source, System::nanoTime, WAIT);
    }

    Cached(Supplier<T> source, LongSupplier nanoTime, Duration wait) {
        this.source = source;
        this.nanoTime = nanoTime;
        this.waitNanos = wait.toNanos();
    }

    /** Returns the answer; empty if another thread reads it for too long, or this thread is interrupted. */
    public Optional<T> get() {
        try {
            if (!lock.tryLock(waitNanos, TimeUnit.NANOSECONDS)) {
                return Optional.empty();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
        try {
            if (answer == null || nanoTime.getAsLong() - read >= LIFETIME.toNanos()) {
                answer = source.get();
                read = nanoTime.getAsLong();
            }
            return Optional.of(answer);
        } finally {
            lock.unlock();
        }
    }
}
