package org.tasktube.testing;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Reads a PostgreSQL over a connection of its own. */
public final class Watcher implements AutoCloseable {

    private final Connection connection;

    public Watcher(String url) throws SQLException {
        connection = DriverManager.getConnection(url, "postgres", "");
    }

    /** How many deadlocks there were, once all others have disconnected: a process reports its deadlocks at its end. */
    public long deadlocksOfAllOthers() throws SQLException {
        Eventually.holds(
                () -> number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()") == 1,
                "the others have disconnected");
        return number("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()");
    }

    /** The one number that a query returns. */
    public long number(String query) {
        try (PreparedStatement statement = connection.prepareStatement(query);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(query, e);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
