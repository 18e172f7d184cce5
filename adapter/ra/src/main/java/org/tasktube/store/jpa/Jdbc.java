package org.tasktube.store.jpa;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.tasktube.StoreException;
import org.tasktube.TaskState;

/**
 * Statements on the connection that the datasource gives: in a JTA transaction that is the transaction's own, outside
 * one a fresh one, which is closed when the work is done.
 */
final class Jdbc {

    private final DataSource dataSource;

    Jdbc(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    @FunctionalInterface
    interface Work<T> {
        T on(Statement statement) throws SQLException;
    }

    @FunctionalInterface
    interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** Work of one statement, which needs no transaction of its own to be atomic. */
    <T> T single(String what, Work<T> work) {
        try (Connection connection = dataSource.getConnection()) {
            return work.on(new Statement(connection));
        } catch (SQLException e) {
            throw failed(what, e);
        }
    }

    /** Work of several statements: part of the transaction that there is, else in one of its own. */
    <T> T atomic(String what, Work<T> work) {
        try (Connection connection = dataSource.getConnection()) {
            return connection.getAutoCommit() ? inOwnTransaction(connection, work) : work.on(new Statement(connection));
        } catch (SQLException e) {
            throw failed(what, e);
        }
    }

    private static <T> T inOwnTransaction(Connection connection, Work<T> work) throws SQLException {
        connection.setAutoCommit(false);
        boolean done = false;
        try {
            T result = work.on(new Statement(connection));
            connection.commit();
            done = true;
            return result;
        } finally {
            if (!done) {
                rollback(connection);
            }
            connection.setAutoCommit(true);
        }
    }

    /** A connection that cannot even roll back is broken: the first failure is on its way up and says why. */
    private static void rollback(Connection connection) throws SQLException {
        if (!connection.isClosed()) {
            connection.rollback();
        }
    }

    static StoreException failed(String what, SQLException e) {
        return new StoreException(
                "the database failed to " + what + ": " + e.getMessage() + " (SQL state " + e.getSQLState() + ")", e);
    }

    /** Statements on one connection. Arguments that may be null stand in a CAST, which gives them their type. */
    record Statement(Connection connection) {

        int update(String sql, Object... arguments) throws SQLException {
            try (PreparedStatement statement = prepare(sql, arguments)) {
                return statement.executeUpdate();
            }
        }

        <T> List<T> list(String sql, Row<T> row, Object... arguments) throws SQLException {
            try (PreparedStatement statement = prepare(sql, arguments);
                    ResultSet rows = statement.executeQuery()) {
                List<T> list = new ArrayList<>();
                while (rows.next()) {
                    list.add(row.read(rows));
                }
                return list;
            }
        }

        <T> Optional<T> first(String sql, Row<T> row, Object... arguments) throws SQLException {
            try (PreparedStatement statement = prepare(sql, arguments);
                    ResultSet rows = statement.executeQuery()) {
                return rows.next() ? Optional.of(row.read(rows)) : Optional.empty();
            }
        }

        private PreparedStatement prepare(String sql, Object... arguments) throws SQLException {
            PreparedStatement statement = connection.prepareStatement(sql);
            try {
                for (int i = 0; i < arguments.length; i++) {
                    bind(statement, i + 1, arguments[i]);
                }
                return statement;
            } catch (SQLException e) {
                statement.close();
                throw e;
            }
        }

        private void bind(PreparedStatement statement, int index, Object argument) throws SQLException {
            if (argument == null) {
                statement.setNull(index, Types.NULL);
            } else if (argument instanceof Long number) {
                statement.setLong(index, number);
            } else if (argument instanceof Integer number) {
                statement.setInt(index, number);
            } else if (argument instanceof String text) {
                statement.setString(index, text);
            } else if (argument instanceof byte[] bytes) {
                statement.setBytes(index, bytes);
            } else if (argument instanceof TaskState state) {
                statement.setString(index, String.valueOf(state.letter()));
            } else if (argument instanceof Collection<?> numbers) {
                statement.setArray(index, connection.createArrayOf("bigint", numbers.toArray()));
            } else {
                statement.setObject(index, argument);
            }
        }
    }
}
