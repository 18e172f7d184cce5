package org.tasktube.ra;

import jakarta.ejb.ConcurrentAccessException;
import jakarta.ejb.EJBAccessException;
import jakarta.ejb.EJBTransactionRequiredException;
import jakarta.ejb.NoSuchEJBException;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.ActivationSpec;
import jakarta.resource.spi.BootstrapContext;
import jakarta.resource.spi.ResourceAdapter;
import jakarta.resource.spi.ResourceAdapterInternalException;
import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.sql.DataSource;
import javax.transaction.xa.XAResource;
import org.tasktube.TaskFailure;
import org.tasktube.inflow.Activations;
import org.tasktube.inflow.Refusal;
import org.tasktube.jca.LongRunning;
import org.tasktube.jca.Starter;
import org.tasktube.metrics.GraphitePush;
import org.tasktube.metrics.GraphiteSettings;
import org.tasktube.metrics.NumbersSource;
import org.tasktube.node.Node;
import org.tasktube.node.NodeSource;
import org.tasktube.node.StoreOpener;
import org.tasktube.node.admin.Administration;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.sql.OpenStore;
import org.tasktube.store.sql.SqlStores;
import org.tasktube.tracing.ServerTracing;

/** TaskTube in a server. Neither start nor stop waits for the database, which may be unavailable at both. */
public class TaskTubeResourceAdapter extends AdapterProperties implements ResourceAdapter, NodeSource {

    /**
     * The database connections that the adapter needs besides the beans': for the heartbeat, for maintenance, and for
     * applications.
     */
    private static final int CONNECTIONS_BESIDES = 3;

    private static final Duration ASK_AGAIN = Duration.ofSeconds(5);

    private static final long serialVersionUID = 1;

    private transient Configuration configuration;
    private transient Node node;
    private transient BootstrapTimer timer;
    private transient Activations activations;
    private transient GraphitePush graphite;
    private transient NodeNumbers numbers;
    private transient Starter starter;
    private final transient List<LongRunning> threads = new CopyOnWriteArrayList<>();

    /**
     * Reads the configuration and starts the adapter's threads. Another thread opens the database.
     *
     * @throws ResourceAdapterInternalException naming each property that is unreadable or out of its bounds
     */
    @Override
    public void start(BootstrapContext bootstrap) throws ResourceAdapterInternalException {
        try {
            configuration = Configuration.read(this);
            TransactionSynchronizationRegistry registry = bootstrap.getTransactionSynchronizationRegistry();
            JtaTransactions transactions =
                    new JtaTransactions(registry, this::transactionManager, configuration.datasource());
            SqlStores stores = new SqlStores(configuration.schema(), transactions);
            node = new Node(
                    configuration.settings(),
                    transactions,
                    new Opener(stores),
                    ServerTracing.find(),
                    Administration::new);
            timer = new BootstrapTimer(bootstrap.createTimer());
            node.fallBackTo(timer);
            activations = new Activations(
                    node,
                    bootstrap.getWorkManager(),
                    new BeanContainer(registry, this::refusal, this::transactionManager, transactions));
            starter = new Starter(bootstrap.getWorkManager());
            node.deliveryLines().attach();
            node.threads().forEach(this::askForThread);
            showNumbers();
        } catch (ResourceException e) {
            throw new ResourceAdapterInternalException("TaskTube does not start: " + e.getMessage(), e);
        }
    }

    /**
     * Requests a thread without waiting for it. While its work manager has no free thread, WildFly blocks the request,
     * and would block the boot.
     */
    private void askForThread(Runnable work) {
        Starter asking = starter;
        LongRunning asked = asking.start(work, why -> {
            Log.LOG.noThread(ASK_AGAIN, why);
            asking.later(ASK_AGAIN, () -> askForThread(work));
        });
        threads.add(asked);
    }

    private void showNumbers() {
        numbers = new NodeNumbers(node);
        configuration.graphite().ifPresent(this::push);
    }

    /** Starts the push of statistics. If the server gives no thread for it, the adapter starts without. */
    private void push(GraphiteSettings settings) {
        graphite = new GraphitePush(settings, node::statistics);
        threads.add(starter.start(graphite, Log.LOG::noThreadForGraphite));
    }

    private OpenStore openStore(SqlStores stores, Runnable onFailure) throws StoreUnavailableException {
        try {
            Object found = lookup(configuration.datasource());
            if (found instanceof DataSource source) {
                return stores.open(source, onFailure).at(configuration.datasource());
            }
            throw new StoreUnavailableException(configuration.datasource() + " is no datasource but of class "
                    + (found == null ? "null" : found.getClass().getName())
                    + "; name a datasource in the adapter's property datasource");
        } catch (NamingException e) {
            throw new StoreUnavailableException(
                    "datasource " + configuration.datasource() + " does not exist (" + e.getMessage()
                            + "); define it, or name another in the adapter's property datasource",
                    e);
        }
    }

    /**
     * Returns what the server has under the name of a datasource. The name comes from the server's administrator, who
     * can run code in the server anyway.
     *
     * @throws NamingException if there is nothing of that name
     */
    @SuppressWarnings("BanJNDI")
    protected Object lookup(String jndiName) throws NamingException {
        return InitialContext.doLookup(jndiName);
    }

    @Override
    public void stop() {
        if (graphite != null) {
            graphite.end();
            graphite = null;
        }
        activations.stopAll();
        node.deliveryLines().detach();
        threads.forEach(LongRunning::cancel);
        threads.clear();
        starter.end();
        starter = null;
        node.stop();
        timer.cancel();
        activations = null;
        node = null;
        timer = null;
        numbers = null;
    }

    /**
     * Activates a bean. Never throws: after an exception WildFly stays suspended at its next {@code :resume}, and ends
     * at its next {@code :reload}. A bean with a wrong configuration is activated, gets no tasks, and is logged as an
     * error.
     */
    @Override
    @SuppressWarnings("CatchAndPrintStackTrace")
    public void endpointActivation(MessageEndpointFactory endpoints, ActivationSpec spec) {
        Activations current = activations;
        if (current == null) {
            // A server may keep an activation beyond the adapter's stop
            return;
        }
        try {
            current.start(endpoints, spec);
            checkPool(current.connections() + CONNECTIONS_BESIDES);
        } catch (Throwable e) {
            String why = e instanceof ResourceException ? e.getMessage() : TaskFailure.summary(e);
            Log.LOG.notFed(nameOf(endpoints), why);
            current.refused(endpoints, spec, nameOf(endpoints), why);
        }
    }

    private static String nameOf(MessageEndpointFactory endpoints) {
        try {
            return Activations.nameOf(endpoints);
        } catch (RuntimeException | Error e) {
            return "(without a name)";
        }
    }

    /** Opens the database that the configuration names. */
    private final class Opener implements StoreOpener {

        private final SqlStores stores;

        Opener(SqlStores stores) {
            this.stores = stores;
        }

        @Override
        public OpenStore open(Runnable onFailure) throws StoreUnavailableException {
            return openStore(stores, onFailure);
        }

        @Override
        public void flushPool() {
            TaskTubeResourceAdapter.this.flushPool(configuration.datasource());
        }
    }

    private void checkPool(int needed) {
        OptionalInt size = poolSize(configuration.datasource());
        if (size.isPresent() && size.getAsInt() < needed) {
            Log.LOG.poolTooSmall(configuration.datasource(), size.getAsInt(), needed);
        }
    }

    /** Returns the number of connections that the datasource's pool can have; empty if this server does not give it. */
    protected OptionalInt poolSize(String jndiName) {
        return OptionalInt.empty();
    }

    /**
     * Closes the idle connections of the datasource's pool, because one was lost. Does nothing unless this server needs
     * it.
     *
     * @throws RuntimeException if the server has refused it
     */
    protected void flushPool(String jndiName) {}

    /**
     * Returns the meaning of a server's exception for a delivery; empty unless it means that no bean was called. These
     * are the exceptions that the specification has for a refused call. The adapter of a server may know more.
     */
    protected Optional<Refusal> refusal(Throwable thrown) {
        boolean isRefused = thrown instanceof EJBAccessException
                || thrown instanceof NoSuchEJBException
                || thrown instanceof ConcurrentAccessException
                || thrown instanceof EJBTransactionRequiredException;
        return isRefused ? Optional.of(Refusal.NO_BEAN) : Optional.empty();
    }

    /** Returns the server's transaction manager; empty if this server does not give it. */
    protected Optional<TransactionManager> transactionManager() {
        return Optional.empty();
    }

    @Override
    public void endpointDeactivation(MessageEndpointFactory endpoints, ActivationSpec spec) {
        // A server that stops may deactivate a bean after the adapter's own stop has ended it
        Activations current = activations;
        if (current != null) {
            current.stop(endpoints, spec);
        }
    }

    /** Returns none: transactions in doubt are the datasource's, and so is their recovery. */
    @Override
    public XAResource[] getXAResources(ActivationSpec[] specs) {
        return new XAResource[0];
    }

    /** Returns the numbers of the tubes, for the management of this server. */
    protected NumbersSource numbers() {
        if (numbers == null) {
            throw notStarted();
        }
        return numbers;
    }

    @Override
    public Node node() {
        if (node == null) {
            throw notStarted();
        }
        return node;
    }

    private static IllegalStateException notStarted() {
        return new IllegalStateException("TaskTube's resource adapter is not started; start it first");
    }
}
