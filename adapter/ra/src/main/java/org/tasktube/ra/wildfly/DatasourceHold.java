package org.tasktube.ra.wildfly;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jboss.jca.core.api.management.DataSource;
import org.jboss.jca.core.api.management.ManagementRepository;
import org.jboss.msc.Service;
import org.jboss.msc.service.ServiceActivator;
import org.jboss.msc.service.ServiceActivatorContext;
import org.jboss.msc.service.ServiceBuilder;
import org.jboss.msc.service.ServiceController;
import org.jboss.msc.service.ServiceName;
import org.jboss.msc.service.ServiceRegistry;
import org.jboss.msc.service.ServiceTarget;
import org.jboss.msc.service.StartContext;
import org.jboss.msc.service.StopContext;

/**
 * Keeps the datasource until the adapter has signed off. A server that stops or reloads ends all services at once,
 * except that one which needs another ends before it. WildFly lets no adapter need a datasource. So this service needs
 * it, and ends when the adapter has.
 */
public final class DatasourceHold implements ServiceActivator {

    /**
     * The adapter waits 10 s for deliveries, and up to 15 s for its own threads. If an administrator removes the
     * datasource alone, that takes as long.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final ServiceName JNDI = ServiceName.JBOSS.append("naming", "context", "java");

    private static final ServiceName POOLS = ServiceName.JBOSS.append("management_repository");

    /** Of this deployment of the rar, whose class loader has this class. */
    private static volatile ServiceTarget deployment;

    private static volatile ServiceRegistry services;

    /** Called by WildFly before the adapter starts, because a file in META-INF/services names this class. */
    @Override
    public void activate(ServiceActivatorContext context) {
        deployment = context.getServiceTarget();
        services = context.getServiceRegistry();
    }

    /**
     * Begins to hold a datasource. Does nothing if the server has not called {@link #activate}, or has no such
     * datasource yet: WildFly would refuse the deployment for a service that misses another.
     *
     * @param ended counted down when the adapter has ended
     */
    static void begin(String jndiName, CountDownLatch ended) {
        ServiceTarget target = deployment;
        if (target == null || services.getService(binder(jndiName)) == null) {
            return;
        }
        ServiceBuilder<?> builder = target.addService();
        builder.requires(binder(jndiName));
        builder.setInstance(new Hold(ended));
        // It begins when the datasource is there, and nothing waits for it
        builder.setInitialMode(ServiceController.Mode.PASSIVE);
        builder.install();
    }

    /** Returns the datasources of the server that are there; none if the server has not called {@link #activate}. */
    @SuppressWarnings("deprecation") // a service that needed the value would make the deployment wait for it
    static List<DataSource> pools() {
        ServiceRegistry registry = services;
        ServiceController<?> found = registry == null ? null : registry.getService(POOLS);
        return found != null
                        && found.getState() == ServiceController.State.UP
                        && found.getValue() instanceof ManagementRepository repository
                ? List.copyOf(repository.getDataSources())
                : List.of();
    }

    /** Returns the service of a JNDI name such as {@code java:jboss/datasources/ExampleDS} or {@code java:/Orders}. */
    private static ServiceName binder(String jndiName) {
        String path = jndiName.substring(jndiName.indexOf(':') + 1);
        return JNDI.append(path.replaceFirst("^/", "").split("/"));
    }

    private record Hold(CountDownLatch ended) implements Service {

        @Override
        public void start(StartContext context) {
            // The datasource is there
        }

        @Override
        public void stop(StopContext context) {
            try {
                boolean unused = ended.await(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
