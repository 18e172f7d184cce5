package org.tasktube.inflow;

import jakarta.resource.spi.endpoint.MessageEndpoint;
import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import java.lang.reflect.Method;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.transaction.xa.XAResource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.TaskChange;
import org.tasktube.TaskChangeListener;
import org.tasktube.TubeDefinition;
import org.tasktube.jca.LongRunning;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.BoundedWorkManager;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A bean that listens is notified of each change, whatever it did with those before. */
@Timeout(60)
class ListenerBeanTest {

    private final AtomicInteger notified = new AtomicInteger();

    private record Beans(TaskChangeListener bean, Runnable atRelease) implements MessageEndpointFactory {

        @Override
        public MessageEndpoint createEndpoint(XAResource resource) {
            return new Endpoint(bean, atRelease);
        }

        @Override
        public MessageEndpoint createEndpoint(XAResource resource, long timeout) {
            return createEndpoint(resource);
        }

        @Override
        public boolean isDeliveryTransacted(Method method) {
            return false;
        }

        @Override
        public String getActivationName() {
            return "shop.war#Listener";
        }

        @Override
        public Class<?> getEndpointClass() {
            return bean.getClass();
        }
    }

    private record Endpoint(TaskChangeListener bean, Runnable atRelease)
            implements MessageEndpoint, TaskChangeListener {

        @Override
        public void onTaskChange(TaskChange change) {
            bean.onTaskChange(change);
        }

        @Override
        public void beforeDelivery(Method method) {}

        @Override
        public void afterDelivery() {}

        @Override
        public void release() {
            atRelease.run();
        }
    }

    private void isToldLaterChangesThough(Runnable fault, Runnable atRelease) throws Exception {
        try (RunningAdapter adapter = new RunningAdapter(TestDatabase.H2)) {
            ChangeActivationSpec spec = new ChangeActivationSpec();
            spec.setTube(adapter.tube().name());
            TaskChangeListener bean = change -> {
                if (notified.incrementAndGet() == 1) {
                    fault.run();
                }
            };
            adapter.activations().start(new Beans(bean, atRelease), spec);
            adapter.tube().put("first");
            Eventually.holds(() -> notified.get() == 1, "the bean is notified of the first change");
            adapter.tube().put("second");
            Eventually.holds(() -> notified.get() == 2, "the bean is notified of the second change");
        }
    }

    @Test
    void a_listener_bean_that_leaves_an_interrupt_is_notified_of_later_changes() throws Exception {
        isToldLaterChangesThough(() -> Thread.currentThread().interrupt(), () -> {});
    }

    @Test
    void a_listener_bean_whose_exception_has_no_text_is_notified_of_later_changes() throws Exception {
        isToldLaterChangesThough(
                () -> {
                    throw new IllegalStateException() {
                        private static final long serialVersionUID = 1;

                        @Override
                        public String getMessage() {
                            throw new IllegalStateException("no text");
                        }
                    };
                },
                () -> {});
    }

    @Test
    void a_listener_bean_whose_endpoint_cannot_be_released_is_notified_of_later_changes() throws Exception {
        isToldLaterChangesThough(
                () -> {
                    throw new IllegalStateException("of the bean");
                },
                () -> {
                    throw new IllegalStateException("of the container");
                });
    }

    @Test
    void a_listener_bean_is_activated_and_deactivated_at_once_though_the_server_has_no_thread() throws Exception {
        CountDownLatch others = new CountDownLatch(1);
        try (RunningAdapter adapter =
                new RunningAdapter(TestDatabase.H2, new BoundedWorkManager(1, 0), thrown -> false)) {
            adapter.threads().scheduleWork(new LongRunning(() -> await(others)));
            ChangeActivationSpec spec = new ChangeActivationSpec();
            spec.setTube(adapter.tube().name());
            Beans beans = new Beans(change -> notified.incrementAndGet(), () -> {});
            Thread deploying = new Thread(() -> {
                try {
                    adapter.activations().start(beans, spec);
                    adapter.activations().stop(beans, spec);
                } catch (jakarta.resource.ResourceException e) {
                    throw new AssertionError(e);
                }
            });
            try {
                deploying.start();
                deploying.join(5_000);
                assertThat(deploying.isAlive()).isFalse();
            } finally {
                others.countDown();
                deploying.join(20_000);
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** As by an executor of the bean's own that was to end what took it too long, and was too late. */
    @Test
    void a_listener_bean_whose_thread_is_interrupted_between_two_changes_is_notified_of_later_changes()
            throws Exception {
        AtomicReference<Thread> thread = new AtomicReference<>();
        try (RunningAdapter adapter = new RunningAdapter(TestDatabase.H2)) {
            ChangeActivationSpec spec = new ChangeActivationSpec();
            spec.setTube(adapter.tube().name());
            TaskChangeListener bean = change -> {
                thread.set(Thread.currentThread());
                notified.incrementAndGet();
            };
            adapter.activations().start(new Beans(bean, () -> {}), spec);
            adapter.tube().put("first");
            Eventually.holds(() -> isWaiting(thread.get()), "the thread waits for the next change");
            thread.get().interrupt();
            Eventually.holds(() -> !thread.get().isInterrupted(), "the thread has noticed it");
            adapter.tube().put("second");
            Eventually.holds(() -> notified.get() == 2, "the bean is notified of the second change");
        }
    }

    @Test
    void a_listener_bean_whose_look_for_its_tube_fails_by_an_error_is_notified_of_later_changes() throws Exception {
        AtomicReference<Error> error =
                new AtomicReference<>(new NoClassDefFoundError("of a driver that was redeployed"));
        try (RunningAdapter adapter = new RunningAdapter(TestDatabase.H2)) {
            adapter.beforeConnect(() -> {
                Error next = isOfListenerBean() ? error.getAndSet(null) : null;
                if (next != null) {
                    throw next;
                }
            });
            TubeDefinition definition = TubeDefinition.fifo(RunningNode.newName());
            ChangeActivationSpec spec = new ChangeActivationSpec();
            spec.setTube(definition.name());
            adapter.activations().start(new Beans(change -> notified.incrementAndGet(), () -> {}), spec);
            Eventually.holds(() -> error.get() == null, "the look has failed");
            adapter.node().createTube(new ClientConnection(), definition).put("first");
            Eventually.holds(() -> notified.get() == 1, "the bean is notified of the change");
        }
    }

    private static boolean isOfListenerBean() {
        return StackWalker.getInstance()
                .walk(frames ->
                        frames.anyMatch(frame -> frame.getClassName().equals(ChangeActivation.class.getName())));
    }

    private static boolean isWaiting(Thread thread) {
        return thread != null && thread.getState() == Thread.State.TIMED_WAITING;
    }
}
