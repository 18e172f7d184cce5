package org.tasktube.ra;

import jakarta.resource.ResourceException;
import jakarta.resource.spi.ActivationSpec;
import jakarta.resource.spi.BootstrapContext;
import jakarta.resource.spi.ConfigProperty;
import jakarta.resource.spi.ResourceAdapter;
import jakarta.resource.spi.ResourceAdapterInternalException;
import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import jakarta.resource.spi.work.WorkException;
import jakarta.resource.spi.work.WorkManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.io.Serializable;
import java.time.InstantSource;
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
import org.tasktube.metrics.GraphitePush;
import org.tasktube.metrics.GraphiteSettings;
import org.tasktube.queue.Queue;
import org.tasktube.queue.QueueSource;
import org.tasktube.store.OpenStore;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.jpa.JpaStores;
import org.tasktube.store.memory.MemoryTaskStore;

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
    static final String DEFAULT_SESSION_TTR = "0s";
    static final String DEFAULT_TEMPORARY_MAX_TASKS = "100000";
    static final String DEFAULT_TEMPORARY_MAX_BYTES = "67108864";
    static final String DEFAULT_GRAPHITE_PORT = "2003";
    static final String DEFAULT_GRAPHITE_PROTOCOL = "tcp";
    static final String DEFAULT_GRAPHITE_INTERVAL = "10s";

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

    @ConfigProperty(
            defaultValue = DEFAULT_SESSION_TTR,
            description =
                    "How long a session without a connection may be taken up again; then what it held is released")
    private String sessionTtr = DEFAULT_SESSION_TTR;

    @ConfigProperty(
            defaultValue = DEFAULT_TEMPORARY_MAX_TASKS,
            description = "The most tasks in all temporary tubes of this server together")
    private String temporaryMaxTasks = DEFAULT_TEMPORARY_MAX_TASKS;

    @ConfigProperty(
            defaultValue = DEFAULT_TEMPORARY_MAX_BYTES,
            description = "The most bytes of heap for the tasks of all temporary tubes of this server together")
    private String temporaryMaxBytes = DEFAULT_TEMPORARY_MAX_BYTES;

    @ConfigProperty(
            defaultValue = "",
            description =
                    "The host that statistics are sent to, by Graphite's plaintext protocol; without it, none are")
    private String graphiteHost = "";

    @ConfigProperty(defaultValue = DEFAULT_GRAPHITE_PORT, description = "The port of Graphite's plaintext protocol")
    private String graphitePort = DEFAULT_GRAPHITE_PORT;

    @ConfigProperty(defaultValue = DEFAULT_GRAPHITE_PROTOCOL, description = "What carries it: tcp or udp")
    private String graphiteProtocol = DEFAULT_GRAPHITE_PROTOCOL;

    @ConfigProperty(
            defaultValue = "",
            description = "What names in Graphite begin with; without it, tasktube and the server's name")
    private String graphitePrefix = "";

    @ConfigProperty(defaultValue = DEFAULT_GRAPHITE_INTERVAL, description = "How often statistics are sent to Graphite")
    private String graphiteInterval = DEFAULT_GRAPHITE_INTERVAL;

    private transient Configuration configuration;
    private transient Queue queue;
    private transient BootstrapTimer timer;
    private transient Activations activations;
    private transient GraphitePush graphite;

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
            MemoryTaskStore memory = new MemoryTaskStore(
                    transactions,
                    configuration.temporaryMaxTasks(),
                    configuration.temporaryMaxBytes(),
                    InstantSource.system());
            queue = new Queue(configuration.settings(), transactions, memory, this::openStore);
            timer = new BootstrapTimer(bootstrap.createTimer(), queue::sweepSoon);
            queue.fallBackTo(timer);
            activations =
                    new Activations(queue, bootstrap.getWorkManager(), new BeanContainer(registry, this::isRefusal));
            bootstrap.getWorkManager().scheduleWork(new LongRunning(queue.upkeep()));
            configuration.graphite().ifPresent(settings -> push(settings, bootstrap.getWorkManager()));
        } catch (ResourceException e) {
            throw new ResourceAdapterInternalException("TaskTube does not start: " + e.getMessage(), e);
        }
    }

    /** Statistics are not worth a failed start. */
    private void push(GraphiteSettings settings, WorkManager threads) {
        graphite = new GraphitePush(settings, queue::statistics);
        try {
            threads.scheduleWork(new LongRunning(graphite));
        } catch (WorkException e) {
            Log.LOG.noThreadForGraphite(e.getMessage());
        }
    }

    /** The name comes from who configures the server, who can run code in it anyway. */
    @SuppressWarnings("BanJNDI")
    private OpenStore openStore(Runnable onFailure) throws StoreUnavailableException {
        try {
            DataSource found = InitialContext.doLookup(configuration.datasource());
            return JpaStores.open(found, configuration.createTables(), onFailure);
        } catch (NamingException e) {
            throw new StoreUnavailableException(
                    "there is no datasource " + configuration.datasource() + " (" + e.getMessage()
                            + "); define it, or name another in the adapter's property datasource",
                    e);
        }
    }

    @Override
    public void stop() {
        if (graphite != null) {
            graphite.end();
            graphite = null;
        }
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

    public String getSessionTtr() {
        return sessionTtr;
    }

    public void setSessionTtr(String sessionTtr) {
        this.sessionTtr = sessionTtr;
    }

    public String getTemporaryMaxTasks() {
        return temporaryMaxTasks;
    }

    public void setTemporaryMaxTasks(String temporaryMaxTasks) {
        this.temporaryMaxTasks = temporaryMaxTasks;
    }

    public String getTemporaryMaxBytes() {
        return temporaryMaxBytes;
    }

    public void setTemporaryMaxBytes(String temporaryMaxBytes) {
        this.temporaryMaxBytes = temporaryMaxBytes;
    }

    public String getGraphiteHost() {
        return graphiteHost;
    }

    public void setGraphiteHost(String graphiteHost) {
        this.graphiteHost = graphiteHost;
    }

    public String getGraphitePort() {
        return graphitePort;
    }

    public void setGraphitePort(String graphitePort) {
        this.graphitePort = graphitePort;
    }

    public String getGraphiteProtocol() {
        return graphiteProtocol;
    }

    public void setGraphiteProtocol(String graphiteProtocol) {
        this.graphiteProtocol = graphiteProtocol;
    }

    public String getGraphitePrefix() {
        return graphitePrefix;
    }

    public void setGraphitePrefix(String graphitePrefix) {
        this.graphitePrefix = graphitePrefix;
    }

    public String getGraphiteInterval() {
        return graphiteInterval;
    }

    public void setGraphiteInterval(String graphiteInterval) {
        this.graphiteInterval = graphiteInterval;
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
        return Arrays.asList(
                datasource,
                nodeName,
                maxDataSize,
                pollInterval,
                nodeTimeout,
                createTables,
                sessionTtr,
                temporaryMaxTasks,
                temporaryMaxBytes,
                graphiteHost,
                graphitePort,
                graphiteProtocol,
                graphitePrefix,
                graphiteInterval);
    }
}
