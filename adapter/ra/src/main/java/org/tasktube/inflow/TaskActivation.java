package org.tasktube.inflow;

import jakarta.resource.NotSupportedException;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.AdapterState;
import org.tasktube.Task;
import org.tasktube.TaskBatchListener;
import org.tasktube.TaskChangeListener;
import org.tasktube.TaskFailure;
import org.tasktube.TaskListener;
import org.tasktube.TaskTubeException;
import org.tasktube.TubeExistsException;
import org.tasktube.TubeNotFoundException;
import org.tasktube.TypedTaskListener;
import org.tasktube.UnsupportedOptionException;
import org.tasktube.admin.DurationText;
import org.tasktube.jca.Starter;
import org.tasktube.node.Node;
import org.tasktube.session.ClientConnection;
import org.tasktube.spi.DeadlineTimer;
import org.tasktube.tube.TubeEngine;
import org.tasktube.tube.WaitQueue;

/**
 * Gets the tasks of one tube for one bean. A single claimer takes tasks in batches, as many as there is room for, and
 * {@link DeliveryThreads} deliver them. If idle, it is one waiting thread without queries of the database.
 */
final class TaskActivation {

    private static final Duration LOOK_FOR_TUBE = Duration.ofSeconds(5);
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration TELL_AGAIN = Duration.ofMinutes(1);

    private final String bean;
    private final Node node;
    private final DeliveryPolicy policy;
    private final ClientConnection client;
    private final DeliveryThreads threads;
    private final ActivationThread claimer;
    private boolean waitIsLogged;
    private long tellRefusalAt = System.nanoTime();
    private volatile WaitQueue.Waiter waiter;
    private volatile TubeEngine claimsFrom;
    private volatile boolean refused;
    private volatile Runnable hide = () -> {};

    TaskActivation(
            Node node, DeliveryPolicy policy, MessageEndpointFactory endpoints, Starter starter, Container container)
            throws ResourceException {
        this.bean = nameOf(endpoints);
        this.client = ClientConnection.feeding(Optional.of(bean));
        this.node = node;
        this.policy = policy;
        boolean transacted = isTransacted(endpoints, policy.listener());
        checkTimeout(transacted, container);
        Delivery delivery = new Delivery(container, client, transacted, policy, endpoints.getEndpointClass(), node);
        this.claimer = new ActivationThread(bean, policy.tube(), starter, this::run);
        this.threads = new DeliveryThreads(bean, policy, endpoints, starter, delivery, client, this::wakeClaimer);
    }

    /**
     * Returns the server's name for a bean. WildFly's names consist of the adapter's archive and the interface, and are
     * the same for all beans. Such a bean gets the name of its class.
     */
    static String nameOf(MessageEndpointFactory endpoints) {
        String name = endpoints.getActivationName();
        Class<?> type = endpoints.getEndpointClass();
        if (type != null && (name == null || isOfInterface(name))) {
            return type.getName();
        }
        return name != null ? name : "(without a name)";
    }

    private static boolean isOfInterface(String name) {
        return Stream.of(
                        TaskListener.class,
                        TypedTaskListener.class,
                        TaskBatchListener.class,
                        TaskChangeListener.class,
                        DeadlineTimer.class)
                .anyMatch(listener -> name.endsWith(listener.getName()));
    }

    private static boolean isTransacted(MessageEndpointFactory endpoints, ListenerMethod listener)
            throws ResourceException {
        try {
            return endpoints.isDeliveryTransacted(listener.method());
        } catch (NoSuchMethodException e) {
            throw new ResourceException(
                    "the bean does not implement " + listener.listener().getName(), e);
        }
    }

    private void checkTimeout(boolean transacted, Container container) throws ResourceException {
        if (policy.transactionTimeout().isEmpty()) {
            return;
        }
        String property = "property transactionTimeout is '"
                + DurationText.of(policy.transactionTimeout().get()) + "': ";
        if (!transacted) {
            throw new NotSupportedException(
                    property + "the container begins no transaction for this bean; leave the property out");
        }
        if (!container.hasTransactionTimeout()) {
            throw new NotSupportedException(
                    property + "TaskTube cannot set it on this server; leave the property out, or set 0");
        }
    }

    /** Starts the claimer. Returns when it runs, or after 1 s if the server has no thread for it. */
    void start() {
        hide = node.show(new BeanReport(bean, policy, node, threads, this::claims));
        claimer.start();
        try {
            if (!claimer.awaitBegin(ThreadRequests.START_LIMIT)) {
                Log.LOG.noClaimer(
                        bean, policy.tube(), "none was free for " + DurationText.of(ThreadRequests.START_LIMIT));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until no new delivery can start and the running ones have ended, but for the latter at most 10 s. */
    void stop() {
        end();
        claimer.awaitEnd();
        hide.run();
    }

    /** Lets no new delivery begin. The time limit of {@link #stop} counts from here. */
    void end() {
        claimer.end();
        threads.end();
        wakeClaimer();
        node.tubesChanged();
    }

    private BeanReport.Claims claims() {
        return new BeanReport.Claims(claimer.hasBegun(), Optional.ofNullable(claimsFrom), refused);
    }

    private void wakeClaimer() {
        WaitQueue.Waiter waiting = waiter;
        if (waiting != null) {
            waiting.wake();
        }
    }

    private void run() {
        try {
            claimWhileActive();
            threads.awaitEnd();
            node.close(client);
        } catch (TaskTubeException e) {
            // The end of the session releases the tasks as soon as the database is available
            Log.LOG.thrown(e);
        }
    }

    /**
     * Runs until the activation ends. No failure of an application, of the database or of the log ends it earlier: no
     * other thread claims for the bean.
     */
    private void claimWhileActive() {
        while (claimer.isActive()) {
            try {
                claimOrPause();
            } catch (RuntimeException | Error e) {
                feedFailed(e);
                LockSupport.parkNanos(RETRY.toNanos());
            }
        }
    }

    private void claimOrPause() {
        try {
            threads.catchUp();
            if (!isDeclared()) {
                pause();
                return;
            }
            Optional<TubeEngine> tube = node.await(policy.tube(), LOOK_FOR_TUBE, claimer::isActive);
            if (tube.isPresent()) {
                waitIsLogged = false;
                claimFrom(tube.get());
            } else if (!waitIsLogged && claimer.isActive() && node.state() == AdapterState.RUNNING) {
                Log.LOG.waitsForTube(bean, policy.tube());
                waitIsLogged = true;
            }
        } catch (TubeNotFoundException e) {
            // The tube was dropped; the next round waits for a new one of that name
            Log.LOG.thrown(e);
        } catch (TaskTubeException e) {
            tellRefusal(e);
            pause();
        } catch (InterruptedException e) {
            // A leftover of an application's listener; nothing else interrupts this thread
            Log.LOG.thrown(e);
        } catch (Throwable e) {
            feedFailed(e);
            pause();
        }
    }

    /** Creates the tube that the bean declares, if it is not there. Returns false if it cannot be that one. */
    private boolean isDeclared() {
        try {
            policy.declared()
                    .filter(tube -> node.state() == AdapterState.RUNNING)
                    .ifPresent(tube -> node.createTubeIfNotExists(client, tube));
            return true;
        } catch (TubeExistsException | UnsupportedOptionException | IllegalArgumentException e) {
            long now = System.nanoTime();
            if (tellRefusalAt - now <= 0) {
                tellRefusalAt = now + TELL_AGAIN.toNanos();
                Log.LOG.cannotCreate(bean, e.getMessage(), RETRY);
            }
            return false;
        }
    }

    /** Logs a failure. Without memory the log can fail, too: it must not end the only thread that claims. */
    private void feedFailed(Throwable e) {
        OutcomeHandler.guarded(() -> {
            Log.LOG.feedFailed(bean, policy.tube(), RETRY, TaskFailure.summary(e));
            Log.LOG.thrown(e);
        });
    }

    /** Logs a refusal of the database. If the adapter waits for its database, the adapter logs that itself. */
    private void tellRefusal(TaskTubeException refusal) {
        long now = System.nanoTime();
        if (!(refusal instanceof AdapterNotRunningException) && tellRefusalAt - now <= 0) {
            tellRefusalAt = now + TELL_AGAIN.toNanos();
            Log.LOG.claimRefused(bean, policy.tube(), RETRY, TaskFailure.summary(refusal));
        }
    }

    private void pause() {
        refused = true;
        try {
            claimer.pause(RETRY);
        } catch (InterruptedException e) {
            Log.LOG.thrown(e);
        } finally {
            refused = false;
        }
    }

    private void claimFrom(TubeEngine tube) throws InterruptedException {
        Runnable forgetThis = tube.runtime().mode().onChange(threads::modeChanged);
        Runnable receiveNoMore = policy.handOver() ? tube.runtime().receivers().add(threads.receiver(tube)) : () -> {};
        WaitQueue takers = tube.takers();
        try (WaitQueue.Waiter inLine = policy.handOver() ? takers.receivingWaiter() : takers.waiter()) {
            waiter = inLine;
            claimsFrom = tube;
            while (claimer.isActive()) {
                threads.catchUp();
                feedOnce(tube, inLine);
            }
        } finally {
            waiter = null;
            claimsFrom = null;
            receiveNoMore.run();
            forgetThis.run();
        }
    }

    /** Claims less after a failure, which a lack of memory for the tasks may have been. */
    private List<Task> claim(TubeEngine tube, int room) {
        boolean done = false;
        try {
            List<Task> tasks = tube.claimOn(client, room, threads.roomInBytes());
            done = true;
            if (!tasks.isEmpty()) {
                threads.claimed(true);
            }
            return tasks;
        } finally {
            if (!done) {
                threads.claimed(false);
            }
        }
    }

    private void feedOnce(TubeEngine tube, WaitQueue.Waiter inLine) throws InterruptedException {
        // A bean without room leaves the line: its wakes are for others
        int room = threads.awaitRoom(tube, inLine::close);
        if (room == 0) {
            return;
        }
        LockSupport.parkNanos(threads.gathering());
        if (!look(tube, inLine, room) && claimer.isActive()) {
            inLine.await(threads.untilDue());
        }
    }

    /** Returns whether there were tasks. */
    private boolean look(TubeEngine tube, WaitQueue.Waiter inLine, int room) {
        try {
            inLine.enter();
            // A wake for this that came before would be forgotten
            threads.askIfNeeded();
            tube.checkThere();
            List<Task> tasks = claimer.isActive() ? claim(tube, room) : List.of();
            if (!tasks.isEmpty()) {
                inLine.found();
                inLine.close();
                threads.add(tube, tasks);
            }
            return !tasks.isEmpty();
        } finally {
            threads.looked();
        }
    }
}
