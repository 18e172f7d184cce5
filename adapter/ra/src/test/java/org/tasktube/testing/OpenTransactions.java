package org.tasktube.testing;

import java.io.PrintWriter;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.tasktube.store.OpenStore;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.TaskStore;
import org.tasktube.store.jpa.JpaStores;

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
        open = JpaStores.open(source, true, () -> {});
    }

    public TaskStore store() {
        return open.tasks();
    }

    public void begin() throws SQLException {
        source.begin();
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
    private static final class OneConnection implements DataSource {

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
            if (transaction == null) {
                return pool.getConnection();
            }
            Connection own = transaction;
            return (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {Connection.class},
                    (proxy, method, arguments) ->
                            method.getName().equals("close") ? null : method.invoke(own, arguments));
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }

        @Override
        public PrintWriter getLogWriter() {
            return null;
        }

        @Override
        public void setLogWriter(PrintWriter out) {}

        @Override
        public void setLoginTimeout(int seconds) {}

        @Override
        public int getLoginTimeout() {
            return 0;
        }

        @Override
        public Logger getParentLogger() throws SQLFeatureNotSupportedException {
            throw new SQLFeatureNotSupportedException();
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            throw new SQLFeatureNotSupportedException();
        }

        @Override
        public boolean isWrapperFor(Class<?> type) {
            return false;
        }
    }
}
