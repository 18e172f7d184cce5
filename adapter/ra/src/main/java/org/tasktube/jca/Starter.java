package org.tasktube.jca;

import jakarta.resource.spi.work.WorkException;
import jakarta.resource.spi.work.WorkManager;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.tasktube.TaskFailure;

/**
 * Asks the server for threads, from a thread of its own: WildFly's work manager blocks the asking, for as long as it takes,
 * while its pool and its queue are full, whatever start timeout it is given. So nobody who asks here waits. The thread
 * ends when nobody asks.
 */
public final class Starter {

    private static final Duration KEEP_ALIVE = Duration.ofSeconds(5);

    private final WorkManager workManager;
    private final ScheduledThreadPoolExecutor asking = new ScheduledThreadPoolExecutor(1, Starter::thread);

    public Starter(WorkManager workManager) {
        this.workManager = workManager;
        asking.setKeepAliveTime(KEEP_ALIVE.toNanos(), TimeUnit.NANOSECONDS);
        asking.allowCoreThreadTimeOut(true);
        asking.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "tasktube-threads");
        thread.setDaemon(true);
        // It is made on the thread of whichever application is deployed first, and must not hold on to that
        thread.setContextClassLoader(Starter.class.getClassLoader());
        return thread;
    }

    /**
     * Has something run on a thread of the server's, as soon as there is one.
     *
     * @param refused is told why the server gives none
     */
    public LongRunning start(Runnable loop, Consumer<String> refused) {
        LongRunning work = new LongRunning(loop);
        later(Duration.ZERO, () -> ask(work, refused));
        return work;
    }

    @SuppressWarnings("CatchAndPrintStackTrace") // an Error of a server's must not end the asking either
    private void ask(LongRunning work, Consumer<String> refused) {
        try {
            workManager.scheduleWork(work);
        } catch (WorkException | RuntimeException | Error e) {
            refused.accept(TaskFailure.summary(e));
        }
    }

    /** Runs something soon that does not take long. */
    public void later(Duration delay, Runnable work) {
        try {
            ScheduledFuture<?> unused = asking.schedule(work, delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // The adapter stops, and with it all that would have run
            return;
        }
    }

    /** Asks for nothing more. */
    public void end() {
        asking.shutdownNow();
    }
}
