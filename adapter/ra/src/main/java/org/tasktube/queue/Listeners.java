package org.tasktube.queue;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.tasktube.Task;
import org.tasktube.TaskChange;
import org.tasktube.TaskChangeListener;
import org.tasktube.TubeEvent;

/** Who is told what happens in one tube on this server: one callback, and beans. */
final class Listeners {

    private final String tube;
    private final AtomicReference<TaskChangeListener> callback = new AtomicReference<>();
    private final List<TaskChangeListener> beans = new CopyOnWriteArrayList<>();

    Listeners(String tube) {
        this.tube = tube;
    }

    Optional<TaskChangeListener> set(TaskChangeListener listener) {
        return Optional.ofNullable(callback.getAndSet(listener));
    }

    void add(TaskChangeListener bean) {
        beans.add(bean);
    }

    void remove(TaskChangeListener bean) {
        beans.remove(bean);
    }

    /** Asked before each change, so that nothing is looked up for nobody. */
    boolean isEmpty() {
        return callback.get() == null && beans.isEmpty();
    }

    void tell(TubeEvent event, List<Task> tasks) {
        if (!isEmpty()) {
            tasks.forEach(task -> tell(new TaskChange(event, tube, Optional.of(task))));
        }
    }

    /** Of the tube as a whole. */
    void tell(TubeEvent event) {
        if (!isEmpty()) {
            tell(new TaskChange(event, tube, Optional.empty()));
        }
    }

    private void tell(TaskChange change) {
        TaskChangeListener listener = callback.get();
        if (listener != null) {
            tell(listener, change);
        }
        beans.forEach(bean -> tell(bean, change));
    }

    private void tell(TaskChangeListener listener, TaskChange change) {
        try {
            listener.onTaskChange(change);
        } catch (RuntimeException e) {
            Log.LOG.listenerFailed(tube, change.event(), e);
        }
    }
}
