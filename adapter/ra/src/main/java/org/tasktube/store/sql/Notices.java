package org.tasktube.store.sql;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.tasktube.StoreException;
import org.tasktube.TaskFailure;

/**
 * Short texts between the servers of one database, without a row. A text reaches all servers that listen, the sender
 * included, within milliseconds, or it is lost: between two servers can be a pool that drops it.
 *
 * <p>JDBC has no notifications, and the adapter does not contain PostgreSQL's driver, so their methods are found in the
 * driver of the datasource.
 */
public final class Notices {

    /** The longest text, in bytes. */
    public static final int MOST_BYTES = 7_000;

    private static final String DRIVERS_CONNECTION = "org.postgresql.PGConnection";

    private static final String LISTENS = "listen for notices of other servers";

    private final Jdbc jdbc;
    private final Statements sql;
    private final DataSource dataSource;
    private final String channel;

    /** @param schema the schema of the tables: each has a channel of its own */
    Notices(Jdbc jdbc, Statements sql, DataSource dataSource, String schema) {
        this.jdbc = jdbc;
        this.sql = sql;
        this.dataSource = dataSource;
        UUID name = UUID.nameUUIDFromBytes(schema.getBytes(StandardCharsets.UTF_8));
        this.channel = "tasktube_" + name.toString().replace("-", "");
    }

    /** Sends a text in a transaction of its own, whose commit does not wait for the disk. */
    public void send(String text) {
        jdbc.single(
                "notify other servers",
                on -> on.list(sql.get("notify"), row -> true, Parameters.of("channel", channel, "text", text)));
    }

    /**
     * Listens on a connection of its own, until that is closed.
     *
     * @param answer the longest wait for an answer of the database
     * @throws org.tasktube.StoreException if there is no connection, or its driver has no notifications
     */
    public Listening listen(Duration answer) {
        try {
            Connection connection = dataSource.getConnection();
            try {
                return new Listening(connection, channel, Math.toIntExact(answer.toMillis()));
            } catch (SQLException | ReflectiveOperationException | RuntimeException | Error e) {
                end(connection);
                throw e;
            }
        } catch (SQLException | ReflectiveOperationException e) {
            throw failed(e);
        }
    }

    /** Ends a connection that may still listen, or has another network timeout: no other may get it from the pool. */
    private static void end(Connection connection) {
        try (connection) {
            connection.abort(Runnable::run);
        } catch (SQLException | RuntimeException e) {
            // It has ended already
            return;
        }
    }

    private static StoreException failed(Exception e) {
        return new StoreException("the database failed to " + LISTENS + ": " + TaskFailure.summary(e), e);
    }

    /** Returns the driver's own type of connections. */
    static Class<?> driversConnection(Connection connection) throws SQLException, ClassNotFoundException {
        // Pools wrap a connection, but lend the driver's own description of the database
        DatabaseMetaData described = connection.getMetaData();
        ClassLoader driver = described.unwrap(DatabaseMetaData.class).getClass().getClassLoader();
        return Class.forName(DRIVERS_CONNECTION, true, driver);
    }

    /** A connection that listens. Belongs to one thread. */
    public static final class Listening implements AutoCloseable {

        private static final String NOTIFICATION = "org.postgresql.PGNotification";

        private final Connection connection;
        private final int networkTimeoutBefore;
        private final Object drivers;
        private final Method getNotifications;
        private final Method getParameter;

        Listening(Connection connection, String channel, int answer) throws SQLException, ReflectiveOperationException {
            this.connection = connection;
            Class<?> type = driversConnection(connection);
            ClassLoader driver = type.getClassLoader();
            this.drivers = connection.unwrap(type);
            this.getNotifications = type.getMethod("getNotifications", int.class);
            this.getParameter = Class.forName(NOTIFICATION, true, driver).getMethod("getParameter");
            this.networkTimeoutBefore = connection.getNetworkTimeout();
            connection.setNetworkTimeout(Runnable::run, answer);
            execute("LISTEN " + channel);
        }

        private void execute(String statement) throws SQLException {
            try (Statement listen = connection.createStatement()) {
                listen.execute(statement);
            }
        }

        /**
         * Waits for texts. Returns those that have come; none after the time limit. Sends nothing.
         *
         * @throws org.tasktube.StoreException if the connection has broken
         */
        public List<String> await(Duration timeout) {
            try {
                Object[] found = (Object[]) getNotifications.invoke(drivers, Math.toIntExact(timeout.toMillis()));
                List<String> texts = new ArrayList<>();
                for (int i = 0; found != null && i < found.length; i++) {
                    texts.add((String) getParameter.invoke(found[i]));
                }
                return texts;
            } catch (InvocationTargetException e) {
                throw failed(e.getCause() instanceof Exception cause ? cause : e);
            } catch (ReflectiveOperationException e) {
                throw failed(e);
            }
        }

        /** Returns the connection to the pool as it was, or ends it. */
        @Override
        public void close() {
            try {
                execute("UNLISTEN *");
                connection.setNetworkTimeout(Runnable::run, networkTimeoutBefore);
                connection.close();
            } catch (SQLException | RuntimeException e) {
                end(connection);
            }
        }
    }
}
