package org.tasktube.ra.wildfly;

import jakarta.ejb.ConcurrentAccessException;
import jakarta.ejb.EJBAccessException;
import jakarta.ejb.EJBException;
import jakarta.ejb.EJBTransactionRequiredException;
import jakarta.ejb.NoSuchEJBException;
import java.lang.management.ManagementFactory;
import java.util.Optional;
import java.util.stream.Stream;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.junit.jupiter.api.Test;
import org.tasktube.inflow.Refusal;

import static org.assertj.core.api.Assertions.assertThat;

class WildFlyResourceAdapterTest {

    private final WildFlyResourceAdapter adapter = new WildFlyResourceAdapter();

    /** A datasource as WildFly shows it over JMX. */
    public interface Source {
        String getjndiName();

        Integer getmaxPoolSize();
    }

    private record Shown(String getjndiName, Integer getmaxPoolSize) implements Source {}

    @Test
    void a_pool_whose_size_is_not_configured_has_wildflys_default() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName plain = new ObjectName("jboss.as:subsystem=datasources,data-source=Plain");
        ObjectName large = new ObjectName("jboss.as:subsystem=datasources,xa-data-source=Large");
        server.registerMBean(new StandardMBean(new Shown("java:/Plain", null), Source.class), plain);
        server.registerMBean(new StandardMBean(new Shown("java:/Large", 50), Source.class), large);
        try {
            assertThat(adapter.poolSize("java:/Plain")).hasValue(20);
            assertThat(adapter.poolSize("java:/Large")).hasValue(50);
            assertThat(adapter.poolSize("java:/Other")).isEmpty();
        } finally {
            server.unregisterMBean(plain);
            server.unregisterMBean(large);
        }
    }

    /** As for a bean with a role that its caller lacks: no bean has seen the task. */
    @Test
    void a_call_that_the_container_refuses_by_the_specification_has_reached_no_bean() {
        assertThat(Stream.of(
                                new EJBAccessException(),
                                new NoSuchEJBException(),
                                new ConcurrentAccessException(),
                                new EJBTransactionRequiredException())
                        .map(adapter::refusal))
                .containsOnly(Optional.of(Refusal.NO_BEAN));
    }

    @Test
    void a_pool_of_beans_that_has_no_instance_is_known_by_its_message() {
        assertThat(adapter.refusal(new EJBException("WFLYEJB0378: Failed to acquire a permit within 5 MINUTES")))
                .contains(Refusal.NO_INSTANCE);
        assertThat(adapter.refusal(new EJBException("WFLYEJB0379: Acquire semaphore was interrupted")))
                .contains(Refusal.NO_INSTANCE);
        assertThat(adapter.refusal(new EJBException("the bean's own"))).isEmpty();
        assertThat(adapter.refusal(new EJBException())).isEmpty();
        assertThat(adapter.refusal(new IllegalStateException("WFLYEJB0378"))).isEmpty();
    }
}
