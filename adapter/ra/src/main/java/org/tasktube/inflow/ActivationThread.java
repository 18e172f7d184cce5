package org.tasktube.inflow;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.tasktube.jca.LongRunning;
import org.tasktube.jca.Starter;

/**
 * The one server thread of an activation, for its whole life: the claim loop of a bean, or the loop that notifies a
 * listening bean. The activation does not wait for the server to give the thread. If the server refuses, it is asked
 * again.
 */
final class ActivationThread {

    private static final Duration ASK_AGAIN = Duration.ofSeconds(5);
    private static final Duration END = Duration.ofSeconds(10);

    private final String bean;
    private final String tube;
    private final Starter starter;
    private final Runnable loop;
    private final AtomicReference<Life> life = new AtomicReference<>(Life.ASKED);
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch toEnd = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile LongRunning asked;
    private volatile long endBy;

    private enum Life {
        ASKED,
        BEGUN,
        /** Stopped before the server gave a thread. */
        NEVER
    }

    /** @param loop runs until {@link #isActive} is false */
    ActivationThread(String bean, String tube, Starter starter, Runnable loop) {
        this.bean = bean;
        this.tube = tube;
        this.starter = starter;
        this.loop = loop;
    }

    /** Asks the server for the thread, and returns. */
    void start() {
        asked = starter.start(this::run, this::refused);
        if (life.get() == Life.NEVER) {
            asked.cancel();
        }
    }

    private void refused(String why) {
        Log.LOG.noClaimer(bean, tube, why);
        starter.later(ASK_AGAIN, () -> {
            if (life.get() == Life.ASKED) {
                start();
            }
        });
    }

    private void run() {
        if (life.compareAndSet(Life.ASKED, Life.BEGUN)) {
            begun.countDown();
            try {
                loop.run();
            } finally {
                ended.countDown();
            }
        }
    }

    /** Waits until the loop has begun. Returns whether it has begun within the timeout. */
    boolean awaitBegin(Duration timeout) throws InterruptedException {
        return begun.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
    }

    boolean hasBegun() {
        return begun.getCount() == 0;
    }

    boolean isActive() {
        return toEnd.getCount() > 0;
    }

    /** Waits for the given time, or until the thread is to end. */
    void pause(Duration time) throws InterruptedException {
        boolean unused = toEnd.await(time.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Asks the loop to end. The time limit of {@link #awaitEnd} counts from the first call. */
    synchronized void end() {
        if (isActive()) {
            endBy = System.nanoTime() + END.toNanos();
            toEnd.countDown();
        }
    }

    /**
     * Waits until the loop has ended, or until 10 s after {@link #end}, which is logged.
     *
     * @return true if the loop ever began
     */
    boolean awaitEnd() {
        if (life.compareAndSet(Life.ASKED, Life.NEVER)) {
            asked.cancel();
        }
        if (life.get() == Life.NEVER) {
            return false;
        }
        try {
            if (!ended.await(endBy - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                Log.LOG.deliveriesDoNotEnd(tube, END);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return true;
    }
}
