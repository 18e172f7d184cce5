package org.tasktube.itest.crowd;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** A bean that wants 80 threads, of which each waits at the gate until it opens, and is slow from then on. */
public abstract class Crowd implements TaskListener {

    static final String MAX_SESSION = "80";

    static final CountDownLatch GATE = new CountDownLatch(1);
    static final AtomicInteger INSIDE = new AtomicInteger();

    private static final int LONGEST_WAIT = 60;
    private static final long WORK = 50_000_000;

    @Override
    public void onTask(Task task) throws InterruptedException {
        INSIDE.incrementAndGet();
        try {
            GATE.await(LONGEST_WAIT, TimeUnit.SECONDS);
            LockSupport.parkNanos(WORK);
        } finally {
            INSIDE.decrementAndGet();
        }
    }
}
