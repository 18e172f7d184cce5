package org.tasktube.inflow;

import jakarta.resource.spi.endpoint.MessageEndpoint;
import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import javax.transaction.xa.XAResource;
import org.junit.jupiter.api.Test;
import org.tasktube.spi.DeadlineTimer;

import static org.assertj.core.api.Assertions.assertThat;

/** The timer that is a bean gives way to the server's when it fails. */
class EndpointTimerTest {

    private final AtomicInteger fallBacks = new AtomicInteger();

    private record Beans(DeadlineTimer bean, Runnable atRelease) implements MessageEndpointFactory {

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
            return "timers.jar#Timer";
        }

        @Override
        public Class<?> getEndpointClass() {
            return bean.getClass();
        }
    }

    private record Endpoint(DeadlineTimer bean, Runnable atRelease) implements MessageEndpoint, DeadlineTimer {

        @Override
        public void arm(Duration delay, Runnable sweep) {
            bean.arm(delay, sweep);
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

    @SuppressWarnings("CatchAndPrintStackTrace")
    private void arm(DeadlineTimer bean, Runnable atRelease) {
        EndpointTimer timer = new EndpointTimer(new Beans(bean, atRelease), fallBacks::incrementAndGet);
        timer.arm(Duration.ofMillis(1), () -> {});
    }

    @Test
    void a_timer_bean_that_fails_by_an_error_gives_way_to_the_servers_timer() {
        arm(
                (delay, sweep) -> {
                    throw new NoClassDefFoundError("of a removed jar");
                },
                () -> {});
        assertThat(fallBacks).hasValue(1);
    }

    @Test
    void a_timer_bean_that_cannot_even_be_released_gives_way_to_the_servers_timer() {
        arm(
                (delay, sweep) -> {
                    throw new IllegalStateException("stopped");
                },
                () -> {
                    throw new IllegalStateException("released before");
                });
        assertThat(fallBacks).hasValue(1);
    }
}
