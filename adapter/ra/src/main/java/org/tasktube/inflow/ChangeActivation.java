package org.tasktube.inflow;

import jakarta.resource.ResourceException;
import jakarta.resource.spi.endpoint.MessageEndpoint;
import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import jakarta.resource.spi.work.WorkException;
import jakarta.resource.spi.work.WorkManager;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.tasktube.TaskChange;
import org.tasktube.TaskChangeListener;
import org.tasktube.TaskTubeException;
import org.tasktube.TubeEvent;
import org.tasktube.TubeNotFoundException;
import org.tasktube.jca.LongRunning;
import org.tasktube.queue.Queue;
import org.tasktube.queue.TubeQueue;

/**
 * A bean that is told what happens in a tube. It is told on a thread of its own, so that it may use transactions and take its
 * time; what it is behind with waits in memory, up to a limit.
 */
final class ChangeActivation {

    private static final int MOST_WAITING = 10_000;
    private static final Duration LOOK_FOR_TUBE = Duration.ofSeconds(5);
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration END = Duration.ofSeconds(10);
    private static final Method ON_TASK_CHANGE = onTaskChange();

    private static final TaskChange END_OF_CHANGES = new TaskChange(TubeEvent.TRUNCATE, "", Optional.empty());

    private final Queue queue;
    private final String tube;
    private final MessageEndpointFactory endpoints;
    private final BlockingQueue<TaskChange> waiting = new LinkedBlockingQueue<>(MOST_WAITING);
    private final AtomicLong lost = new AtomicLong();
    private final CountDownLatch toEnd = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private MessageEndpoint endpoint;

    ChangeActivation(Queue queue, String tube, MessageEndpointFactory endpoints) {
        this.queue = queue;
        this.tube = tube;
        this.endpoints = endpoints;
    }

    private static Method onTaskChange() {
        try {
            return TaskChangeListener.class.getMethod("onTaskChange", TaskChange.class);
        } catch (NoSuchMethodException e) {
            throw new LinkageError("the API of TaskTube does not fit the adapter", e);
        }
    }

    void start(WorkManager workManager) throws WorkException {
        workManager.scheduleWork(new LongRunning(this::run));
    }

    /** Returns when the bean is told nothing any more, or after some seconds if it does not come to an end. */
    void stop() {
        toEnd.countDown();
        queue.tubesChanged();
        // Wakes who waits for a change; where the queue is full, nobody does
        waiting.offer(END_OF_CHANGES);
        try {
            if (!ended.await(END.toNanos(), TimeUnit.NANOSECONDS)) {
                Log.LOG.deliveriesDoNotEnd(tube, END);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isActive() {
        return toEnd.getCount() > 0;
    }

    private void run() {
        try {
            while (isActive()) {
                Optional<TubeQueue> found = findTube();
                if (found.isPresent()) {
                    listen(found.get());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            releaseEndpoint();
            waiting.remove(END_OF_CHANGES);
            if (!waiting.isEmpty()) {
                Log.LOG.changesLost(tube, waiting.size(), "the bean's activation ended");
            }
            ended.countDown();
        }
    }

    private Optional<TubeQueue> findTube() throws InterruptedException {
        try {
            return queue.await(tube, LOOK_FOR_TUBE, this::isActive);
        } catch (TaskTubeException e) {
            // The adapter waits for its database, and says so once itself
            toEnd.await(RETRY.toNanos(), TimeUnit.NANOSECONDS);
            return Optional.empty();
        }
    }

    private void listen(TubeQueue found) throws InterruptedException {
        Runnable unlisten = found.listen(this::offer);
        try {
            while (isActive()) {
                TaskChange change = waiting.poll(RETRY.toNanos(), TimeUnit.NANOSECONDS);
                if (change != null && isActive()) {
                    tell(change);
                } else if (isActive()) {
                    sayWhatWasLost();
                    queue.checkThere(found);
                }
            }
        } catch (TubeNotFoundException e) {
            Log.LOG.waitsForTube(tube);
        } catch (TaskTubeException e) {
            toEnd.await(RETRY.toNanos(), TimeUnit.NANOSECONDS);
        } finally {
            unlisten.run();
        }
    }

    /** On the thread of whoever made the change, who must not wait for a bean. */
    private void offer(TaskChange change) {
        if (!waiting.offer(change)) {
            lost.incrementAndGet();
        }
    }

    private void sayWhatWasLost() {
        long count = lost.getAndSet(0);
        if (count > 0) {
            Log.LOG.changesLost(tube, count, "the bean was " + MOST_WAITING + " changes behind");
        }
    }

    private void tell(TaskChange change) {
        try {
            if (endpoint == null) {
                endpoint = endpoints.createEndpoint(null);
            }
            endpoint.beforeDelivery(ON_TASK_CHANGE);
            try {
                ((TaskChangeListener) endpoint).onTaskChange(change);
            } finally {
                endpoint.afterDelivery();
            }
        } catch (ResourceException | NoSuchMethodException | RuntimeException e) {
            Log.LOG.listenerBeanFailed(tube, change.event(), e.toString());
            Log.LOG.thrown(e);
            releaseEndpoint();
        }
    }

    private void releaseEndpoint() {
        if (endpoint != null) {
            endpoint.release();
            endpoint = null;
        }
    }
}
