package org.tasktube.inflow;

import jakarta.ejb.EJBException;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.endpoint.MessageEndpoint;
import java.lang.reflect.Method;
import java.util.Optional;
import org.tasktube.Task;
import org.tasktube.TaskListener;
import org.tasktube.queue.Client;
import org.tasktube.queue.TubeQueue;

/**
 * What happens with one task on one endpoint: the container begins, the bean works, the adapter acks, the container
 * commits. The ack comes last, so that the task can run out of its ttr, or be deleted, while the bean works, and so that no
 * connection and no lock is held for it meanwhile; if it is not this delivery's any more by then, all is rolled back.
 */
final class Delivery {

    private static final Method ON_TASK = onTask();

    private final Container container;
    private final Client client;
    private final boolean transacted;

    Delivery(Container container, Client client, boolean transacted) {
        this.container = container;
        this.client = client;
        this.transacted = transacted;
    }

    static Method onTask() {
        try {
            return TaskListener.class.getMethod("onTask", Task.class);
        } catch (NoSuchMethodException e) {
            throw new LinkageError("the API of TaskTube does not fit the adapter", e);
        }
    }

    /** Why it failed, empty if the task is gone now. */
    Optional<Throwable> deliver(MessageEndpoint endpoint, TubeQueue tube, Task task) {
        try {
            endpoint.beforeDelivery(ON_TASK);
        } catch (ResourceException | NoSuchMethodException | RuntimeException e) {
            return Optional.of(new NotDeliveredException(e));
        }
        Throwable failure = work((TaskListener) endpoint, tube, task);
        Throwable failedEnd = end(endpoint);
        return Optional.ofNullable(failure != null ? failure : failedEnd).map(this::judged);
    }

    private Throwable judged(Throwable failure) {
        return container.isRefusal(failure) ? new NotDeliveredException(failure) : unwrapped(failure);
    }

    private Throwable work(TaskListener bean, TubeQueue tube, Task task) {
        Throwable failure = invoke(bean, tube, task);
        // Asked whatever comes of the delivery, so that nothing of it is remembered
        boolean letGo = client.hasLetGo(task);
        if (failure == null) {
            failure = ack(tube, task, letGo);
        }
        if (failure != null && transacted) {
            container.setRollbackOnly();
        }
        return failure;
    }

    /** Catches all: an Error of a bean must not end the thread that serves all tasks, nor lose this one. */
    @SuppressWarnings("CatchAndPrintStackTrace")
    private Throwable invoke(TaskListener bean, TubeQueue tube, Task task) {
        tube.handOver(client, task);
        try {
            bean.onTask(task);
            return null;
        } catch (Throwable e) {
            return e;
        } finally {
            tube.handedBack();
        }
    }

    private Throwable ack(TubeQueue tube, Task task, boolean letGo) {
        if (transacted && container.isRollbackOnly()) {
            return new RolledBackException("the bean called setRollbackOnly");
        }
        if (letGo) {
            // The bean acked, released or buried the task itself
            return null;
        }
        try {
            return tube.ack(client, task) ? null : new TaskLostException(tube.name(), task.id());
        } catch (RuntimeException e) {
            return e;
        }
    }

    private static Throwable end(MessageEndpoint endpoint) {
        try {
            endpoint.afterDelivery();
            return null;
        } catch (ResourceException | RuntimeException e) {
            return e;
        }
    }

    /** What the bean threw, out of what the container wrapped it in. */
    private static Throwable unwrapped(Throwable thrown) {
        Throwable inner = thrown;
        while (inner instanceof EJBException && inner.getCause() != null) {
            inner = inner.getCause();
        }
        return inner;
    }

    /** The container did not let the bean begin. */
    static final class NotDeliveredException extends Exception {
        private static final long serialVersionUID = 1;

        NotDeliveredException(Throwable cause) {
            super(cause.getMessage(), cause);
        }
    }

    /** The transaction was to be rolled back, and nobody threw anything. */
    static final class RolledBackException extends Exception {
        private static final long serialVersionUID = 1;

        RolledBackException(String message) {
            super(message);
        }
    }

    /** The task was not this delivery's any more when the bean was done. */
    static final class TaskLostException extends Exception {
        private static final long serialVersionUID = 1;

        TaskLostException(String tube, long id) {
            super("task " + id + " of tube '" + tube + "' ran out of its ttr, or was deleted, before the bean was done;"
                    + " the bean's work was rolled back");
        }
    }
}
