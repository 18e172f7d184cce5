package org.tasktube.node;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.store.StoredTube;

/**
 * Runs the effects of the maintenance thread's changes in tubes with listeners. Listeners are code of applications, for
 * which the maintenance thread must not wait. Each tube's changes stay in order. A blocked listener delays its own tube
 * only. Threads are created on demand, at most one per such tube, and end some seconds after their last work.
 */
final class ListenerThreads {

    private static final Duration KEEP_ALIVE = Duration.ofSeconds(5);
    private static final CompletableFuture<Void> NOTHING = CompletableFuture.completedFuture(null);

    private final Map<StoredTube, CompletableFuture<Void>> last = new ConcurrentHashMap<>();
    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            KEEP_ALIVE.toNanos(),
            TimeUnit.NANOSECONDS,
            new SynchronousQueue<>(),
            Teller::new,
            new ThreadPoolExecutor.DiscardPolicy());

    /**
     * A thread without the context of the application that made the change, and without its inherited thread-locals.
     */
    private static final class Teller extends Thread {

        Teller(Runnable work) {
            super(null, work, "tasktube-listeners", 0, false);
            setDaemon(true);
            setContextClassLoader(ListenerThreads.class.getClassLoader());
        }
    }

    void execute(StoredTube tube, Runnable effects) {
        last.compute(tube, (key, before) -> (before == null || before.isDone() ? NOTHING : before)
                .thenRunAsync(() -> isolated(effects), threads)
                // The virtual machine can have no thread: the effects isolate their own failures
                .exceptionally(failure -> {
                    Log.LOG.maintenanceFailed(failure);
                    return null;
                }));
    }

    /**
     * Waits until all effects so far have run. Returns false after the timeout. A listener does not wait, because it
     * would wait for its own end.
     */
    boolean awaitDone(Duration timeout) throws InterruptedException {
        if (Thread.currentThread() instanceof Teller) {
            return false;
        }
        try {
            CompletableFuture.allOf(last.values().toArray(CompletableFuture[]::new))
                    .get(timeout.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("effects are isolated", e);
        }
    }

    /** Forgets a dropped tube, unless effects still run. */
    void forget(StoredTube tube) {
        last.computeIfPresent(tube, (key, before) -> before.isDone() ? null : before);
    }

    void end() {
        threads.shutdown();
    }

    private static void isolated(Runnable effects) {
        try {
            effects.run();
        } catch (AdapterNotRunningException e) {
            // The stop has overtaken the effects: no listener of this server learns of them
            Log.LOG.leftForLater("notify listeners", e.getMessage());
        } catch (Throwable e) {
            Log.LOG.maintenanceFailed(e);
        } finally {
            // A listener's leftover interrupt must not reach the next listener on this thread
            Thread.interrupted();
        }
    }
}
