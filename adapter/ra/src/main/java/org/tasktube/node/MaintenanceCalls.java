package org.tasktube.node;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.StoreException;
import org.tasktube.store.Transactions;

/** Calls that wait for the maintenance thread, which is in no transaction and has a connection of its own. */
public final class MaintenanceCalls {

    private static final Duration LOOK_WHETHER_RUNNING = Duration.ofMillis(200);

    /** Longer than any work of that thread takes, whose waits for locks and answers are bounded. */
    static final Duration PATIENCE = Duration.ofMinutes(1);

    private final MaintenanceQueue queue;
    private final StoreAccess access;
    private final Transactions transactions;
    private final Duration patience;

    MaintenanceCalls(MaintenanceQueue queue, StoreAccess access, Transactions transactions, Duration patience) {
        this.queue = queue;
        this.access = access;
        this.transactions = transactions;
        this.patience = patience;
    }

    /** Does work at once, outside the caller's transaction. */
    public <T> T outsideTransaction(Callable<T> work) {
        if (transactions.active()) {
            return call(work);
        }
        try {
            return work.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits until the maintenance thread has done all its earlier work. */
    void awaitIdle() {
        if (!queue.isThisThread()) {
            call(() -> null);
        }
    }

    /** Runs work on the maintenance thread and returns its result. If the call fails before the work begins, it never does. */
    <T> T call(Callable<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        AtomicBoolean isWanted = new AtomicBoolean(true);
        queue.execute(() -> {
            if (isWanted.getAndSet(false)) {
                complete(result, work);
            }
        });
        long end = System.nanoTime() + patience.toNanos();
        try {
            while (true) {
                // If the adapter ceases to be RUNNING at this moment, the call fails rather than waits for ever
                access.store();
                try {
                    return result.get(LOOK_WHETHER_RUNNING.toMillis(), TimeUnit.MILLISECONDS);
                } catch (TimeoutException e) {
                    Log.LOG.maintenanceIsBusy(LOOK_WHETHER_RUNNING);
                }
                if (System.nanoTime() - end > 0 && isWanted.getAndSet(false)) {
                    throw new StoreException("TaskTube's maintenance thread did other work for " + patience.toMillis()
                            + " ms; nothing was done, try again later");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AdapterNotRunningException(access.state(), "the thread that waited was interrupted");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new StoreException(
                    "TaskTube's maintenance thread failed: " + e.getCause().getMessage(), e.getCause());
        } finally {
            isWanted.set(false);
        }
    }

    private static <T> void complete(CompletableFuture<T> result, Callable<T> work) {
        try {
            result.complete(work.call());
        } catch (Throwable e) {
            result.completeExceptionally(e);
        }
    }
}
