package org.tasktube.jca;

import jakarta.resource.spi.work.WorkException;
import jakarta.resource.spi.work.WorkManager;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.tasktube.TaskFailure;

/**
 * Requests threads from the server, on a thread of its own. While WildFly's pool and queue are full, its work manager
 * blocks each request without a limit, and ignores the start timeout. So no caller waits here. The thread ends when
 * there are no requests.
 */
public final class Starter {

    private static final Duration KEEP_ALIVE = Duration.ofSeconds(5);

    private final WorkManager workManager;
    private final ScheduledThreadPoolExecutor asking;

    public Starter(WorkManager workManager) {
        this(workManager, Starter::thread);
    }

    /** @param threads creates the thread of the requests */
    public Starter(WorkManager workManager, ThreadFactory threads) {
        this.workManager = workManager;
        this.asking = new ScheduledThreadPoolExecutor(1, threads);
        asking.setKeepAliveTime(KEEP_ALIVE.toNanos(), TimeUnit.NANOSECONDS);
        asking.allowCoreThreadTimeOut(true);
        asking.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "tasktube-threads");
        thread.setDaemon(true);
        // The first application that is deployed makes this thread, which must not keep that application in memory
        thread.setContextClassLoader(Starter.class.getClassLoader());
        return thread;
    }

    /**
     * Runs a loop on a thread of the server as soon as the server has one.
     *
     * @param refused gets the reason if the server gives no thread
     * @throws OutOfMemoryError if the virtual machine has no memory or no thread for the request; the loop never runs
     */
    public LongRunning start(Runnable loop, Consumer<String> refused) {
        LongRunning work = new LongRunning(loop);
        try {
            later(Duration.ZERO, () -> ask(work, refused));
        } catch (OutOfMemoryError e) {
            // Without a thread the request is in the queue all the same, and the next request's thread finds it
            work.cancel();
            throw e;
        }
        return work;
    }

    @SuppressWarnings("CatchAndPrintStackTrace") // An Error of the server must not end the requests either
    private void ask(LongRunning work, Consumer<String> refused) {
        try {
            workManager.scheduleWork(work);
        } catch (WorkException | RuntimeException | Error e) {
            refused.accept(TaskFailure.summary(e));
        }
    }

    /** Runs a short piece of work after a delay. */
    public void later(Duration delay, Runnable work) {
        try {
            ScheduledFuture<?> unused = asking.schedule(work, delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // The adapter stops, and the work is no longer needed
            return;
        }
    }

    /** Ends all requests. */
    public void end() {
        asking.shutdownNow();
    }
}
