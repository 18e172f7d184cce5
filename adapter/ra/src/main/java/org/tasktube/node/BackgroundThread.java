package org.tasktube.node;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import org.tasktube.TaskTubeException;

/**
 * The thread for what may wait for somebody, so that it cannot hold up deadlines: the container's timer, and the count of all
 * tasks.
 */
final class BackgroundThread implements Runnable, Executor {

    private final BlockingQueue<Runnable> work = new LinkedBlockingQueue<>();
    private volatile boolean ending;

    /** Runs something on this thread, after what was given before. */
    @Override
    public void execute(Runnable piece) {
        if (!ending) {
            work.add(piece);
        }
    }

    void end() {
        ending = true;
        work.add(() -> {});
    }

    @Override
    public void run() {
        try {
            while (!ending) {
                perform(work.take());
                // The container's code may leave one behind; it was not meant for this thread
                Thread.interrupted();
            }
        } catch (InterruptedException e) {
            ending = true;
        } finally {
            work.clear();
        }
    }

    /** Some of this is code of the container's, which must not end the thread. */
    private static void perform(Runnable piece) {
        try {
            piece.run();
        } catch (TaskTubeException e) {
            Log.LOG.backgroundWorkFailed(e.getMessage());
        } catch (Throwable e) {
            Log.LOG.maintenanceFailed(e);
        }
    }
}
