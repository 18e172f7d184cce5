package org.tasktube.store.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.tasktube.TaskState;

/**
 * Runs statements on one connection, while it is lent. A parameter that may be null is in a CAST in the statement,
 * which gives it its type.
 *
 * @param seconds the most seconds per statement; 0 for no limit
 * @param limits whether a statement can have a limit, by {@link Dialect#limitsTime}
 * @param roundTrips counts the statements that are sent
 * @param caller the transaction of which each statement is a part. It may end between two statements, by its timeout,
 *     and the second one would commit by itself
 */
record SqlConnection(
        Connection connection, int seconds, boolean limits, LongAdder roundTrips, CallersTransaction caller) {

    SqlConnection(Connection connection, LongAdder roundTrips) {
        this(connection, 0, false, roundTrips, CallersTransaction.NONE);
    }

    /** Returns the same connection, whose statements fail if they take longer than so many seconds. */
    SqlConnection within(int limit) {
        return limits ? new SqlConnection(connection, limit, true, roundTrips, caller) : this;
    }

    /** Reads a row of a result. */
    @FunctionalInterface
    interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** Runs a statement; returns the number of rows that it changed. */
    int update(NamedStatement sql, Parameters parameters) throws SQLException {
        try (PreparedStatement statement = prepare(sql, parameters)) {
            return statement.executeUpdate();
        }
    }

    /** Runs one statement of a script. */
    void execute(String sql) throws SQLException {
        caller.check(connection);
        roundTrips.increment();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.execute();
        }
    }

    <T> List<T> list(NamedStatement sql, Row<T> row, Parameters parameters) throws SQLException {
        try (PreparedStatement statement = prepare(sql, parameters);
                ResultSet rows = statement.executeQuery()) {
            return readAll(rows, row);
        }
    }

    <T> Optional<T> first(NamedStatement sql, Row<T> row, Parameters parameters) throws SQLException {
        try (PreparedStatement statement = prepare(sql, parameters);
                ResultSet rows = statement.executeQuery()) {
            return rows.next() ? Optional.of(row.read(rows)) : Optional.empty();
        }
    }

    /** Runs a query; returns whether it found a row. */
    boolean any(NamedStatement sql, Parameters parameters) throws SQLException {
        return first(sql, row -> true, parameters).isPresent();
    }

    /**
     * Runs several statements that are sent together. Reads the first row of the first query, and returns the rows of
     * the second query.
     */
    <T> List<T> listOfSecond(NamedStatement sql, Row<?> first, Row<T> row, Parameters parameters) throws SQLException {
        try (PreparedStatement statement = prepare(sql, parameters)) {
            boolean isQuery = statement.execute();
            try (ResultSet one = nextQuery(statement, isQuery)) {
                one.next();
                first.read(one);
            }
            try (ResultSet rows = nextQuery(statement, statement.getMoreResults())) {
                return readAll(rows, row);
            }
        }
    }

    private static ResultSet nextQuery(PreparedStatement statement, boolean isQuery) throws SQLException {
        boolean found = isQuery;
        while (!found) {
            if (statement.getUpdateCount() < 0) {
                throw new SQLException("the database returned the results of fewer queries than were sent together");
            }
            found = statement.getMoreResults();
        }
        return statement.getResultSet();
    }

    private static <T> List<T> readAll(ResultSet rows, Row<T> row) throws SQLException {
        List<T> list = new ArrayList<>();
        while (rows.next()) {
            list.add(row.read(rows));
        }
        return list;
    }

    /** Runs a statement once per element of {@code rows}; all runs are sent together. */
    void batch(NamedStatement sql, List<Parameters> rows) throws SQLException {
        Parameters time = clockFor(sql);
        caller.check(connection);
        roundTrips.increment();
        try (PreparedStatement statement = connection.prepareStatement(sql.text())) {
            for (Parameters row : rows) {
                bindAll(statement, sql, row.and(time));
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    /** Prepares a statement that is run once. */
    private PreparedStatement prepare(NamedStatement sql, Parameters parameters) throws SQLException {
        Parameters time = clockFor(sql);
        caller.check(connection);
        roundTrips.increment();
        PreparedStatement statement = connection.prepareStatement(sql.text());
        try {
            bindAll(statement, sql, parameters.and(time));
            if (seconds > 0) {
                statement.setQueryTimeout(seconds);
            }
            return statement;
        } catch (SQLException | RuntimeException e) {
            statement.close();
            throw e;
        }
    }

    /** Reads the time of the statement, once and before it, if H2 needs it. */
    private Parameters clockFor(NamedStatement sql) throws SQLException {
        if (sql.clock().isEmpty()) {
            return Parameters.NONE;
        }
        roundTrips.increment();
        try (PreparedStatement statement = connection.prepareStatement(sql.clock());
                ResultSet time = statement.executeQuery()) {
            time.next();
            return Parameters.of(NamedStatement.CLOCK, time.getObject(1));
        }
    }

    private void bindAll(PreparedStatement statement, NamedStatement sql, Parameters parameters) throws SQLException {
        List<String> names = sql.parameters();
        for (int i = 0; i < names.size(); i++) {
            bind(statement, i + 1, parameters.get(names.get(i)));
        }
    }

    private void bind(PreparedStatement statement, int index, Object value) throws SQLException {
        if (value == null) {
            statement.setNull(index, Types.NULL);
        } else if (value instanceof Long number) {
            statement.setLong(index, number);
        } else if (value instanceof Integer number) {
            statement.setInt(index, number);
        } else if (value instanceof String text) {
            statement.setString(index, text);
        } else if (value instanceof byte[] bytes) {
            statement.setBytes(index, bytes);
        } else if (value instanceof TaskState state) {
            statement.setString(index, String.valueOf(state.letter()));
        } else if (value instanceof SqlArray array) {
            statement.setArray(index, array.create(connection));
        } else if (value instanceof Collection<?> values) {
            boolean texts = values.stream().anyMatch(String.class::isInstance);
            statement.setArray(index, connection.createArrayOf(texts ? "varchar" : "bigint", values.toArray()));
        } else {
            statement.setObject(index, value);
        }
    }
}
