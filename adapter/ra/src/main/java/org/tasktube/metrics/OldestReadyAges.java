package org.tasktube.metrics;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.tasktube.TaskTubeException;
import org.tasktube.admin.OldestReady;

/**
 * The ages of the oldest READY tasks, which all callers share for a second. One thread at a time reads them, so that a
 * tool that reads an attribute of each tube costs the database one read.
 */
public final class OldestReadyAges {

    private static final long LIFETIME = Duration.ofSeconds(1).toNanos();

    /** The longest wait for another thread's read. A database may not answer for longer. */
    private static final long WAIT = Duration.ofSeconds(1).toNanos();

    private final Supplier<List<OldestReady>> source;
    private final LongSupplier nanoTime;
    private final ReentrantLock lock = new ReentrantLock();

    /** The latest answer; null before the first read. */
    private Optional<Map<String, Duration>> ages;

    private long read;

    public OldestReadyAges(Supplier<List<OldestReady>> source, LongSupplier nanoTime) {
        this.source = source;
        this.nanoTime = nanoTime;
    }

    /**
     * Returns the age of each tube's oldest READY task; empty if the database could not be read, or another thread
     * reads it for too long.
     */
    public Optional<Map<String, Duration>> get() {
        try {
            if (!lock.tryLock(WAIT, TimeUnit.NANOSECONDS)) {
                return Optional.empty();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
        try {
            if (ages == null || nanoTime.getAsLong() - read >= LIFETIME) {
                ages = read();
                read = nanoTime.getAsLong();
            }
            return ages;
        } finally {
            lock.unlock();
        }
    }

    /** A failure is shared for a second too: a database that fails is not asked more often than another. */
    private Optional<Map<String, Duration>> read() {
        try {
            return Optional.of(source.get().stream().collect(Collectors.toMap(OldestReady::tube, OldestReady::age)));
        } catch (TaskTubeException e) {
            Log.LOG.agesNotRead(e.getMessage());
            return Optional.empty();
        }
    }
}
