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
 * Notifies a bean of the changes in a tube, on a thread of its own. So the bean may use transactions and take its time.
 * Changes wait in memory, up to a limit.
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
            throw new LinkageError("the API of TaskTube does not match the adapter; deploy both in one version", e);
        }
    }

    /**
     * Begins to collect changes, also of a tube that does not exist yet. From now on no change is missed. Does not wait
     * for a thread of the server.
     */
    void start() {
        unlisten = node.listen(tube, this::offer);
        teller.start();
    }

    /** Waits until the bean gets no more changes, or until 10 s after {@link #end}. */
    void stop() {
        end();
        if (!teller.awaitEnd()) {
            leave();
        }
    }

    /** Lets no new notification begin. The time limit of {@link #stop} counts from here. */
    void end() {
        teller.end();
        // Wakes the thread if it waits for a change; if the queue is full, it does not wait
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
                deliver(change);
            } else if (teller.isActive()) {
                sayWhatWasLost();
                lookForTube();
            }
        } catch (InterruptedException e) {
            // Left by a thread of the bean that interrupted too late; stop() ends this thread
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

    /**
     * Looks the tube up, so that this server knows it: only a server that does reports its deadlines. Other changes on
     * this server make the tube known by themselves.
     */
    private void lookForTube() {
        try {
            boolean found = node.find(tube).isPresent();
            if (!found && !missed) {
                Log.LOG.waitsForTube(TaskActivation.nameOf(endpoints), tube);
            }
            missed = !found;
        } catch (TaskTubeException e) {
            // The adapter waits for its database, and logs that itself
            Log.LOG.thrown(e);
        } catch (RuntimeException | Error e) {
            // For instance Hibernate's, while the store is opened anew, or of a driver whose module was redeployed
            Log.LOG.thrown(TaskFailure.summary(e));
        }
    }

    /** Runs on the thread that made the change, which must not wait for a bean. */
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

    private void deliver(TaskChange change) {
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
            // The bean's leftover interrupt was meant for its own work
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
