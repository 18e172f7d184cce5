package org.tasktube.session;

import java.util.List;
import java.util.Optional;
import org.tasktube.Task;
import org.tasktube.store.StoredTube;
import org.tasktube.store.TaskId;

/**
 * The tasks that the bean on this thread works on. Until the delivery ends, operations of that thread act as the
 * holder of these tasks, with any connection.
 */
public final class CurrentDelivery {

    private static final ThreadLocal<CurrentDelivery> ON_THIS_THREAD = new ThreadLocal<>();

    private final StoredTube tube;
    private final Session session;
    private final List<Task> tasks;

    private CurrentDelivery(StoredTube tube, Session session, List<Task> tasks) {
        this.tube = tube;
        this.session = session;
        this.tasks = tasks;
    }

    /** Begins a delivery on this thread, of tasks that the connection's session holds. */
    public static void begin(ClientConnection client, StoredTube tube, List<Task> tasks) {
        ON_THIS_THREAD.set(new CurrentDelivery(tube, client.session(), tasks));
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
                        && current.tasks.stream()
                                .anyMatch(each -> each.id() == task.id() && each.token() == task.token()))
                .map(current -> current.session);
    }

    /** Returns the task that the bean on this thread works on; empty if no bean runs here, or one has several tasks. */
    public static Optional<TaskId> task() {
        return Optional.ofNullable(ON_THIS_THREAD.get())
                .filter(current -> current.tasks.size() == 1)
                .map(current ->
                        new TaskId(current.tube.id(), current.tasks.get(0).id()));
    }

    /** Returns the ids of the tasks that the bean on this thread works on. */
    public static List<Long> ids() {
        CurrentDelivery current = ON_THIS_THREAD.get();
        return current == null
                ? List.of()
                : current.tasks.stream().map(Task::id).toList();
    }
}
