package org.tasktube.ra;

import jakarta.resource.spi.ActivationSpec;
import jakarta.resource.spi.endpoint.MessageEndpoint;
import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import java.lang.reflect.Method;
import java.util.OptionalInt;
import javax.transaction.xa.XAResource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tasktube.inflow.ChangeActivationSpec;
import org.tasktube.inflow.TaskActivationSpec;
import org.tasktube.testing.LogLines;

import static org.assertj.core.api.Assertions.assertThat;

/** Beans that are activated, or cannot be. */
class ActivationTest {

    /** In a server whose datasource has 20 connections. */
    private final TaskTubeResourceAdapter adapter = new TaskTubeResourceAdapter() {
        private static final long serialVersionUID = 1;

        @Override
        protected OptionalInt poolSize(String jndiName) {
            return OptionalInt.of(20);
        }
    };

    private final LogLines log = new LogLines("org.tasktube.ra");

    @AfterEach
    void close() {
        log.close();
    }

    private record Endpoints(String getActivationName) implements MessageEndpointFactory {

        @Override
        public MessageEndpoint createEndpoint(XAResource resource) {
            throw new UnsupportedOperationException("nothing is delivered here");
        }

        @Override
        public MessageEndpoint createEndpoint(XAResource resource, long timeout) {
            throw new UnsupportedOperationException("nothing is delivered here");
        }

        @Override
        public boolean isDeliveryTransacted(Method method) {
            if (getActivationName.equals("broken")) {
                throw new NoClassDefFoundError("as of an application that is broken");
            }
            return true;
        }

        @Override
        public Class<?> getEndpointClass() {
            return ActivationTest.class;
        }
    }

    private static TaskActivationSpec spec(String tube, String maxSession) {
        TaskActivationSpec spec = new TaskActivationSpec();
        spec.setTube(tube);
        spec.setMaxSession(maxSession);
        return spec;
    }

    @Test
    void a_bean_that_cannot_be_activated_is_logged_as_an_error_and_nothing_is_thrown() throws Exception {
        adapter.start(new FakeServer(5));
        adapter.endpointActivation(new Endpoints("wrong"), spec("mails", "0"));
        assertThat(log.of("TASKTUBE0303")).hasSize(1);
        assertThat(log.first("TASKTUBE0303"))
                .startsWith("ERROR")
                .contains("Bean wrong", "property maxSession is '0': it takes a whole number, 1 to 10000");

        adapter.endpointActivation(new Endpoints("none"), spec(null, "1"));
        adapter.endpointActivation(new Endpoints("none"), new ChangeActivationSpec());
        adapter.endpointActivation(new Endpoints("other"), new ActivationSpecOfOthers());
        adapter.endpointActivation(new Endpoints("broken"), spec("mails", "1"));
        assertThat(log.of("TASKTUBE0303")).hasSize(5);
        assertThat(log.of("TASKTUBE0303").get(1)).contains("property tube is missing");
        assertThat(log.of("TASKTUBE0303").get(4)).contains("NoClassDefFoundError");
        adapter.endpointDeactivation(new Endpoints("wrong"), spec("mails", "0"));
        adapter.stop();
    }

    private static final class ActivationSpecOfOthers implements ActivationSpec {

        @Override
        public void validate() {}

        @Override
        public jakarta.resource.spi.ResourceAdapter getResourceAdapter() {
            return null;
        }

        @Override
        public void setResourceAdapter(jakarta.resource.spi.ResourceAdapter adapter) {}
    }

    @Test
    void a_stopped_adapter_lets_activations_of_before_pass() throws Exception {
        adapter.endpointActivation(new Endpoints("early"), spec("mails", "1"));
        adapter.start(new FakeServer(5));
        adapter.stop();
        adapter.endpointActivation(new Endpoints("late"), spec("mails", "1"));
        assertThat(log.of("TASKTUBE0303")).isEmpty();
    }

    @Test
    void a_pool_is_compared_with_what_all_active_beans_and_the_adapter_need() throws Exception {
        adapter.start(new FakeServer(5));
        Endpoints one = new Endpoints("one");
        TaskActivationSpec large = spec("mails", "15");
        adapter.endpointActivation(one, large);
        assertThat(log.of("TASKTUBE0300")).isEmpty();

        TaskActivationSpec small = spec("letters", "1");
        adapter.endpointActivation(new Endpoints("two"), small);
        assertThat(log.first("TASKTUBE0300")).contains("at most 20", "up to 21");

        adapter.endpointDeactivation(one, large);
        adapter.endpointActivation(new Endpoints("three"), spec("parcels", "10"));
        assertThat(log.of("TASKTUBE0300")).hasSize(1);
        adapter.stop();
    }
}
