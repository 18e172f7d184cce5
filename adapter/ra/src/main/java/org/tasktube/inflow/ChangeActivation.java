package org.tasktube.inflow;

import jakarta.resource.spi.endpoint.MessageEndpoint;
import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.tasktube.TaskChange;
import org.tasktube.TaskChangeListener;
import org.tasktube.TaskFailure;
import org.tasktube.TaskTubeException;
import org.tasktube.TubeEvent;
import org.tasktube.jca.Starter;
import org.tasktube.node.Node;

/**
 * A bean that is told what happens in a tube. It is told on a thread of its own, so that it may use transactions and take its
 * time; what it is behind with waits in memory, up to a limit.
 */
final class ChangeActivation {

    private static final int MOST_WAITING = 10_000;
    private static final Duration LOOK_FOR_TUBE = Duration.ofSeconds(5);
    private static final Duration LOOK_FOR_LOST = Duration.ofSeconds(1);
    private static final Method ON_TASK_CHANGE = onTaskChange();

    private static final TaskChange END_OF_CHANGES = new TaskChange(TubeEvent.TRUNCATE, "", Optional.empty());

    private final Node node;
    private final String tube;
    private final MessageEndpointFactory endpoints;
    private final BlockingQueue<TaskChange> waiting = new LinkedBlockingQueue<>(MOST_WAITING);
    private final AtomicLong lost = new AtomicLong();
    private final ActivationThread teller;
    private volatile Runnable unlisten = () -> {};
    private boolean missed;
    private MessageEndpoint endpoint;

    ChangeActivation(Node node, String tube, MessageEndpointFactory endpoints, Starter starter) {
        this.node = node;
        this.tube = tube;
        this.endpoints = endpoints;
        this.teller = new ActivationThread(TaskActivation.nameOf(endpoints), tube, starter, this::run);
    }

    private static Method onTaskChange() {
        try {
            return TaskChangeListener.class.getMethod("onTaskChange", TaskChange.class);
        } catch (NoSuchMethodException e) {
            throw new LinkageError("the API of TaskTube does not fit the adapter", e);
        }
    }

    /** From here on no change is missed, also of a tube that does not exist yet. Waits for no thread of the server's. */
    void start() {
        unlisten = node.listen(tube, this::offer);
        teller.start();
    }

    /** Returns when the bean is told nothing any more, or after some seconds if it does not come to an end. */
    void stop() {
        end();
        if (!teller.awaitEnd()) {
            leave();
        }
    }

    /** Tells nothing new. The time that {@link #stop} gives to what has begun counts from here. */
    void end() {
        teller.end();
        // Wakes the thread that waits for a change; where the queue is full, it does not wait
        waiting.offer(END_OF_CHANGES);
    }

    private void run() {
        try {
            lookForTube();
            while (teller.isActive()) {
                tellNext();
            }
        } finally {
            releaseEndpoint();
            leave();
        }
    }

    private void tellNext() {
        try {
            TaskChange change = waiting.poll((missed ? LOOK_FOR_TUBE : LOOK_FOR_LOST).toNanos(), TimeUnit.NANOSECONDS);
            if (change != null && teller.isActive()) {
                tell(change);
            } else if (teller.isActive()) {
                sayWhatWasLost();
                lookForTube();
            }
        } catch (InterruptedException e) {
            // By a thread of the bean's own that came too late; stop() ends this thread
            Log.LOG.thrown(e);
        }
    }

    private void leave() {
        unlisten.run();
        waiting.remove(END_OF_CHANGES);
        if (!waiting.isEmpty()) {
            Log.LOG.changesLost(tube, waiting.size(), "the bean's activation ended");
        }
    }

    /** Deadlines of a tube are told by a server that knows it; what else happens here makes it known by itself. */
    private void lookForTube() {
        try {
            boolean found = node.find(tube).isPresent();
            if (!found && !missed) {
                Log.LOG.waitsForTube(TaskActivation.nameOf(endpoints), tube);
            }
            missed = !found;
        } catch (TaskTubeException e) {
            // The adapter waits for its database, and says so once itself
            Log.LOG.thrown(e);
        } catch (RuntimeException e) {
            // For instance Hibernate's, while the store is opened anew
            Log.LOG.thrown(TaskFailure.summary(e));
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
        } catch (Throwable e) {
            Log.LOG.listenerBeanFailed(tube, change.event(), TaskFailure.summary(e));
            Log.LOG.thrown(TaskFailure.describe(e));
            releaseEndpoint();
        } finally {
            // An interrupt that the bean leaves behind was meant for its own work
            Thread.interrupted();
        }
    }

    private void releaseEndpoint() {
        MessageEndpoint last = endpoint;
        endpoint = null;
        if (last != null) {
            try {
                last.release();
            } catch (RuntimeException | Error e) {
                Log.LOG.thrown(TaskFailure.summary(e));
            }
        }
    }
}
