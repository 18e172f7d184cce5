package org.tasktube.inflow;

import jakarta.ejb.EJBException;
import jakarta.resource.NotSupportedException;
import jakarta.resource.spi.endpoint.MessageEndpoint;
import java.lang.reflect.Method;
import java.lang.reflect.UndeclaredThrowableException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.AdapterState;
import org.tasktube.ConnectionException;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.inflow.Prefetch.Claimed;
import org.tasktube.node.DeliveryLines;
import org.tasktube.node.Node;
import org.tasktube.session.ClientConnection;
import org.tasktube.session.CurrentDelivery;
import org.tasktube.spi.TubeOption;
import org.tasktube.tracing.DeliverySpan;
import org.tasktube.tracing.Tracing;
import org.tasktube.tube.TubeEngine;

/**
 * Delivers tasks to one endpoint: the container begins, the bean works, the adapter acks, the container commits. The
 * ack comes last, so that no connection and no lock is held while the bean works. If a task's ttr expires in that time,
 * or the task is deleted, the work is rolled back. If the transaction has nothing to commit, the ack follows it,
 * by {@link GatheredAcks}.
 *
 * <p>Each delivery ends in a {@link DeliveryOutcome}, even if a bean or a container throws an Error. The thread serves
 * all tasks, and these must not be lost.
 */
final class Delivery {

    /** The SQL states of a database that takes no connection for now: it has too many, or it starts or stops. */
    private static final Set<String> NO_CONNECTION = Set.of("53300", "57P03");

    /** The rounds of steps before a commit after which no more work is looked for. */
    private static final int MOST_ROUNDS = 4;

    /** The beginnings of SQL states that stay until an administrator acts: a wrong password, no such database. */
    private static final List<String> FOR_GOOD = List.of("28", "3D");

    private final Container container;
    private final ClientConnection client;
    private final boolean transacted;
    private final ListenerMethod listener;
    private final Method method;
    private final Class<?> dataType;
    private final Optional<Duration> timeout;
    private volatile boolean gathers;
    private final Set<String> beanClasses;
    private final String bean;
    private final ClassLoader application;
    private final Tracing tracing;
    private final DeliveryLines lines;

    /**
     * Creates the deliveries of one activation.
     *
     * @param transacted true if the container begins a transaction for each delivery
     * @param policy the timeout of that transaction, and whether acks are gathered
     * @param beanClass the class of the bean; null if the server does not give it
     * @param node the spans and the log lines of deliveries
     */
    Delivery(
            Container container,
            ClientConnection client,
            boolean transacted,
            DeliveryPolicy policy,
            Class<?> beanClass,
            Node node)
            throws NotSupportedException {
        this.container = container;
        this.client = client;
        this.transacted = transacted;
        this.listener = policy.listener();
        this.method = listener.method();
        this.dataType = listener == ListenerMethod.ON_DATA ? DataType.of(beanClass) : Object.class;
        this.timeout = policy.transactionTimeout();
        this.gathers = policy.gatherAcks();
        this.beanClasses = hierarchy(beanClass);
        this.bean = beanClass == null ? "" : beanClass.getName();
        this.application = beanClass == null ? null : beanClass.getClassLoader();
        this.tracing = node.tracing();
        this.lines = node.deliveryLines();
    }

    private static Set<String> hierarchy(Class<?> beanClass) {
        Set<String> names = new HashSet<>();
        for (Class<?> type = beanClass; type != null; type = type.getSuperclass()) {
            names.add(type.getName());
        }
        return names;
    }

    /** @param tasks tasks of the tube; one, unless the bean gets batches */
    DeliveryOutcome deliver(MessageEndpoint endpoint, TubeEngine tube, List<Task> tasks) {
        DeliverySpan span = tracing.delivery(application, tasks);
        DeliveryOutcome outcome;
        lines.begin();
        try {
            outcome = delivered(endpoint, tube, tasks);
        } catch (Throwable e) {
            span.end(DeliverySpan.Result.FAILED, Optional.of(e));
            throw e;
        } finally {
            lines.end(tube.stored(), tasks);
        }
        end(span, outcome);
        return outcome;
    }

    private static void end(DeliverySpan span, DeliveryOutcome outcome) {
        if (outcome instanceof DeliveryOutcome.Failed failed) {
            span.end(DeliverySpan.Result.FAILED, Optional.of(failed.why()));
        } else if (outcome instanceof DeliveryOutcome.NotDelivered not) {
            span.end(DeliverySpan.Result.NOT_DELIVERED, Optional.of(not.why()));
        } else if (outcome instanceof DeliveryOutcome.Lost) {
            span.end(DeliverySpan.Result.LOST, Optional.empty());
        } else {
            span.end(DeliverySpan.Result.ACKED, Optional.empty());
        }
    }

    private DeliveryOutcome delivered(MessageEndpoint endpoint, TubeEngine tube, List<Task> tasks) {
        Optional<Throwable> refused = begin(endpoint);
        if (refused.isPresent()) {
            return new DeliveryOutcome.NotDelivered(Refusal.NO_BEAN, refused.get());
        }
        LastStep last = new LastStep(tube);
        DeliveryOutcome worked = work(endpoint, tube, tasks, last);
        Optional<Throwable> failedEnd = end(endpoint);
        if (worked.isDone() && failedEnd.isPresent()) {
            return last.hasCommitted() ? last.outcome() : last.refused.orElseGet(() -> judged(failedEnd.get()));
        }
        return worked instanceof DeliveryOutcome.ToAck && last.isUsed ? last.outcome() : worked;
    }

    /**
     * The ack of a delivery whose transaction had nothing to commit when the bean returned. At its commit, other work
     * may have come: a flush of JPA comes as late as that. Then the ack is part of the commit.
     */
    private final class LastStep {

        private final TubeEngine tube;
        private List<Task> tasks = List.of();
        private boolean isUsed;
        private boolean isAcked;
        private int rounds;
        private Optional<DeliveryOutcome> refused = Optional.empty();
        private volatile boolean committed;

        LastStep(TubeEngine tube) {
            this.tube = tube;
        }

        /** @param toAck the tasks that the bean has not ended itself */
        void begin(List<Task> toAck) {
            tasks = toAck;
            isUsed = true;
            container.atEnd(this::ended);
            container.beforeCommit(this::beforeCommit);
        }

        /**
         * Asks once more after each round of the steps before the commit: a step can add another one, as an observer
         * of CDI does by its first use of JPA.
         */
        private void beforeCommit() {
            if (container.hasNothingToCommit()) {
                if (++rounds < MOST_ROUNDS) {
                    container.beforeCommit(this::beforeCommit);
                }
            } else if (!isAcked) {
                DeliveryOutcome outcome = ackOrJudge(tube, tasks);
                isAcked = outcome instanceof DeliveryOutcome.Acked;
                if (!isAcked) {
                    refused = Optional.of(outcome);
                    undo();
                }
            }
        }

        /** Follows the end. Work that came even later has committed without the ack, and may come again. */
        private void ended(boolean done) {
            committed = done;
            if (done && !isAcked && container.hasResource()) {
                gathers = false;
                Log.LOG.lateResource(tasks.get(0).id(), tube.name());
            }
        }

        boolean hasCommitted() {
            return isUsed && committed;
        }

        /** Returns the outcome of a transaction whose end has thrown nothing, or that has committed. */
        DeliveryOutcome outcome() {
            if (refused.isPresent()) {
                return refused.get();
            }
            if (!committed) {
                return new DeliveryOutcome.Failed(new RolledBackException(
                        "the transaction was rolled back at its end: its timeout was over, or it was marked for"
                                + " rollback after the bean had returned"));
            }
            return isAcked ? new DeliveryOutcome.Acked() : new DeliveryOutcome.ToAck(tasks, true);
        }
    }

    private Optional<Throwable> begin(MessageEndpoint endpoint) {
        try {
            if (timeout.isPresent()) {
                container.setTransactionTimeout(timeout.get());
            }
            endpoint.beforeDelivery(method);
            return Optional.empty();
        } catch (Throwable e) {
            return Optional.of(e);
        } finally {
            // At once, so that the bean's own transactions have the server's timeout
            timeout.ifPresent(unused -> resetTimeout());
        }
    }

    private void resetTimeout() {
        try {
            container.setTransactionTimeout(Duration.ZERO);
        } catch (Exception e) {
            Log.LOG.thrown(TaskFailure.summary(e));
        }
    }

    private DeliveryOutcome work(MessageEndpoint endpoint, TubeEngine tube, List<Task> tasks, LastStep last) {
        DeliveryOutcome outcome;
        try {
            outcome = invoke(endpoint, tube, tasks)
                    .map(this::judged)
                    .orElseGet(() -> ackUnfinished(tube, unfinishedTasks(tasks), last));
        } catch (Throwable e) {
            outcome = judged(e);
        }
        if (transacted && !outcome.isDone()) {
            undo();
        }
        return outcome;
    }

    private List<Task> unfinishedTasks(List<Task> tasks) {
        return tasks.stream().filter(task -> !client.wasFinished(task)).toList();
    }

    /**
     * Returns those tasks of a batch that was not done that the bean has not acked, released or buried by a transaction
     * that has committed. The question clears the memory of it.
     */
    List<Claimed> unfinished(List<Claimed> batch) {
        return batch.stream().filter(each -> !client.wasFinished(each.task())).toList();
    }

    /**
     * Calls the bean, and clears an interrupt that it leaves behind. That was meant for the bean's own work: it must
     * not undo the work, nor end this thread.
     */
    @SuppressWarnings("CatchAndPrintStackTrace")
    private Optional<Throwable> invoke(MessageEndpoint bean, TubeEngine tube, List<Task> tasks) {
        CurrentDelivery.begin(client, tube.stored(), tasks);
        try {
            listener.call(bean, dataType, tasks);
            return Optional.empty();
        } catch (Throwable e) {
            return Optional.of(e);
        } finally {
            CurrentDelivery.end();
            Thread.interrupted();
        }
    }

    private DeliveryOutcome ackUnfinished(TubeEngine tube, List<Task> tasks, LastStep last) {
        Optional<String> noCommit = transacted ? container.whyNoCommit() : Optional.empty();
        if (noCommit.isPresent()) {
            return new DeliveryOutcome.Failed(rolledBack(noCommit.get()));
        }
        if (tasks.isEmpty()) {
            return new DeliveryOutcome.Acked();
        }
        if (!transacted) {
            return new DeliveryOutcome.ToAck(tasks, gathers(tube));
        }
        if (gathers(tube) && container.hasNothingToCommit()) {
            last.begin(tasks);
            return new DeliveryOutcome.ToAck(tasks, true);
        }
        return ack(tube, tasks);
    }

    /**
     * Returns whether acks are gathered. A listener would hold up the thread that acks for others.
     */
    private boolean gathers(TubeEngine tube) {
        return gathers && !tube.isListenedTo();
    }

    private DeliveryOutcome ack(TubeEngine tube, List<Task> tasks) {
        if (tasks.size() == 1) {
            Task task = tasks.get(0);
            return tube.held().ackDelivered(client.session(), task)
                    ? new DeliveryOutcome.Acked()
                    : new DeliveryOutcome.Lost(lost(tube, task) + "; the bean's work was rolled back");
        }
        return tube.held().ackAll(client.session(), tasks)
                ? new DeliveryOutcome.Acked()
                : new DeliveryOutcome.Lost("a task of a batch of tube '" + tube.name()
                        + "' lost its holder before the bean ended; the bean's work was rolled back");
    }

    private DeliveryOutcome ackOrJudge(TubeEngine tube, List<Task> tasks) {
        try {
            return ack(tube, tasks);
        } catch (Throwable e) {
            return judged(e);
        }
    }

    /** Says why a task can have lost its holder during its delivery. */
    static String lost(TubeEngine tube, Task task) {
        String why = tube.type().has(TubeOption.TTR) ? "its ttr was over, " : "";
        return "task " + task.id() + " of tube '" + tube.name() + "' lost its holder before the bean ended: " + why
                + "another server took this one for dead and released it, or it was deleted";
    }

    private void undo() {
        try {
            container.setRollbackOnly();
        } catch (RuntimeException e) {
            // The transaction has ended already: nothing of it can commit
            Log.LOG.thrown(TaskFailure.summary(e));
        }
    }

    private static Optional<Throwable> end(MessageEndpoint endpoint) {
        try {
            endpoint.afterDelivery();
            return Optional.empty();
        } catch (Throwable e) {
            return Optional.of(e);
        } finally {
            Thread.interrupted();
        }
    }

    private DeliveryOutcome judged(Throwable failure) {
        List<Throwable> causes = TaskFailure.causes(failure);
        Set<Refusal> refusals = causes.stream()
                .flatMap(cause -> container.refusal(cause).stream())
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Refusal.class)));
        if (causes.stream().anyMatch(this::comesOutOfTheBean)) {
            // The bean was called, and what it called was refused
            refusals.retainAll(Set.of(Refusal.NO_CONNECTION));
        }
        // That an application has used up the pool of TaskTube's own connections is a failure of the application
        boolean isOwnPool = causes.stream().anyMatch(ConnectionException.class::isInstance);
        if (isOwnPool || causes.stream().anyMatch(Delivery::isForGood)) {
            refusals.remove(Refusal.NO_CONNECTION);
        }
        if (causes.stream().anyMatch(Delivery::isAdapterAway)) {
            refusals.add(Refusal.ADAPTER_AWAY);
        } else if (!isOwnPool && causes.stream().anyMatch(Delivery::isNoConnection)) {
            refusals.add(Refusal.NO_CONNECTION);
        }
        Optional<Refusal> refusal = refusals.stream().findFirst();
        return refusal.<DeliveryOutcome>map(refused -> new DeliveryOutcome.NotDelivered(refused, failure))
                .orElseGet(() -> new DeliveryOutcome.Failed(unwrapped(causes)));
    }

    /**
     * Returns whether the exception comes from inside the bean. If the bean calls another bean, and the server refuses
     * that call, this bean itself was called.
     */
    private boolean comesOutOfTheBean(Throwable thrown) {
        return Arrays.stream(frames(thrown))
                .anyMatch(frame ->
                        frame.getMethodName().equals(method.getName()) && beanClasses.contains(frame.getClassName()));
    }

    private static StackTraceElement[] frames(Throwable thrown) {
        try {
            return thrown.getStackTrace();
        } catch (Throwable e) {
            return new StackTraceElement[0];
        }
    }

    private static boolean isAdapterAway(Throwable thrown) {
        return (thrown instanceof AdapterNotRunningException away && away.state() != AdapterState.RUNNING)
                || (thrown instanceof StoreException failed && failed.isDatabaseAway());
    }

    /** Returns whether a database gave no connection: it takes no more of them, or none now. */
    private static boolean isNoConnection(Throwable thrown) {
        return thrown instanceof SQLException sql && NO_CONNECTION.contains(String.valueOf(sql.getSQLState()));
    }

    private static boolean isForGood(Throwable thrown) {
        return thrown instanceof SQLException sql
                && FOR_GOOD.stream().anyMatch(String.valueOf(sql.getSQLState())::startsWith);
    }

    /** Returns the bean's own exception, without the container's wrappers. */
    private static Throwable unwrapped(List<Throwable> causes) {
        return causes.stream()
                .filter(cause -> !(cause instanceof EJBException || cause instanceof UndeclaredThrowableException))
                .findFirst()
                .orElseGet(() -> causes.get(causes.size() - 1));
    }

    /** Its only frame is the bean's, so that failures of different beans are of different kinds. */
    private RolledBackException rolledBack(String message) {
        RolledBackException rolledBack = new RolledBackException(message);
        rolledBack.setStackTrace(new StackTraceElement[] {new StackTraceElement(bean, method.getName(), null, -1)});
        return rolledBack;
    }

    /** The transaction was marked for rollback without an exception. */
    static final class RolledBackException extends Exception {
        private static final long serialVersionUID = 1;

        RolledBackException(String message) {
            super(message);
        }
    }
}
