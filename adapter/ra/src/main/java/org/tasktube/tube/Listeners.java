package org.tasktube.tube;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.tasktube.Task;
import org.tasktube.TaskChange;
import org.tasktube.TaskChangeListener;
import org.tasktube.TubeEvent;

/**
 * The listeners of one tube on this server: one callback, and beans.
 *
 * <p>A callback is code of an application, which may be undeployed. So its own class keeps the callback, and this
 * object refers to it weakly. The callback goes with the application's class loader and does not keep it loaded. A
 * {@link LinkageError} is the sign of an undeployed application, so the callback is dropped. Any other failure is
 * logged, and the callback stays.
 */
final class Listeners {

    /** The callbacks by class, so that each lives as long as its class, or until another replaces it. */
    private static final ClassValue<Set<Callback>> HELD_BY_CLASS = new ClassValue<>() {
        @Override
        protected Set<Callback> computeValue(Class<?> type) {
            return ConcurrentHashMap.newKeySet();
        }
    };

    private static final WeakReference<Callback> NONE = new WeakReference<>(null);

    private final String tube;
    private final Supplier<List<TaskChangeListener>> beans;
    private final AtomicReference<WeakReference<Callback>> callback = new AtomicReference<>(NONE);

    /** One registration. It is no record, because two registrations of one listener are different. */
    private static final class Callback {

        private final TaskChangeListener listener;

        Callback(TaskChangeListener listener) {
            this.listener = listener;
        }

        void hold() {
            HELD_BY_CLASS.get(listener.getClass()).add(this);
        }

        void release() {
            HELD_BY_CLASS.get(listener.getClass()).remove(this);
        }
    }

    /**
     * Creates the listeners of a tube.
     *
     * @param beans returns the current listening beans
     */
    Listeners(String tube, Supplier<List<TaskChangeListener>> beans) {
        this.tube = tube;
        this.beans = beans;
    }

    Optional<TaskChangeListener> set(TaskChangeListener listener) {
        Callback before;
        if (listener == null) {
            before = callback.getAndSet(NONE).get();
        } else {
            Callback now = new Callback(listener);
            now.hold();
            before = callback.getAndSet(new WeakReference<>(now)).get();
        }
        if (before == null) {
            return Optional.empty();
        }
        before.release();
        return Optional.of(before.listener);
    }

    /** Returns whether no listener exists. Asked before each change, to avoid needless queries. */
    boolean isEmpty() {
        return callback.get().get() == null && beans.get().isEmpty();
    }

    void publish(TubeEvent event, List<Task> tasks) {
        if (!isEmpty()) {
            tasks.forEach(task -> publish(new TaskChange(event, tube, Optional.of(task))));
        }
    }

    /** Notifies of a change of the whole tube. */
    void publish(TubeEvent event) {
        if (!isEmpty()) {
            publish(new TaskChange(event, tube, Optional.empty()));
        }
    }

    private void publish(TaskChange change) {
        WeakReference<Callback> reference = callback.get();
        Callback now = reference.get();
        if (now != null && !publish(now.listener, change) && callback.compareAndSet(reference, NONE)) {
            now.release();
            Log.LOG.listenerDropped(tube);
        }
        beans.get().forEach(bean -> publish(bean, change));
    }

    /**
     * Notifies a listener. Returns whether it may be notified again. The listener runs on the thread of a caller, whose
     * next call of the database an interrupt would fail. So the thread is interrupted afterwards only if it was before.
     */
    private boolean publish(TaskChangeListener listener, TaskChange change) {
        boolean interrupted = Thread.currentThread().isInterrupted();
        try {
            listener.onTaskChange(change);
            return true;
        } catch (LinkageError e) {
            Log.LOG.listenerFailed(tube, change.event(), e);
            return false;
        } catch (Throwable e) {
            Log.LOG.listenerFailed(tube, change.event(), e);
            return true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            } else {
                Thread.interrupted();
            }
        }
    }
}
