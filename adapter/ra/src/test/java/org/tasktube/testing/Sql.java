package org.tasktube.testing;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** What a test asks a database beside the adapter: each statement on a connection of its own. */
public record Sql(DataSource database) {

    public void execute(String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Returns the one number that a query finds. */
    public long number(String query) throws SQLException {
        try (Connection connection = database.getConnection()) {
            return number(connection, query);
        }
    }

    /** Returns all numbers that a query finds, in its order. */
    public List<Long> numbers(String query) throws SQLException {
        List<Long> numbers = new ArrayList<>();
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                numbers.add(rows.getLong(1));
            }
        }
        return numbers;
    }

    /** Returns the one number that a query finds in the transaction of a connection. */
    public static long number(Connection on, String query) throws SQLException {
        try (Statement statement = on.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }
}
