package org.tasktube.ra.wildfly;

import java.lang.management.ManagementFactory;
import java.util.OptionalInt;
import java.util.Set;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jboss.jca.core.spi.statistics.Statistics;
import org.jboss.jca.core.spi.statistics.StatisticsPlugin;
import org.tasktube.ra.TaskTubeResourceAdapter;

/** The adapter as WildFly gets it: its statistics are in the management model, and it can ask for a pool's size. */
public class WildFlyResourceAdapter extends TaskTubeResourceAdapter implements Statistics {

    private static final long serialVersionUID = 1;

    private transient TubesStatistics statistics;

    @Override
    public synchronized StatisticsPlugin getStatistics() {
        if (statistics == null) {
            statistics = new TubesStatistics(() -> queue().statistics());
        }
        return statistics;
    }

    /** WildFly shows its management model over JMX; a server without that subsystem just does not say. */
    @Override
    protected OptionalInt poolSize(String jndiName) {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        try {
            Set<ObjectName> sources =
                    server.queryNames(new ObjectName("jboss.as:subsystem=datasources,data-source=*"), null);
            sources.addAll(server.queryNames(new ObjectName("jboss.as:subsystem=datasources,xa-data-source=*"), null));
            for (ObjectName source : sources) {
                if (jndiName.equals(server.getAttribute(source, "jndiName"))
                        && server.getAttribute(source, "maxPoolSize") instanceof Integer size) {
                    return OptionalInt.of(size);
                }
            }
        } catch (JMException e) {
            return OptionalInt.empty();
        }
        return OptionalInt.empty();
    }

    /** By its name: the class is in a module that only the EJB subsystem sees. */
    @Override
    protected boolean isRefusal(Throwable thrown) {
        return thrown.getClass().getName().equals("org.jboss.as.ejb3.component.EJBComponentUnavailableException");
    }

    @Override
    public boolean equals(Object other) {
        return super.equals(other);
    }

    @Override
    public int hashCode() {
        return super.hashCode();
    }
}
