package org.tasktube.testing;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Reads a PostgreSQL over a connection of its own. */
public final class Watcher implements AutoCloseable {

    private final HikariDataSource database;
    private final Connection connection;

    public Watcher(HikariDataSource database) throws SQLException {
        this.database = database;
        connection = DriverManager.getConnection(database.getJdbcUrl(), database.getUsername(), "");
    }

    /** How many deadlocks there were. Ends the pool's connections first: a process reports its deadlocks at its end. */
    public long deadlocksOfAllOthers() throws SQLException {
        database.getHikariPoolMXBean().softEvictConnections();
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
