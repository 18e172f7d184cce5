package org.tasktube.inflow;

import java.lang.reflect.Method;
import java.util.List;
import org.tasktube.Task;
import org.tasktube.TaskBatchListener;
import org.tasktube.TaskListener;

/** The method by which a bean gets its tasks. */
enum ListenerMethod {
    /** {@link TaskListener#onTask}, which gets one task. */
    ON_TASK(TaskListener.class, "onTask", Task.class) {
        @Override
        void call(Object bean, List<Task> tasks) throws Exception {
            ((TaskListener) bean).onTask(tasks.get(0));
        }
    },
    /** {@link TaskBatchListener#onTasks}, which gets several. */
    ON_TASKS(TaskBatchListener.class, "onTasks", List.class) {
        @Override
        void call(Object bean, List<Task> tasks) throws Exception {
            ((TaskBatchListener) bean).onTasks(tasks);
        }
    };

    private final Class<?> listener;
    private final String methodName;
    private final Class<?> parameter;

    ListenerMethod(Class<?> listener, String methodName, Class<?> parameter) {
        this.listener = listener;
        this.methodName = methodName;
        this.parameter = parameter;
    }

    abstract void call(Object bean, List<Task> tasks) throws Exception;

    Class<?> listener() {
        return listener;
    }

    /** Searches for the method: keep it. */
    Method method() {
        try {
            return listener.getMethod(methodName, parameter);
        } catch (NoSuchMethodException e) {
            throw new LinkageError("the API of TaskTube does not match the adapter; deploy both in one version", e);
        }
    }
}
