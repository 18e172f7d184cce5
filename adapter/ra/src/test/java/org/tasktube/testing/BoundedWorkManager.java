package org.tasktube.testing;

import jakarta.resource.spi.work.ExecutionContext;
import jakarta.resource.spi.work.Work;
import jakarta.resource.spi.work.WorkListener;
import jakarta.resource.spi.work.WorkManager;
import jakarta.resource.spi.work.WorkRejectedException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * A work manager with a bounded pool and a bounded queue, as WildFly has it. When both are full, {@code scheduleWork}
 * blocks until a thread is free, whatever start timeout it is given: IronJacamar 3.0.18 does not pass that on.
 */
public final class BoundedWorkManager implements WorkManager, AutoCloseable {

    private final int most;
    private final int longestQueue;
    private final Deque<Work> queue = new ArrayDeque<>();
    private final List<Thread> threads = new ArrayList<>();
    private final List<Throwable> escaped = new ArrayList<>();
    private int idle;
    private boolean rejecting;
    private boolean closed;

    public BoundedWorkManager(int threads, int queue) {
        this.most = threads;
        this.longestQueue = queue;
    }

    @Override
    public synchronized void scheduleWork(Work work) throws WorkRejectedException {
        while (!closed && !rejecting && !accept(work)) {
            try {
                wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new WorkRejectedException("interrupted while it waited for a thread", e);
            }
        }
        if (closed || rejecting) {
            throw new WorkRejectedException("the pool takes no work");
        }
    }

    private boolean accept(Work work) {
        if (idle > queue.size() || (threads.size() == most && queue.size() < longestQueue)) {
            queue.addLast(work);
            notifyAll();
            return true;
        }
        if (threads.size() < most) {
            queue.addLast(work);
            Thread thread = new Thread(this::serve, "work-" + threads.size());
            threads.add(thread);
            thread.start();
            return true;
        }
        return false;
    }

    private void serve() {
        for (Work next = next(); next != null; next = next()) {
            try {
                next.run();
            } catch (Throwable e) {
                escaped(e);
            }
        }
    }

    private synchronized Work next() {
        idle++;
        notifyAll();
        try {
            while (queue.isEmpty() && !closed) {
                wait();
            }
            Work next = queue.pollFirst();
            notifyAll();
            return next;
        } catch (InterruptedException e) {
            escaped.add(e);
            return null;
        } finally {
            idle--;
        }
    }

    private synchronized void escaped(Throwable thrown) {
        escaped.add(thrown);
    }

    /** What works threw, which none of the adapter's may. */
    public synchronized List<Throwable> escaped() {
        return List.copyOf(escaped);
    }

    /** How many works are queued. */
    public synchronized int queued() {
        return queue.size();
    }

    /** Whether work is rejected from now on, as a server does that has no queue. */
    public synchronized void reject(boolean all) {
        rejecting = all;
        notifyAll();
    }

    /** Takes no work any more; its threads end when what they do ends. */
    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
    }

    @Override
    public void scheduleWork(Work work, long timeout, ExecutionContext context, WorkListener listener)
            throws WorkRejectedException {
        scheduleWork(work);
    }

    @Override
    public void doWork(Work work) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void doWork(Work work, long timeout, ExecutionContext context, WorkListener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long startWork(Work work) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long startWork(Work work, long timeout, ExecutionContext context, WorkListener listener) {
        throw new UnsupportedOperationException();
    }
}
