package org.tasktube.node.admin;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.tasktube.StoreException;

/**
 * Limits the administration's reads at once. More of them would take connections from the work. Searches have places of
 * their own, so that those of one user do not stop the overview and the metrics.
 */
final class AdminPermits {

    private static final int AT_ONCE = 3;

    /** The longest wait for another read's end. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final Semaphore reads = new Semaphore(AT_ONCE, true);
    private final Semaphore searches = new Semaphore(AT_ONCE, true);

    /** Makes a read that takes some milliseconds. */
    <T> T read(Supplier<T> work) {
        return with(reads, work);
    }

    /** Makes a read that may take a second. */
    <T> T search(Supplier<T> work) {
        return with(searches, work);
    }

    private static <T> T with(Semaphore permits, Supplier<T> work) {
        acquire(permits);
        try {
            return work.get();
        } finally {
            permits.release();
        }
    }

    private static void acquire(Semaphore permits) {
        try {
            if (permits.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException(
                    "the thread was interrupted while it waited for a read of the administration; repeat the call", e);
        }
        throw new StoreException(AT_ONCE + " reads of this kind are running on this server, which is the most at once;"
                + " repeat the call");
    }
}
