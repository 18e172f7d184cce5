package org.tasktube.ra.wildfly;

import jakarta.ejb.EJBException;
import jakarta.resource.spi.BootstrapContext;
import jakarta.resource.spi.ResourceAdapterInternalException;
import jakarta.transaction.TransactionManager;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import org.jboss.jca.core.api.connectionmanager.pool.FlushMode;
import org.jboss.jca.core.spi.statistics.Statistics;
import org.jboss.jca.core.spi.statistics.StatisticsPlugin;
import org.tasktube.inflow.Refusal;
import org.tasktube.ra.TaskTubeResourceAdapter;

/** The adapter in WildFly: its statistics are in the management model, and it reads the size of a pool. */
public class WildFlyResourceAdapter extends TaskTubeResourceAdapter implements Statistics {

    private static final long serialVersionUID = 1;

    private static final String TRANSACTION_MANAGER = "java:jboss/TransactionManager";
    private static final String COMPONENT_UNAVAILABLE = "org.jboss.as.ejb3.component.EJBComponentUnavailableException";

    /** The ids of the exceptions for a pool of beans that gave no instance in time, or whose wait was interrupted. */
    private static final List<String> NO_PERMIT = List.of("WFLYEJB0378", "WFLYEJB0379");

    /** The id of the exception of a pool that could give no connection, in time or at all. */
    private static final String NO_MANAGED_CONNECTION = "IJ000453";

    /** The descriptor by which a rar activates itself, and the note that configure.cli leaves in the server. */
    private static final String ACTIVATES_ITSELF = "/META-INF/ironjacamar.xml";

    private static final String CONFIGURED = "tasktube.configure.datasource";

    /** The size of a datasource's pool without a configured size. */
    private static final int DEFAULT_POOL_SIZE = 20;

    private transient TubesStatistics statistics;
    private transient CountDownLatch ended;

    /**
     * Starts the adapter.
     *
     * @throws ResourceAdapterInternalException also if the rar activates itself on a server for which configure.cli has
     *     configured the adapter: it would begin again on an empty database
     */
    @Override
    public void start(BootstrapContext bootstrap) throws ResourceAdapterInternalException {
        String datasource = System.getProperty(CONFIGURED);
        if (datasource != null && getClass().getResource(ACTIVATES_ITSELF) != null) {
            throw new ResourceAdapterInternalException("this rar activates itself on ExampleDS, and configure.cli has"
                    + " configured TaskTube here for the datasource " + datasource
                    + "; remove the file from standalone/deployments and run configure.cli again, or run restore.cli"
                    + " before you deploy the file");
        }
        ended = new CountDownLatch(1);
        super.start(bootstrap);
        try {
            DatasourceHold.begin(getDatasource(), ended);
        } catch (IllegalArgumentException | IllegalStateException e) {
            // Of a name that is none: the adapter itself says that the datasource does not exist
            ended.countDown();
        }
    }

    @Override
    public void stop() {
        try {
            super.stop();
        } finally {
            if (ended != null) {
                ended.countDown();
            }
        }
    }

    @Override
    public synchronized StatisticsPlugin getStatistics() {
        if (statistics == null) {
            statistics = new TubesStatistics(this::numbers);
        }
        return statistics;
    }

    /**
     * Reads the size over JMX, by which WildFly shows its management model. Without that subsystem the size is empty.
     */
    @Override
    protected OptionalInt poolSize(String jndiName) {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        try {
            Set<ObjectName> sources =
                    server.queryNames(new ObjectName("jboss.as:subsystem=datasources,data-source=*"), null);
            sources.addAll(server.queryNames(new ObjectName("jboss.as:subsystem=datasources,xa-data-source=*"), null));
            for (ObjectName source : sources) {
                if (jndiName.equals(server.getAttribute(source, "jndiName"))) {
                    Object size = server.getAttribute(source, "maxPoolSize");
                    return OptionalInt.of(size instanceof Integer configured ? configured : DEFAULT_POOL_SIZE);
                }
            }
        } catch (JMException e) {
            return OptionalInt.empty();
        }
        return OptionalInt.empty();
    }

    /**
     * Closes the idle connections. WildFly does so by itself only after SQL state 08006, which PostgreSQL does not give
     * for a connection that it has ended. The operation of the management model would wait for its lock, which a
     * deployment can have for long.
     */
    @Override
    protected void flushPool(String jndiName) {
        DatasourceHold.pools().stream()
                .filter(source -> jndiName.equals(source.getJndiName()))
                .forEach(source -> source.getPool().flush(FlushMode.IDLE));
    }

    /**
     * Compares names and message ids. The exceptions' classes are in modules that only the EJB subsystem sees. A pool
     * without an instance throws an EJBException like any other.
     */
    @Override
    protected Optional<Refusal> refusal(Throwable thrown) {
        if (thrown.getClass().getName().equals(COMPONENT_UNAVAILABLE)) {
            return Optional.of(Refusal.NO_BEAN);
        }
        if (String.valueOf(thrown.getMessage()).contains(NO_MANAGED_CONNECTION)) {
            return Optional.of(Refusal.NO_CONNECTION);
        }
        boolean noPermit = thrown.getClass() == EJBException.class
                && thrown.getMessage() != null
                && NO_PERMIT.stream().anyMatch(thrown.getMessage()::startsWith);
        return noPermit ? Optional.of(Refusal.NO_INSTANCE) : super.refusal(thrown);
    }

    /** Looks up the transaction manager by a name that is part of the server. */
    @Override
    @SuppressWarnings("BanJNDI")
    protected Optional<TransactionManager> transactionManager() {
        try {
            return Optional.of(InitialContext.doLookup(TRANSACTION_MANAGER));
        } catch (NamingException e) {
            return Optional.empty();
        }
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
