package org.tasktube.inflow;

import jakarta.resource.ResourceException;
import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import jakarta.resource.spi.work.WorkException;
import jakarta.resource.spi.work.WorkManager;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.tasktube.AdapterState;
import org.tasktube.Task;
import org.tasktube.TaskTubeException;
import org.tasktube.TubeNotFoundException;
import org.tasktube.jca.LongRunning;
import org.tasktube.queue.Client;
import org.tasktube.queue.Queue;
import org.tasktube.queue.TubeQueue;
import org.tasktube.queue.WaitLine;

/**
 * One bean's claim on a tube: a single claimer takes tasks in batches, as many as there is room for, and
 * {@link Deliveries} hand them to the bean. Idle, it is one waiting thread and asks the database nothing.
 */
final class Activation {

    private static final Duration LOOK_FOR_TUBE = Duration.ofSeconds(5);
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration END = Duration.ofSeconds(10);

    private final Queue queue;
    private final DeliveryPolicy policy;
    private final Client client = Client.feeding();
    private final Deliveries deliveries;
    private final CountDownLatch toEnd = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile WaitLine.Waiter waiter;

    Activation(
            Queue queue,
            DeliveryPolicy policy,
            MessageEndpointFactory endpoints,
            WorkManager workManager,
            Container container)
            throws ResourceException {
        this.queue = queue;
        this.policy = policy;
        Delivery delivery = new Delivery(container, client, isTransacted(endpoints));
        this.deliveries = new Deliveries(policy, endpoints, workManager, delivery, client, this::wakeClaimer);
    }

    private static boolean isTransacted(MessageEndpointFactory endpoints) throws ResourceException {
        try {
            return endpoints.isDeliveryTransacted(Delivery.onTask());
        } catch (NoSuchMethodException e) {
            throw new ResourceException("the bean does not implement org.tasktube.TaskListener", e);
        }
    }

    void start(WorkManager workManager) throws WorkException {
        workManager.scheduleWork(new LongRunning(this::run));
    }

    /** Returns when nothing new can start, and what was begun has ended; the latter not later than in some seconds. */
    void stop() {
        end();
        try {
            if (!ended.await(END.toNanos(), TimeUnit.NANOSECONDS)) {
                Log.LOG.deliveriesDoNotEnd(policy.tube(), END);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void end() {
        toEnd.countDown();
        deliveries.end();
        wakeClaimer();
        queue.tubesChanged();
    }

    private void wakeClaimer() {
        WaitLine.Waiter waiting = waiter;
        if (waiting != null) {
            waiting.wake();
        }
    }

    private boolean isActive() {
        return toEnd.getCount() > 0;
    }

    private void run() {
        try {
            feed();
            deliveries.awaitEnd();
            giveBackRest();
            queue.close(client);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            ended.countDown();
        }
    }

    private void feed() throws InterruptedException {
        boolean told = false;
        while (isActive()) {
            Optional<TubeQueue> tube = findTube();
            if (tube.isPresent()) {
                feedFrom(tube.get());
            } else if (!told && queue.state() == AdapterState.RUNNING) {
                Log.LOG.waitsForTube(policy.tube());
                told = true;
            }
        }
    }

    private Optional<TubeQueue> findTube() throws InterruptedException {
        try {
            return queue.await(policy.tube(), LOOK_FOR_TUBE, this::isActive);
        } catch (TaskTubeException e) {
            // The adapter waits for its database, and says so once itself
            toEnd.await(RETRY.toNanos(), TimeUnit.NANOSECONDS);
            return Optional.empty();
        }
    }

    private void feedFrom(TubeQueue tube) throws InterruptedException {
        try (WaitLine.Waiter inLine = tube.line().waiter()) {
            waiter = inLine;
            while (isActive()) {
                deliveries.settle();
                feedOnce(tube, inLine);
            }
        } catch (TubeNotFoundException e) {
            Log.LOG.waitsForTube(policy.tube());
        } catch (TaskTubeException e) {
            // The database failed; the adapter says so, and answers again when it is back
            toEnd.await(RETRY.toNanos(), TimeUnit.NANOSECONDS);
        } finally {
            waiter = null;
        }
    }

    private void feedOnce(TubeQueue tube, WaitLine.Waiter inLine) throws InterruptedException {
        int room = deliveries.awaitRoom();
        if (room == 0) {
            return;
        }
        inLine.enter();
        queue.checkThere(tube);
        List<Task> tasks = isActive() ? tube.claimOn(client, room) : List.of();
        if (!tasks.isEmpty()) {
            inLine.found();
            inLine.close();
            deliveries.add(tube, tasks);
        } else if (isActive()) {
            inLine.await(deliveries.untilStale());
        }
    }

    private void giveBackRest() {
        try {
            deliveries.settle();
            deliveries.giveBackRest();
        } catch (TaskTubeException e) {
            // The end of the session releases them, as soon as the database is back
            Log.LOG.thrown(e);
        }
    }
}
