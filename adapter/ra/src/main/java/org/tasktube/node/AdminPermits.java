package org.tasktube.node;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.tasktube.StoreException;

/** Limits the administration's reads at once. More of them would take connections from the work. */
final class AdminPermits {

    private static final int AT_ONCE = 3;

    /** The longest wait for another read's end. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final Semaphore permits = new Semaphore(AT_ONCE, true);

    <T> T read(Supplier<T> work) {
        acquire();
        try {
            return work.get();
        } finally {
            permits.release();
        }
    }

    private void acquire() {
        try {
            if (permits.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException(
                    "the thread was interrupted while it waited for a read of the administration; repeat the call", e);
        }
        throw new StoreException(
                AT_ONCE + " reads of the administration are running on this server, which is the most at once;"
                        + " repeat the call");
    }
}
