package org.tasktube.inflow;

import jakarta.ejb.EJBException;
import jakarta.resource.spi.LocalTransactionException;
import jakarta.resource.spi.endpoint.MessageEndpoint;
import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import jakarta.transaction.Status;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.transaction.xa.XAResource;
import org.tasktube.Task;
import org.tasktube.TaskBatchListener;
import org.tasktube.TaskListener;
import org.tasktube.TypedTaskListener;
import org.tasktube.testing.Jta;

/**
 * A message-driven bean in a container that does as WildFly does: a transaction of Narayana's for each delivery, an
 * instance of a pool for each call, and what the bean throws as a system exception wrapped in an EJBException.
 */
final class Bean implements MessageEndpointFactory {

    /** Where a container can fail. */
    enum Step {
        CREATE,
        BEFORE,
        AFTER,
        RELEASE
    }

    /** Fails a step by throwing, or lets it pass. */
    interface Faults {
        void at(Step step);
    }

    /** The method of a bean, for one task or a batch. */
    private interface Work {
        void on(List<Task> tasks) throws Exception;
    }

    /** One call of an instance. */
    private interface Call {
        void run() throws Exception;
    }

    private final Work work;
    private final TypedTaskListener<Object> typed;
    private final Class<?> type;
    private final AtomicInteger open = new AtomicInteger();
    private Faults faults = step -> {};
    private boolean transacted = true;
    private String name = "shop.war#Worker";
    private Semaphore instances = new Semaphore(Integer.MAX_VALUE);

    Bean(TaskListener bean) {
        this(tasks -> bean.onTask(tasks.get(0)), bean.getClass());
    }

    private Bean(Work work, Class<?> type) {
        this.work = work;
        this.type = type;
        this.typed = (data, task) -> {};
    }

    private Bean(TypedTaskListener<Object> typed, Class<?> type) {
        this.work = tasks -> {};
        this.type = type;
        this.typed = typed;
    }

    static Bean ofBatches(TaskBatchListener bean) {
        return new Bean(bean::onTasks, bean.getClass());
    }

    /** Of the type that the bean's class says. */
    @SuppressWarnings("unchecked")
    static Bean ofData(TypedTaskListener<?> bean) {
        return new Bean((TypedTaskListener<Object>) bean, bean.getClass());
    }

    Bean withFaults(Faults some) {
        faults = some;
        return this;
    }

    Bean withoutTransactions() {
        transacted = false;
        return this;
    }

    /** As a strict-max-bean-instance-pool of that size. */
    Bean withInstances(int size) {
        instances = new Semaphore(size);
        return this;
    }

    /** Endpoints that were created and not released. */
    int openEndpoints() {
        return open.get();
    }

    @Override
    public MessageEndpoint createEndpoint(XAResource resource) {
        faults.at(Step.CREATE);
        open.incrementAndGet();
        return new Endpoint();
    }

    @Override
    public MessageEndpoint createEndpoint(XAResource resource, long timeout) {
        return createEndpoint(resource);
    }

    @Override
    public boolean isDeliveryTransacted(Method method) {
        return transacted;
    }

    /** As the server calls it. */
    Bean named(String activationName) {
        name = activationName;
        return this;
    }

    @Override
    public String getActivationName() {
        return name;
    }

    @Override
    public Class<?> getEndpointClass() {
        return type;
    }

    private final class Endpoint
            implements MessageEndpoint, TaskListener, TypedTaskListener<Object>, TaskBatchListener {

        @Override
        public void beforeDelivery(Method method) {
            faults.at(Step.BEFORE);
            if (transacted) {
                try {
                    Jta.MANAGER.begin();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
        }

        @Override
        public void onTask(Task task) throws Exception {
            onTasks(List.of(task));
        }

        @Override
        public void onTask(Object data, Task task) throws Exception {
            call(() -> typed.onTask(data, task));
        }

        @Override
        public void onTasks(List<Task> tasks) throws Exception {
            call(() -> work.on(tasks));
        }

        private void call(Call bean) throws Exception {
            try {
                onInstance(bean);
            } catch (RuntimeException e) {
                markRollback();
                throw e instanceof EJBException ? e : new EJBException(e);
            } catch (Error e) {
                markRollback();
                throw new EJBException("WFLYEJB0442: Unexpected Error", new Exception(e));
            }
        }

        private void onInstance(Call bean) throws Exception {
            if (!instances.tryAcquire(50, TimeUnit.MILLISECONDS)) {
                throw new EJBException("WFLYEJB0378: Failed to acquire a permit within 50 MILLISECONDS");
            }
            try {
                bean.run();
            } finally {
                instances.release();
            }
        }

        private void markRollback() throws Exception {
            if (transacted && Jta.MANAGER.getStatus() == Status.STATUS_ACTIVE) {
                Jta.MANAGER.setRollbackOnly();
            }
        }

        @Override
        public void afterDelivery() throws LocalTransactionException {
            if (transacted) {
                try {
                    if (Jta.MANAGER.getStatus() == Status.STATUS_MARKED_ROLLBACK) {
                        Jta.MANAGER.rollback();
                    } else {
                        Jta.MANAGER.commit();
                    }
                } catch (Exception e) {
                    throw new LocalTransactionException(e);
                }
            }
            faults.at(Step.AFTER);
        }

        @Override
        public void release() {
            open.decrementAndGet();
            faults.at(Step.RELEASE);
        }
    }
}
