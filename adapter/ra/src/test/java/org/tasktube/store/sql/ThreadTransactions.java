package org.tasktube.store.sql;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.tasktube.testing.ConnectionSource;
import org.tasktube.testing.Proxies;

/**
 * A datasource that gives each thread the connection of its own transaction, as in JTA, and one of the pool outside
 * one.
 */
final class ThreadTransactions {

    /** One test at a time plays with it. */
    private static final ThreadLocal<Connection> TRANSACTION = new ThreadLocal<>();

    private final DataSource pool;

    ThreadTransactions(DataSource pool) {
        this.pool = pool;
    }

    DataSource dataSource() {
        return (ConnectionSource) () -> {
            Connection own = TRANSACTION.get();
            return own == null ? pool.getConnection() : Proxies.leftOpen(own);
        };
    }

    void begin() throws SQLException {
        Connection connection = pool.getConnection();
        connection.setAutoCommit(false);
        TRANSACTION.set(connection);
    }

    void end(boolean commit) throws SQLException {
        Connection connection = TRANSACTION.get();
        TRANSACTION.remove();
        try (connection) {
            if (commit) {
                connection.commit();
            } else {
                connection.rollback();
            }
            connection.setAutoCommit(true);
        }
    }
}
