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
 * <p>A callback is code of an application, which can be gone. So the callback is held by its own class and only weakly from
 * here: it goes with the application's class loader and never keeps that. If it fails by a {@link LinkageError}, as code
 * does that loads a class of an application that was undeployed, it is dropped. Whatever else it throws is logged, and it
 * stays.
 */
final class Listeners {

    /** Callbacks live as long as their classes, if no other one takes their place. */
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

    /** One registration; no record, because two of one listener are not the same. */
    private static final class Callback {

        private final TaskChangeListener listener;

        Callback(TaskChangeListener listener) {
            this.listener = listener;
        }

        void hold() {
            HELD_BY_CLASS.get(listener.getClass()).add(this);
        }

        void letGo() {
            HELD_BY_CLASS.get(listener.getClass()).remove(this);
        }
    }

    /** @param beans those that listen at the moment of the question */
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
        before.letGo();
        return Optional.of(before.listener);
    }

    /** Asked before each change, so that nothing is looked up for nobody. */
    boolean isEmpty() {
        return callback.get().get() == null && beans.get().isEmpty();
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
        WeakReference<Callback> reference = callback.get();
        Callback now = reference.get();
        if (now != null && !tell(now.listener, change) && callback.compareAndSet(reference, NONE)) {
            now.letGo();
            Log.LOG.listenerDropped(tube);
        }
        beans.get().forEach(bean -> tell(bean, change));
    }

    /** Returns whether it may be told again. */
    private boolean tell(TaskChangeListener listener, TaskChange change) {
        try {
            listener.onTaskChange(change);
            return true;
        } catch (LinkageError e) {
            Log.LOG.listenerFailed(tube, change.event(), e);
            return false;
        } catch (Throwable e) {
            Log.LOG.listenerFailed(tube, change.event(), e);
            return true;
        }
    }
}
