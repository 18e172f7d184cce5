package org.tasktube.testing;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.arjuna.common.arjPropertyManager;
import com.arjuna.ats.internal.arjuna.objectstore.VolatileStore;
import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionSynchronizationRegistryImple;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.security.NamePrincipal;
import io.agroal.narayana.NarayanaTransactionIntegration;
import jakarta.transaction.RollbackException;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.tasktube.ra.JtaTransactions;

/** Real transactions without a server: WildFly's transaction manager, and pools that take part in its transactions. */
public final class Jta {

    private static final int CONNECTIONS = 60;

    public static final TransactionManager MANAGER = manager();
    public static final TransactionSynchronizationRegistry REGISTRY = new TransactionSynchronizationRegistryImple();
    public static final JtaTransactions TRANSACTIONS = new JtaTransactions(REGISTRY, () -> Optional.of(MANAGER));

    private Jta() {}

    /** With one resource there is nothing to recover: no log on the disk, and no port for others to ask at. */
    private static TransactionManager manager() {
        BeanPopulator.getDefaultInstance(ObjectStoreEnvironmentBean.class)
                .setObjectStoreType(VolatileStore.class.getName());
        arjPropertyManager.getCoordinatorEnvironmentBean().setTransactionStatusManagerEnable(false);
        return com.arjuna.ats.jta.TransactionManager.transactionManager();
    }

    /** Ends the thread's transaction; returns whether it committed. */
    public static boolean commits() throws Exception {
        try {
            MANAGER.commit();
            return true;
        } catch (RollbackException e) {
            return false;
        }
    }

    /** A pool of connections to the same database that take part in transactions. */
    public static AgroalDataSource pool(HikariDataSource database) {
        return pool(database, CONNECTIONS);
    }

    public static AgroalDataSource pool(HikariDataSource database, int connections) {
        try {
            return AgroalDataSource.from(new AgroalDataSourceConfigurationSupplier()
                    .connectionPoolConfiguration(pool -> pool.maxSize(connections)
                            .acquisitionTimeout(Duration.ofSeconds(2))
                            .transactionIntegration(new NarayanaTransactionIntegration(MANAGER, REGISTRY))
                            .connectionFactoryConfiguration(factory -> factory.jdbcUrl(database.getJdbcUrl())
                                    .principal(new NamePrincipal(database.getUsername())))));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
