package org.tasktube.metrics;

import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;

/**
 * Calls the MBean server, one call after the other, on a thread of its own. The MBean server runs the listeners of
 * applications on the thread that calls it, and such a listener may block for ever.
 *
 * <p>A blocked listener is not interrupted: it may be in the midst of its database, and some close their files at an
 * interrupt. The threads end some seconds after their last work.
 */
final class ListenedCalls {

    private static final Duration KEEP_ALIVE = Duration.ofSeconds(5);

    private final Duration limit;
    private final ThreadPoolExecutor calls = new ThreadPoolExecutor(
            1, 1, KEEP_ALIVE.toNanos(), TimeUnit.NANOSECONDS, new LinkedBlockingQueue<>(), Caller::new);
    private final ScheduledThreadPoolExecutor watch = new ScheduledThreadPoolExecutor(1, ListenedCalls::watcher);
    private boolean toldSlow;

    /** A thread without the context of the application that made a tube, and without its inherited thread-locals. */
    private static final class Caller extends Thread {

        Caller(Runnable work) {
            super(null, work, "tasktube-jmx", 0, false);
            setDaemon(true);
            setContextClassLoader(ListenedCalls.class.getClassLoader());
        }
    }

    private static Thread watcher(Runnable work) {
        Thread thread = new Thread(null, work, "tasktube-jmx-watch", 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(ListenedCalls.class.getClassLoader());
        return thread;
    }

    /** @param limit the time after which a call is reported, and for which {@link #end} waits */
    ListenedCalls(Duration limit) {
        this.limit = limit;
        calls.allowCoreThreadTimeOut(true);
        watch.setKeepAliveTime(KEEP_ALIVE.toNanos(), TimeUnit.NANOSECONDS);
        watch.allowCoreThreadTimeOut(true);
        watch.setRemoveOnCancelPolicy(true);
    }

    /** A call of the MBean server. */
    @FunctionalInterface
    interface Call {
        void run() throws JMException;
    }

    /** Runs work on the thread, after all earlier work. */
    void execute(Runnable work) {
        calls.execute(work);
    }

    /** Makes a call about a tube, on the thread, and reports it if it takes too long. */
    void call(String tube, Call call) throws JMException {
        ScheduledFuture<?> late = watch.schedule(() -> tellSlow(tube), limit.toNanos(), TimeUnit.NANOSECONDS);
        try {
            call.run();
        } finally {
            late.cancel(false);
            // A listener's leftover interrupt must not reach the next listener on this thread
            Thread.interrupted();
        }
    }

    private synchronized void tellSlow(String tube) {
        if (!toldSlow) {
            toldSlow = true;
            Log.LOG.listenerIsSlow(limit, tube);
        }
    }

    /**
     * Ends the thread after all work so far, and waits for that. After the limit it returns anyway: the work continues
     * when the listener returns. A listener does not wait, because it would wait for its own end.
     */
    void end() {
        calls.shutdown();
        if (Thread.currentThread() instanceof Caller) {
            return;
        }
        try {
            if (calls.awaitTermination(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                watch.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
