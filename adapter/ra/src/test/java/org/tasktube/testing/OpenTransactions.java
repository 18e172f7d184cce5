package org.tasktube.testing;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.sql.OpenStore;
import org.tasktube.store.sql.Registry;
import org.tasktube.store.sql.SqlStores;
import org.tasktube.store.sql.TaskStore;

/**
 * A store that is used inside one transaction after the other, as in JTA: each connection that it gets is the
 * transaction's own.
 */
public final class OpenTransactions implements AutoCloseable {

    private final OneConnection source;
    private final OpenStore open;

    /** Opens the store, before any transaction begins, as in a server. */
    public OpenTransactions(DataSource database) throws StoreUnavailableException {
        source = new OneConnection(database);
        open = SqlStores.open(source, true, () -> {});
    }

    public TaskStore store() {
        return open.tasks();
    }

    public Registry registry() {
        return open.registry();
    }

    public void begin() throws SQLException {
        source.begin();
    }

    /** Sends a statement of the test's own in the transaction. */
    public void execute(String sql) throws SQLException {
        try (Statement statement = source.transaction.createStatement()) {
            statement.execute(sql);
        }
    }

    public void commit() throws SQLException {
        source.transaction.commit();
        source.end();
    }

    public void rollback() throws SQLException {
        source.transaction.rollback();
        source.end();
    }

    @Override
    public void close() throws SQLException {
        if (source.transaction != null) {
            rollback();
        }
        open.close();
    }

    /** Gives connections of the pool, and in a transaction always the same one, which close() leaves open. */
    private static final class OneConnection implements ConnectionSource {

        private final DataSource pool;
        private Connection transaction;

        OneConnection(DataSource pool) {
            this.pool = pool;
        }

        void begin() throws SQLException {
            transaction = pool.getConnection();
            transaction.setAutoCommit(false);
        }

        void end() throws SQLException {
            transaction.setAutoCommit(true);
            transaction.close();
            transaction = null;
        }

        @Override
        public Connection getConnection() throws SQLException {
            return transaction == null ? pool.getConnection() : Proxies.leftOpen(transaction);
        }
    }
}
