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
import org.tasktube.TaskState;

/**
 * Runs statements on one connection, until the work that it was lent for is done. A parameter that may be null stands in a
 * CAST, which gives it its type.
 */
record SqlConnection(Connection connection) {

    private static final String READ_CLOCK = "SET @tasktube_now = tasktube_now()";

    /** Reads a row of an answer. */
    @FunctionalInterface
    interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** Returns how many rows the statement changed. */
    int update(NamedStatement sql, Parameters parameters) throws SQLException {
        try (PreparedStatement statement = prepare(sql, parameters)) {
            return statement.executeUpdate();
        }
    }

    /** Runs one statement of a script. */
    void execute(String sql) throws SQLException {
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

    /** Returns whether there is a row. */
    boolean any(NamedStatement sql, Parameters parameters) throws SQLException {
        return first(sql, row -> true, parameters).isPresent();
    }

    /** Reads the first row of the first query and the rows of the second one, of several statements that are sent together. */
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
                throw new SQLException("the database answered fewer queries than it was asked");
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

    /** Runs one statement for each of these parameters, sent together. */
    void batch(NamedStatement sql, List<Parameters> rows) throws SQLException {
        readClockFor(sql);
        try (PreparedStatement statement = connection.prepareStatement(sql.text())) {
            for (Parameters row : rows) {
                bindAll(statement, sql, row);
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    private PreparedStatement prepare(NamedStatement sql, Parameters parameters) throws SQLException {
        readClockFor(sql);
        PreparedStatement statement = connection.prepareStatement(sql.text());
        try {
            bindAll(statement, sql, parameters);
            return statement;
        } catch (SQLException | RuntimeException e) {
            statement.close();
            throw e;
        }
    }

    /** In H2 the time that a statement goes by is read before it, once. */
    private void readClockFor(NamedStatement sql) throws SQLException {
        if (sql.readsClock()) {
            execute(READ_CLOCK);
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
        } else if (value instanceof Collection<?> numbers) {
            statement.setArray(index, connection.createArrayOf("bigint", numbers.toArray()));
        } else {
            statement.setObject(index, value);
        }
    }
}
