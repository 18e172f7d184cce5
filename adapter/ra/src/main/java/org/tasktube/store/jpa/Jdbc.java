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

    /** What SQL says of a connection that failed, and of a write where only reading is allowed. */
    private static final List<String> AWAY = List.of("08", "25006", "57P", "90097", "90098", "90121");

    private final DataSource dataSource;
    private final Runnable onFailure;

    Jdbc(DataSource dataSource, Runnable onFailure) {
        this.dataSource = dataSource;
        this.onFailure = onFailure;
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

    /** Whether the connection that the datasource gives is that of the caller's transaction. */
    boolean inTransaction() {
        try (Connection connection = dataSource.getConnection()) {
            return !connection.getAutoCommit();
        } catch (SQLException e) {
            throw failed("give a connection", e);
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

    private StoreException failed(String what, SQLException e) {
        String state = String.valueOf(e.getSQLState());
        if (AWAY.stream().anyMatch(state::startsWith)) {
            onFailure.run();
        }
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
                return readAll(rows, row);
            }
        }

        /** The rows of the second of two statements that are sent as one. */
        <T> List<T> listOfSecond(String sql, Row<T> row, Object... arguments) throws SQLException {
            try (PreparedStatement statement = prepare(sql, arguments)) {
                statement.execute();
                statement.getMoreResults();
                try (ResultSet rows = statement.getResultSet()) {
                    return readAll(rows, row);
                }
            }
        }

        private static <T> List<T> readAll(ResultSet rows, Row<T> row) throws SQLException {
            List<T> list = new ArrayList<>();
            while (rows.next()) {
                list.add(row.read(rows));
            }
            return list;
        }

        /** One statement for each of these arguments, sent together. */
        int[] batch(String sql, List<Object[]> arguments) throws SQLException {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                for (Object[] row : arguments) {
                    bindAll(statement, row);
                    statement.addBatch();
                }
                return statement.executeBatch();
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
                bindAll(statement, arguments);
                return statement;
            } catch (SQLException e) {
                statement.close();
                throw e;
            }
        }

        private void bindAll(PreparedStatement statement, Object[] arguments) throws SQLException {
            for (int i = 0; i < arguments.length; i++) {
                bind(statement, i + 1, arguments[i]);
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
