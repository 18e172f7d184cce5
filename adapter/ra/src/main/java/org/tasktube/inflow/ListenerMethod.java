package org.tasktube.inflow;

import java.lang.reflect.Method;
import java.util.List;
import org.tasktube.Task;
import org.tasktube.TaskBatchListener;
import org.tasktube.TaskDataException;
import org.tasktube.TaskListener;
import org.tasktube.TaskRejectedException;
import org.tasktube.TypedTaskListener;

/** The method by which a bean gets its tasks. */
enum ListenerMethod {
    /** {@link TaskListener#onTask}, which gets one task. */
    ON_TASK(TaskListener.class) {
        @Override
        void call(Object bean, Class<?> type, List<Task> tasks) throws Exception {
            ((TaskListener) bean).onTask(tasks.get(0));
        }
    },
    /** {@link TypedTaskListener#onTask}, which gets the data of one. */
    ON_DATA(TypedTaskListener.class) {
        @Override
        @SuppressWarnings("unchecked") // the bean says that it takes this type
        void call(Object bean, Class<?> type, List<Task> tasks) throws Exception {
            Task task = tasks.get(0);
            ((TypedTaskListener<Object>) bean).onTask(read(type, task), task);
        }
    },
    /** {@link TaskBatchListener#onTasks}, which gets several. */
    ON_TASKS(TaskBatchListener.class) {
        @Override
        void call(Object bean, Class<?> type, List<Task> tasks) throws Exception {
            ((TaskBatchListener) bean).onTasks(tasks);
        }
    };

    private final Class<?> listener;

    ListenerMethod(Class<?> listener) {
        this.listener = listener;
    }

    /** @param type the class of the data, if the bean wants that */
    abstract void call(Object bean, Class<?> type, List<Task> tasks) throws Exception;

    private static Object read(Class<?> type, Task task) {
        try {
            return task.data(type);
        } catch (TaskDataException e) {
            throw new TaskRejectedException(e.getMessage(), e);
        }
    }

    Class<?> listener() {
        return listener;
    }

    /** Searches for the method, the only one of its interface: keep it. */
    Method method() {
        return listener.getMethods()[0];
    }
}
