package org.tasktube.ra;

import jakarta.resource.ResourceException;
import jakarta.resource.spi.ActivationSpec;
import jakarta.resource.spi.BootstrapContext;
import jakarta.resource.spi.ConfigProperty;
import jakarta.resource.spi.ResourceAdapter;
import jakarta.resource.spi.ResourceAdapterInternalException;
import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.sql.DataSource;
import javax.transaction.xa.XAResource;
import org.tasktube.inflow.Activations;
import org.tasktube.inflow.TaskActivationSpec;
import org.tasktube.jca.LongRunning;
import org.tasktube.queue.Queue;
import org.tasktube.queue.QueueSource;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.TaskStore;
import org.tasktube.store.jpa.JpaTaskStore;

/**
 * TaskTube in a server. Start and stop never wait for the database: it may not be there yet, and may be gone already.
 * All properties are text, because a server silently replaces a number that it cannot read by the default.
 */
public class TaskTubeResourceAdapter implements ResourceAdapter, QueueSource, Serializable {

    static final String DEFAULT_DATASOURCE = "java:jboss/datasources/ExampleDS";
    static final String DEFAULT_MAX_DATA_SIZE = "1048576";
    static final String DEFAULT_POLL_INTERVAL = "500ms";
    static final String DEFAULT_NODE_TIMEOUT = "10s";
    static final String DEFAULT_CREATE_TABLES = "true";

    /** What a bean needs of the datasource's pool besides a connection for each session. */
    private static final int CONNECTIONS_BESIDES = 2;

    private static final long serialVersionUID = 1;

    @ConfigProperty(
            defaultValue = DEFAULT_DATASOURCE,
            description = "The JNDI name of the JTA datasource that has the tasks; the applications' own, so that tasks"
                    + " and rows commit together")
    private String datasource = DEFAULT_DATASOURCE;

    @ConfigProperty(
            defaultValue = "",
            description = "Names this server to others on the same database; without it, what the server is called")
    private String nodeName = "";

    @ConfigProperty(defaultValue = DEFAULT_MAX_DATA_SIZE, description = "The most bytes a task may carry")
    private String maxDataSize = DEFAULT_MAX_DATA_SIZE;

    @ConfigProperty(
            defaultValue = DEFAULT_POLL_INTERVAL,
            description = "How long a task that another server put may go unseen")
    private String pollInterval = DEFAULT_POLL_INTERVAL;

    @ConfigProperty(
            defaultValue = DEFAULT_NODE_TIMEOUT,
            description = "How long a server that is silent is taken for alive; then what it held is released")
    private String nodeTimeout = DEFAULT_NODE_TIMEOUT;

    @ConfigProperty(
            defaultValue = DEFAULT_CREATE_TABLES,
            description = "Whether tables that are missing are created; false where software must not")
    private String createTables = DEFAULT_CREATE_TABLES;

    private transient Configuration configuration;
    private transient Queue queue;
    private transient BootstrapTimer timer;
    private transient Activations activations;

    /**
     * Reads what was configured and begins; the database is looked for on another thread.
     *
     * @throws ResourceAdapterInternalException naming each property that cannot be read or is out of its bounds
     */
    @Override
    public void start(BootstrapContext bootstrap) throws ResourceAdapterInternalException {
        try {
            configuration = Configuration.read(this);
            TransactionSynchronizationRegistry registry = bootstrap.getTransactionSynchronizationRegistry();
            JtaTransactions transactions = new JtaTransactions(registry);
            queue = new Queue(configuration.settings(), transactions, this::openStore);
            timer = new BootstrapTimer(bootstrap.createTimer(), queue::sweepSoon);
            queue.fallBackTo(timer);
            activations =
                    new Activations(queue, bootstrap.getWorkManager(), new BeanContainer(registry, this::isRefusal));
            bootstrap.getWorkManager().scheduleWork(new LongRunning(queue.upkeep()));
        } catch (ResourceException e) {
            throw new ResourceAdapterInternalException("TaskTube does not start: " + e.getMessage(), e);
        }
    }

    /** The name comes from who configures the server, who can run code in it anyway. */
    @SuppressWarnings("BanJNDI")
    private TaskStore openStore() throws StoreUnavailableException {
        try {
            DataSource found = InitialContext.doLookup(configuration.datasource());
            return JpaTaskStore.open(found, configuration.createTables());
        } catch (NamingException e) {
            throw new StoreUnavailableException(
                    "there is no datasource " + configuration.datasource() + " (" + e.getMessage()
                            + "); define it, or name another in the adapter's property datasource",
                    e);
        }
    }

    @Override
    public void stop() {
        activations.stopAll();
        queue.stop();
        timer.cancel();
        activations = null;
        queue = null;
        timer = null;
    }

    @Override
    public void endpointActivation(MessageEndpointFactory endpoints, ActivationSpec spec) throws ResourceException {
        if (spec instanceof TaskActivationSpec tasks) {
            checkPool(tasks);
        }
        activations.start(endpoints, spec);
    }

    private void checkPool(TaskActivationSpec spec) throws ResourceException {
        int needed = Activations.maxSession(spec) + CONNECTIONS_BESIDES;
        OptionalInt size = poolSize(configuration.datasource());
        if (size.isPresent() && size.getAsInt() < needed) {
            Log.LOG.poolTooSmall(configuration.datasource(), size.getAsInt(), spec.getTube(), needed);
        }
    }

    /** How many connections the datasource's pool can have; empty where the server has no way to ask that is known here. */
    protected OptionalInt poolSize(String jndiName) {
        return OptionalInt.empty();
    }

    /** Whether an exception means that the server let no call in; only a server's own adapter can know its exceptions. */
    protected boolean isRefusal(Throwable thrown) {
        return false;
    }

    @Override
    public void endpointDeactivation(MessageEndpointFactory endpoints, ActivationSpec spec) {
        // A server that stops may deactivate what the adapter's own stop has ended already
        Activations current = activations;
        if (current != null) {
            current.stop(endpoints, spec);
        }
    }

    /** None: what is in doubt is the datasource's, and so is its recovery. */
    @Override
    public XAResource[] getXAResources(ActivationSpec[] specs) {
        return new XAResource[0];
    }

    @Override
    public Queue queue() {
        if (queue == null) {
            throw new IllegalStateException("TaskTube's resource adapter is not started");
        }
        return queue;
    }

    public String getDatasource() {
        return datasource;
    }

    public void setDatasource(String datasource) {
        this.datasource = datasource;
    }

    public String getNodeName() {
        return nodeName;
    }

    public void setNodeName(String nodeName) {
        this.nodeName = nodeName;
    }

    public String getMaxDataSize() {
        return maxDataSize;
    }

    public void setMaxDataSize(String maxDataSize) {
        this.maxDataSize = maxDataSize;
    }

    public String getPollInterval() {
        return pollInterval;
    }

    public void setPollInterval(String pollInterval) {
        this.pollInterval = pollInterval;
    }

    public String getNodeTimeout() {
        return nodeTimeout;
    }

    public void setNodeTimeout(String nodeTimeout) {
        this.nodeTimeout = nodeTimeout;
    }

    public String getCreateTables() {
        return createTables;
    }

    public void setCreateTables(String createTables) {
        this.createTables = createTables;
    }

    /** By what was configured: the specification asks that two adapters configured alike are equal. */
    @Override
    public boolean equals(Object other) {
        return other instanceof TaskTubeResourceAdapter that && properties().equals(that.properties());
    }

    @Override
    public int hashCode() {
        return properties().hashCode();
    }

    private List<String> properties() {
        return Arrays.asList(datasource, nodeName, maxDataSize, pollInterval, nodeTimeout, createTables);
    }
}
