package org.tasktube.session;

import java.util.Optional;
import org.tasktube.Task;
import org.tasktube.store.StoredTube;
import org.tasktube.store.TaskId;

/**
 * The task that the bean on this thread works on. Until the delivery ends, operations of that thread act as the task's
 * holder, with any connection.
 */
public final class CurrentDelivery {

    private static final ThreadLocal<CurrentDelivery> ON_THIS_THREAD = new ThreadLocal<>();

    private final StoredTube tube;
    private final Session session;
    private final Task task;

    private CurrentDelivery(StoredTube tube, Session session, Task task) {
        this.tube = tube;
        this.session = session;
        this.task = task;
    }

    /** Begins a delivery on this thread, of a task that the connection's session holds. */
    public static void begin(ClientConnection client, StoredTube tube, Task task) {
        ON_THIS_THREAD.set(new CurrentDelivery(tube, client.session(), task));
    }

    /** Ends this thread's delivery. */
    public static void end() {
        ON_THIS_THREAD.remove();
    }

    /**
     * Returns the session for which the bean on this thread acts; empty if the bean works on another take, or no bean
     * runs here.
     */
    public static Optional<Session> holderOf(StoredTube tube, Task task) {
        return Optional.ofNullable(ON_THIS_THREAD.get())
                .filter(current -> current.tube.id() == tube.id()
                        && current.task.id() == task.id()
                        && current.task.token() == task.token())
                .map(current -> current.session);
    }

    /** Returns the task that the bean on this thread works on; empty if no bean runs here. */
    public static Optional<TaskId> task() {
        return Optional.ofNullable(ON_THIS_THREAD.get())
                .map(current -> new TaskId(current.tube.id(), current.task.id()));
    }
}
