package org.tasktube.admin;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * An active message-driven bean of this server that gets tasks of a tube.
 *
 * @param name the server's name for the activation, or the class of the bean
 * @param tube the name of its tube
 * @param maxSession the maximum number of its deliveries at once, as configured
 * @param limit the maximum number of its deliveries at once now. It is lower if the server's pool had no instance of
 *     the bean, or gives no more threads
 * @param busy the number of its deliveries that run now
 * @param deliveries the tasks that the bean works on now, the oldest delivery first
 * @param claimed the number of tasks that this server has claimed ahead for the bean, and that the bean has not begun
 * @param hindrance why the bean gets no new tasks, or fewer than configured; empty if nothing hinders it
 */
public record BeanStatus(
        String name,
        String tube,
        int maxSession,
        int limit,
        int busy,
        List<Delivery> deliveries,
        int claimed,
        Optional<Hindrance> hindrance) {

    /**
     * A task that the bean works on.
     *
     * @param tube the name of the tube
     * @param task the id of the task
     * @param attempts the number of takes of the task, this one included
     * @param duration the time since this delivery began
     */
    public record Delivery(String tube, long task, int attempts, Duration duration) {}

    /**
     * Something that keeps tasks from the bean.
     *
     * @param reason its kind
     * @param text one sentence that names the bean or the tube
     */
    public record Hindrance(Reason reason, String text) {}

    /** The kinds of hindrances, in the order in which one hides the next. */
    public enum Reason {
        /** The adapter has refused to activate the bean: a property of it is wrong. It has no tube then. */
        REFUSED,
        /** The adapter is not RUNNING, for instance because its database is away. */
        ADAPTER_NOT_RUNNING,
        /** The tube does not exist. */
        NO_TUBE,
        /** The tube is PAUSED. */
        TUBE_PAUSED,
        /** The database has refused the outcomes of many deliveries, which are repeated. No task is claimed before. */
        DATABASE_REFUSES,
        /** The server refused to call the bean, for instance because it is suspended. Claims wait for up to 10 s. */
        SERVER_REFUSES,
        /** The server gives no thread for more deliveries. */
        NO_THREAD,
        /** The server's pool had fewer instances of the bean than {@code maxSession}. */
        NO_INSTANCE,
        /** The bean has as many deliveries at once as it can. */
        BUSY
    }

    public BeanStatus {
        deliveries = List.copyOf(deliveries);
    }
}
