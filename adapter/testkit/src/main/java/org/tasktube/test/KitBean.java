package org.tasktube.test;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.EJBException;
import jakarta.ejb.MessageDriven;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.ejb.TransactionManagement;
import jakarta.ejb.TransactionManagementType;
import jakarta.resource.spi.LocalTransactionException;
import jakarta.resource.spi.UnavailableException;
import jakarta.resource.spi.endpoint.MessageEndpoint;
import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import jakarta.transaction.Status;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.transaction.xa.XAResource;
import org.tasktube.Task;
import org.tasktube.TaskBatchListener;
import org.tasktube.TaskListener;
import org.tasktube.TypedTaskListener;
import org.tasktube.inflow.TaskActivationSpec;
import org.tasktube.inflow.TaskBatchActivationSpec;
import org.tasktube.inflow.TypedTaskActivationSpec;

/** One instance of a message-driven bean in its container. After the first failure the container calls it no more. */
final class KitBean implements MessageEndpointFactory {

    private final Object bean;
    private volatile Throwable failure;

    /** Of a batch whose tasks the adapter then delivers one by one. */
    private volatile Throwable failureOfBatch;

    private volatile int left;
    private volatile int calls;

    KitBean(Object bean) {
        this.bean = bean;
    }

    /** One call of the bean. */
    private interface Call {
        void run() throws Exception;
    }

    /** Returns why no more tasks go to the bean; empty if they do. */
    Optional<Throwable> failure() {
        return Optional.ofNullable(failure);
    }

    /** Returns what the bean has thrown, when all is over. */
    Optional<Throwable> anyFailure() {
        return failure().or(() -> Optional.ofNullable(failureOfBatch));
    }

    /** Returns the number of deliveries that have ended. */
    int calls() {
        return calls;
    }

    /** Returns the properties of the bean's annotation, with one delivery at a time. */
    TaskActivationSpec spec() {
        TaskActivationSpec spec = newSpec();
        MessageDriven annotation = bean.getClass().getAnnotation(MessageDriven.class);
        if (annotation == null) {
            throw new IllegalArgumentException(
                    bean.getClass().getName() + " has no @MessageDriven, which names its tube; name it in the call");
        }
        for (ActivationConfigProperty property : annotation.activationConfig()) {
            set(spec, property);
        }
        spec.setMaxSession("1");
        return spec;
    }

    /** Returns the defaults for a bean whose tube the test names. */
    TaskActivationSpec spec(String tube) {
        TaskActivationSpec spec = bean.getClass().isAnnotationPresent(MessageDriven.class) ? spec() : newSpec();
        spec.setTube(tube);
        spec.setMaxSession("1");
        return spec;
    }

    private TaskActivationSpec newSpec() {
        if (bean instanceof TaskBatchListener) {
            return new TaskBatchActivationSpec();
        } else if (bean instanceof TypedTaskListener<?>) {
            return new TypedTaskActivationSpec();
        } else if (bean instanceof TaskListener) {
            return new TaskActivationSpec();
        }
        throw new IllegalArgumentException(bean.getClass().getName()
                + " implements none of TaskListener, TypedTaskListener, and TaskBatchListener");
    }

    private void set(TaskActivationSpec spec, ActivationConfigProperty property) {
        String name = property.propertyName();
        String setter = "set" + name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
        try {
            spec.getClass().getMethod(setter, String.class).invoke(spec, property.propertyValue());
        } catch (NoSuchMethodException e) {
            throw new IllegalArgumentException(
                    "TaskTube has no activation property '" + name + "', which "
                            + bean.getClass().getName() + " has; see \"Bean\" in application.md",
                    e);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public MessageEndpoint createEndpoint(XAResource resource) throws UnavailableException {
        if (failure != null) {
            throw new UnavailableException("the bean has failed, and the test gets its failure");
        }
        return new Endpoint();
    }

    @Override
    public MessageEndpoint createEndpoint(XAResource resource, long timeout) throws UnavailableException {
        return createEndpoint(resource);
    }

    /** As the annotation of the bean's method says, or that of the class that declares it; a container's by default. */
    @Override
    public boolean isDeliveryTransacted(Method method) {
        TransactionManagement management = bean.getClass().getAnnotation(TransactionManagement.class);
        if (management != null && management.value() == TransactionManagementType.BEAN) {
            return false;
        }
        Method declared = declared(method);
        TransactionAttribute attribute = declared.getAnnotation(TransactionAttribute.class);
        if (attribute == null) {
            attribute = declared.getDeclaringClass().getAnnotation(TransactionAttribute.class);
        }
        return attribute == null || attribute.value() != TransactionAttributeType.NOT_SUPPORTED;
    }

    private Method declared(Method method) {
        for (Class<?> type = bean.getClass(); type != null; type = type.getSuperclass()) {
            for (Method each : type.getDeclaredMethods()) {
                boolean isIt = each.getName().equals(method.getName())
                        && each.getParameterCount() == method.getParameterCount()
                        && !each.isBridge();
                if (isIt) {
                    return each;
                }
            }
        }
        return method;
    }

    @Override
    public String getActivationName() {
        return bean.getClass().getName();
    }

    @Override
    public Class<?> getEndpointClass() {
        return bean.getClass();
    }

    private final class Endpoint
            implements MessageEndpoint, TaskListener, TypedTaskListener<Object>, TaskBatchListener {

        private boolean transacted;
        private boolean called;
        private boolean ofBatch;
        private int size;
        private Throwable thrown;

        @Override
        public void beforeDelivery(Method method) {
            transacted = isDeliveryTransacted(method);
            called = false;
            ofBatch = false;
            thrown = null;
            if (transacted) {
                try {
                    KitServer.TRANSACTIONS.begin();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
        }

        @Override
        public void onTask(Task task) throws Exception {
            call(() -> ((TaskListener) bean).onTask(task));
        }

        @Override
        @SuppressWarnings("unchecked") // the adapter has read the type from the bean's class
        public void onTask(Object data, Task task) throws Exception {
            call(() -> ((TypedTaskListener<Object>) bean).onTask(data, task));
        }

        @Override
        public void onTasks(List<Task> tasks) throws Exception {
            ofBatch = tasks.size() > 1;
            size = tasks.size();
            call(() -> ((TaskBatchListener) bean).onTasks(tasks));
        }

        /** As a container does: what the bean throws without having declared it rolls its transaction back. */
        private void call(Call delivery) throws Exception {
            called = true;
            try {
                delivery.run();
            } catch (RuntimeException | Error e) {
                thrown = e;
                if (transacted && KitServer.TRANSACTIONS.getStatus() == Status.STATUS_ACTIVE) {
                    KitServer.TRANSACTIONS.setRollbackOnly();
                }
                throw new EJBException(e instanceof Exception thrown ? thrown : new Exception(e));
            } catch (Exception e) {
                thrown = e;
                throw e;
            }
        }

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // one delivery at a time
        public void afterDelivery() throws LocalTransactionException {
            try {
                end();
            } catch (Exception e) {
                thrown = thrown == null ? e : thrown;
                throw new LocalTransactionException(e);
            } finally {
                learn();
                calls++;
            }
        }

        /** A transaction that the bean itself has begun and left open is rolled back, as by a container. */
        private void end() throws Exception {
            int status = KitServer.TRANSACTIONS.getStatus();
            if (!called) {
                thrown = new IllegalStateException(
                        "the adapter has not called " + bean.getClass().getName()
                                + ": the data does not map to its type, and the task is BURIED with the reason");
            } else if (status != Status.STATUS_ACTIVE && transacted && thrown == null) {
                thrown = new IllegalStateException(
                        bean.getClass().getName() + " has marked its transaction for rollback, or lost its task");
            }
            if (transacted && status == Status.STATUS_ACTIVE) {
                KitServer.TRANSACTIONS.commit();
            } else if (status != Status.STATUS_NO_TRANSACTION) {
                KitServer.TRANSACTIONS.rollback();
                if (!transacted) {
                    throw new IllegalStateException(bean.getClass().getName() + " has left a transaction open");
                }
            }
        }

        /** After a batch has failed, the adapter delivers its tasks one by one, and then the bean gets no more. */
        @SuppressWarnings("NonAtomicVolatileUpdate") // one delivery at a time
        private void learn() {
            if (failureOfBatch != null && !ofBatch) {
                left--;
                failureOfBatch = thrown == null ? failureOfBatch : thrown;
                failure = left <= 0 ? failureOfBatch : null;
            } else if (failureOfBatch != null) {
                // The bean has ended some tasks of the failed batch itself, so that fewer came one by one
                failure = failureOfBatch;
            } else if (thrown != null && ofBatch) {
                failureOfBatch = thrown;
                left = size;
            } else {
                failure = thrown;
            }
        }

        @Override
        public void release() {
            // The test keeps the bean
        }
    }
}
