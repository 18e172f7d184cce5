package org.tasktube.node;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.TaskTubeException;

/**
 * The thread for work that may wait for others: the container's timer, which an EJB serves, and the count of all
 * tasks and the batches of operations, which take a connection of the pool. On the maintenance thread such a wait would
 * delay the deadlines of all tubes. A piece of work ends soon, so that it does not hold up
 * the others; only a count takes as long as the database needs to read all tasks.
 */
final class BackgroundThread implements Runnable, Executor {

    /** The pause after a failure of which even the log has failed. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** The longest wait for the end of the piece that runs. A count of all tasks can take longer. */
    private static final Duration END_PATIENCE = Duration.ofSeconds(2);

    private final CountDownLatch ended = new CountDownLatch(1);
    private final BlockingQueue<Runnable> work = new LinkedBlockingQueue<>();
    private volatile Thread thread;
    private volatile boolean ending;

    /** Runs work on this thread, after all earlier work. */
    @Override
    public void execute(Runnable piece) {
        if (!ending) {
            work.add(piece);
        }
    }

    boolean isThisThread() {
        return Thread.currentThread() == thread;
    }

    /** Ends after the piece that runs. Waits for that, because the server takes away the datasource and the classes. */
    void end() {
        ending = true;
        work.add(() -> {});
        if (thread == null || isThisThread()) {
            return;
        }
        try {
            boolean unused = ended.await(END_PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void run() {
        thread = Thread.currentThread();
        try {
            while (!ending) {
                performNext();
                // The container's code may leave an interrupt behind, which was not meant for this thread
                Thread.interrupted();
            }
        } catch (InterruptedException e) {
            ending = true;
        } finally {
            work.clear();
            ended.countDown();
        }
    }

    private void performNext() throws InterruptedException {
        try {
            perform(work.take());
        } catch (RuntimeException | Error e) {
            ThreadFailure.after(e, PAUSE);
        }
    }

    /** Runs work and logs its failure. The container's code must not end the thread. */
    private static void perform(Runnable piece) {
        try {
            piece.run();
        } catch (AdapterNotRunningException e) {
            // Nothing has failed: each RUNNING begins with the look at the tubes and the count of all tasks
            Log.LOG.leftForLater("work in the background", e.getMessage());
        } catch (TaskTubeException e) {
            Log.LOG.backgroundWorkFailed(e.getMessage());
        } catch (Throwable e) {
            Log.LOG.maintenanceFailed(e);
        }
    }
}
