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
import org.tasktube.store.StoredTube;

/**
 * What follows a change that the maintenance thread made in a tube with listeners: these are code of applications, which the maintenance thread must
 * not wait for. Each tube's changes follow each other; a listener that blocks holds up its own tube and no other. Threads
 * are made when they are needed, one per such tube at most, and end some seconds later.
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

    /** Has neither the context of the application that made the change, nor what threads of that inherit. */
    private static final class Teller extends Thread {

        Teller(Runnable work) {
            super(null, work, "tasktube-listeners", 0, false);
            setDaemon(true);
            setContextClassLoader(ListenerThreads.class.getClassLoader());
        }
    }

    void execute(StoredTube tube, Runnable effects) {
        last.compute(tube, (key, before) -> (before == null || before.isDone() ? NOTHING : before)
                .thenRunAsync(() -> isolated(effects), threads));
    }

    /**
     * Waits until all that was given before now is done; false if it was not within that time. A listener does not wait: it
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

    /** A tube that is no more has nothing to tell after this. */
    void forget(StoredTube tube) {
        last.computeIfPresent(tube, (key, before) -> before.isDone() ? null : before);
    }

    void end() {
        threads.shutdown();
    }

    private static void isolated(Runnable effects) {
        try {
            effects.run();
        } catch (Throwable e) {
            Log.LOG.maintenanceFailed(e);
        } finally {
            // A listener's own; the next one on this thread must not find it
            Thread.interrupted();
        }
    }
}
