package org.tasktube.test;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.arjuna.common.arjPropertyManager;
import com.arjuna.ats.internal.arjuna.objectstore.VolatileStore;
import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionSynchronizationRegistryImple;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.narayana.NarayanaTransactionIntegration;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.BootstrapContext;
import jakarta.resource.spi.ConnectionEvent;
import jakarta.resource.spi.ConnectionEventListener;
import jakarta.resource.spi.ConnectionManager;
import jakarta.resource.spi.ConnectionRequestInfo;
import jakarta.resource.spi.ManagedConnection;
import jakarta.resource.spi.ManagedConnectionFactory;
import jakarta.resource.spi.XATerminator;
import jakarta.resource.spi.work.ExecutionContext;
import jakarta.resource.spi.work.HintsContext;
import jakarta.resource.spi.work.Work;
import jakarta.resource.spi.work.WorkContext;
import jakarta.resource.spi.work.WorkListener;
import jakarta.resource.spi.work.WorkManager;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.Timer;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.outbound.TubeManagedConnectionFactory;
import org.tasktube.ra.TaskTubeResourceAdapter;

/** What a server is to the adapter: its threads, its transactions, its datasource, and its connections. */
final class KitServer implements BootstrapContext, WorkManager, ConnectionManager {

    static final TransactionManager TRANSACTIONS = transactions();

    private static final TransactionSynchronizationRegistry REGISTRY = new TransactionSynchronizationRegistryImple();
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int CONNECTIONS = 50;
    private static final AtomicInteger RUNNING = new AtomicInteger();
    private static final long serialVersionUID = 1;

    private final transient Adapter adapter = new Adapter();
    private final transient AgroalDataSource database;
    private final transient Connection keeper;
    private final transient Timer timer = new Timer("tasktube-kit", true);
    private final transient TubeConnectionFactory tubes;

    /** Starts the adapter on a database of its own, and returns when it is RUNNING. */
    KitServer() throws SQLException, ResourceException {
        database = pool("jdbc:h2:mem:" + UUID.randomUUID());
        // H2 ends a database in memory with its last connection
        keeper = database.getConnection();
        try (Statement clock = keeper.createStatement()) {
            clock.execute("CREATE ALIAS tasktube_now FOR '" + KitClock.class.getName() + ".now'");
        }
        adapter.setNodeName("test");
        adapter.start(this);
        RUNNING.incrementAndGet();
        TubeManagedConnectionFactory factory = new TubeManagedConnectionFactory();
        factory.setResourceAdapter(adapter);
        tubes = (TubeConnectionFactory) factory.createConnectionFactory(this);
        try (TubeConnection connection = tubes.getConnection()) {
            if (!connection.awaitRunning(PATIENCE)) {
                String state = "the adapter is " + connection.state() + " after " + PATIENCE.toSeconds()
                        + " s, not RUNNING; the log has why";
                stop();
                throw new IllegalStateException(state);
            }
        }
    }

    /** With one resource there is nothing to recover: no log on the disk, and no port for others to ask at. */
    private static TransactionManager transactions() {
        BeanPopulator.getDefaultInstance(ObjectStoreEnvironmentBean.class)
                .setObjectStoreType(VolatileStore.class.getName());
        arjPropertyManager.getCoordinatorEnvironmentBean().setTransactionStatusManagerEnable(false);
        return com.arjuna.ats.jta.TransactionManager.transactionManager();
    }

    private static AgroalDataSource pool(String url) throws SQLException {
        return AgroalDataSource.from(new AgroalDataSourceConfigurationSupplier()
                .connectionPoolConfiguration(pool -> pool.maxSize(CONNECTIONS)
                        .acquisitionTimeout(Duration.ofSeconds(10))
                        .transactionIntegration(new NarayanaTransactionIntegration(TRANSACTIONS, REGISTRY))
                        .connectionFactoryConfiguration(factory -> factory.jdbcUrl(url))));
    }

    TaskTubeResourceAdapter adapter() {
        return adapter;
    }

    DataSource database() {
        return database;
    }

    TubeConnectionFactory tubes() {
        return tubes;
    }

    void stop() throws SQLException {
        if (RUNNING.decrementAndGet() == 0) {
            KitClock.reset();
        }
        adapter.stop();
        timer.cancel();
        keeper.close();
        database.close();
    }

    /** The adapter where there is no JNDI. */
    private final class Adapter extends TaskTubeResourceAdapter {

        private static final long serialVersionUID = 1;

        @Override
        protected Object lookup(String jndiName) {
            return database;
        }

        @Override
        protected Optional<TransactionManager> transactionManager() {
            return Optional.of(TRANSACTIONS);
        }
    }

    /** Has no pool: a managed connection of TaskTube's costs nothing. */
    @Override
    public Object allocateConnection(ManagedConnectionFactory factory, ConnectionRequestInfo info)
            throws ResourceException {
        ManagedConnection connection = factory.createManagedConnection(null, info);
        connection.addConnectionEventListener(new Closing(connection));
        return connection.getConnection(null, info);
    }

    private record Closing(ManagedConnection connection) implements ConnectionEventListener {

        @Override
        public void connectionClosed(ConnectionEvent event) {
            try {
                connection.destroy();
            } catch (ResourceException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void localTransactionStarted(ConnectionEvent event) {
            // The transactions are the datasource's
        }

        @Override
        public void localTransactionCommitted(ConnectionEvent event) {
            // The transactions are the datasource's
        }

        @Override
        public void localTransactionRolledback(ConnectionEvent event) {
            // The transactions are the datasource's
        }

        @Override
        public void connectionErrorOccurred(ConnectionEvent event) {
            connectionClosed(event);
        }
    }

    /** A thread for each work: only the adapter asks for them, and ends them at its stop. */
    @Override
    public void scheduleWork(Work work) {
        Thread thread = new Thread(work, "tasktube-work");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public WorkManager getWorkManager() {
        return this;
    }

    @Override
    public Timer createTimer() {
        return timer;
    }

    @Override
    public TransactionSynchronizationRegistry getTransactionSynchronizationRegistry() {
        return REGISTRY;
    }

    @Override
    public boolean isContextSupported(Class<? extends WorkContext> type) {
        return type == HintsContext.class;
    }

    @Override
    public XATerminator getXATerminator() {
        throw notUsed();
    }

    @Override
    public void doWork(Work work) {
        throw notUsed();
    }

    @Override
    public void doWork(Work work, long timeout, ExecutionContext context, WorkListener listener) {
        throw notUsed();
    }

    @Override
    public long startWork(Work work) {
        throw notUsed();
    }

    @Override
    public long startWork(Work work, long timeout, ExecutionContext context, WorkListener listener) {
        throw notUsed();
    }

    @Override
    public void scheduleWork(Work work, long timeout, ExecutionContext context, WorkListener listener) {
        throw notUsed();
    }

    private static UnsupportedOperationException notUsed() {
        return new UnsupportedOperationException("the adapter does not use this");
    }
}
