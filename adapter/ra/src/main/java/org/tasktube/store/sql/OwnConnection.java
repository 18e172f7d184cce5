package org.tasktube.store.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * A connection that a thread of the adapter keeps for itself, so that applications that use up the pool cannot stop the
 * thread. Its waits for answers are limited. If the connection breaks, it is returned, and the next work
 * gets another one from the pool. Belongs to one thread.
 */
final class OwnConnection implements Connections, AutoCloseable {

    private final DataSource dataSource;
    private final Duration networkTimeout;
    private Connection connection;

    /** The former limit of the connection, which it has again when it is returned. */
    private int networkTimeoutBefore;

    OwnConnection(DataSource dataSource, Duration networkTimeout) {
        this.dataSource = dataSource;
        this.networkTimeout = networkTimeout;
    }

    @Override
    public <T> T lend(Work<T> work) throws SQLException {
        Connection lent = connected();
        boolean done = false;
        try {
            T result = Connections.onOrAborted(work, lent);
            done = true;
            return result;
        } finally {
            if (!done) {
                dropIfBroken();
            }
        }
    }

    private Connection connected() throws SQLException {
        if (connection == null) {
            Connection fresh = dataSource.getConnection();
            try {
                networkTimeoutBefore = networkTimeout(fresh);
                limit(fresh, Math.toIntExact(networkTimeout.toMillis()));
            } catch (SQLException | RuntimeException | Error e) {
                close(fresh);
                throw e;
            }
            connection = fresh;
        }
        return connection;
    }

    private static int networkTimeout(Connection fresh) throws SQLException {
        try {
            return fresh.getNetworkTimeout();
        } catch (SQLFeatureNotSupportedException e) {
            return 0;
        }
    }

    /**
     * Limits the wait for an answer. If the network loses the answer, the thread would otherwise wait as long as the
     * system's TCP tries.
     */
    private static void limit(Connection connection, int millis) throws SQLException {
        try {
            connection.setNetworkTimeout(Runnable::run, millis);
        } catch (SQLFeatureNotSupportedException e) {
            // An embedded H2 has no network
            return;
        } catch (SQLException e) {
            if (connection.isClosed()) {
                throw e;
            }
        }
    }

    private void dropIfBroken() {
        Connection suspected = connection;
        if (suspected != null && !isAlive(suspected)) {
            connection = null;
            close(suspected);
        }
    }

    private static boolean isAlive(Connection suspected) {
        try {
            return suspected.isValid(SECONDS_TO_SAY_IT_IS_ALIVE);
        } catch (SQLException | RuntimeException | Error e) {
            // A driver whose module was redeployed fails by Errors
            return false;
        }
    }

    private static void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException | RuntimeException | Error e) {
            // The connection is broken already, and the failure that is thrown says so
            return;
        }
    }

    /** Returns the connection to the pool, with its former limit. */
    @Override
    public void close() {
        Connection last = connection;
        connection = null;
        if (last != null) {
            try {
                limit(last, networkTimeoutBefore);
            } catch (SQLException | RuntimeException | Error e) {
                // A connection whose limit cannot be reset is broken
                close(last);
                return;
            }
            close(last);
        }
    }
}
