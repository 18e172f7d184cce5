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
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.tasktube.StoreException;
import org.tasktube.TaskState;
import org.tasktube.TaskTubeException;

/**
 * Statements on the connection that is lent: in a JTA transaction that is the transaction's own, outside one a fresh one,
 * which is closed when the work is done.
 */
final class Jdbc {

    /**
     * What SQL says of a connection that failed, of a database that ends, has no room or is broken, and of a write where
     * only reading is allowed. The pool's own failures have no state.
     */
    private static final List<String> AWAY =
            List.of("null", "08", "25006", "53", "57P", "58", "90097", "90098", "90121", "XX");

    private final Connections connections;
    private final Runnable onFailure;
    private final BooleanSupplier inJta;

    /** What the calls that a thread makes together share, and whose they are. */
    private record Shared(Jdbc owner, Connection connection) {}

    private static final ThreadLocal<Shared> TOGETHER = new ThreadLocal<>();

    /**
     * @param onFailure run when a statement failed as if the database were away or read-only
     * @param inJta whether the calling thread is in a JTA transaction
     */
    Jdbc(Connections connections, Runnable onFailure, BooleanSupplier inJta) {
        this.connections = connections;
        this.onFailure = onFailure;
        this.inJta = inJta;
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
        return lend(what, connection -> {
            checkJta(connection);
            return work.on(new Statement(connection));
        });
    }

    /** Whether the connection that is lent is that of the caller's transaction. */
    boolean inTransaction() {
        return lend("give a connection", connection -> !connection.getAutoCommit());
    }

    /** Work of several statements: part of the transaction that there is, else in one of its own. */
    <T> T atomic(String what, Work<T> work) {
        return lend(what, connection -> {
            checkJta(connection);
            return connection.getAutoCommit()
                    ? inOwnTransaction(connection, () -> work.on(new Statement(connection)))
                    : work.on(new Statement(connection));
        });
    }

    /** Calls of this class as one transaction: the one that there is, else one of its own. */
    <T> T together(Supplier<T> calls) {
        return lend("begin a transaction", connection -> {
            checkJta(connection);
            return connection.getAutoCommit() ? inOwnTransaction(connection, () -> on(connection, calls)) : calls.get();
        });
    }

    private <T> T on(Connection connection, Supplier<T> calls) {
        TOGETHER.set(new Shared(this, connection));
        try {
            return calls.get();
        } finally {
            TOGETHER.remove();
        }
    }

    /** A datasource that takes no part in JTA would commit each statement alone, whatever becomes of the transaction. */
    private void checkJta(Connection connection) throws SQLException {
        if (inJta.getAsBoolean() && connection.getAutoCommit()) {
            throw new NotInTransactionException();
        }
    }

    @FunctionalInterface
    interface InTransaction<T> {
        T call() throws SQLException;
    }

    /** Commits what the work did, or rolls it back. The work's own failure is what is thrown, and later ones are in it. */
    static <T> T inOwnTransaction(Connection connection, InTransaction<T> work) throws SQLException {
        connection.setAutoCommit(false);
        T result;
        try {
            result = work.call();
            connection.commit();
        } catch (SQLException | RuntimeException | Error e) {
            undo(connection, e);
            throw e;
        }
        connection.setAutoCommit(true);
        return result;
    }

    /** A connection that cannot even roll back is broken: the first failure says why. */
    private static void undo(Connection connection, Throwable first) {
        try {
            connection.rollback();
            connection.setAutoCommit(true);
        } catch (SQLException | RuntimeException e) {
            first.addSuppressed(e);
        }
    }

    private <T> T lend(String what, Connections.Work<T> work) {
        try {
            Shared shared = TOGETHER.get();
            return shared == null || shared.owner != this ? connections.lend(work) : work.on(shared.connection);
        } catch (NotInTransactionException e) {
            throw new StoreException(
                    "the database was not asked to " + what
                            + ": the datasource takes no part in the JTA transaction that"
                            + " this thread is in; set jta=true on the datasource, or name another one in the"
                            + " adapter's property datasource",
                    e);
        } catch (SQLException e) {
            throw failed(what, e);
        } catch (TaskTubeException e) {
            throw e;
        } catch (RuntimeException | Error e) {
            // As of a driver whose module was redeployed
            onFailure.run();
            throw e;
        }
    }

    private StoreException failed(String what, SQLException e) {
        String state = String.valueOf(state(e));
        boolean away = AWAY.stream().anyMatch(state::startsWith);
        if (away) {
            onFailure.run();
        }
        return new StoreException(
                "the database failed to " + what + ": " + e.getMessage() + " (SQL state " + state + ")", e, away);
    }

    /** A pool wraps what the driver said, and has no state of its own then. */
    private static String state(SQLException e) {
        Throwable at = e;
        for (int depth = 0; at != null && depth < MOST_CAUSES; depth++) {
            if (at instanceof SQLException sql && sql.getSQLState() != null) {
                return sql.getSQLState();
            }
            at = at.getCause();
        }
        return null;
    }

    private static final int MOST_CAUSES = 20;

    private static final class NotInTransactionException extends SQLException {
        private static final long serialVersionUID = 1;
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

        /** The first row of the first query and the rows of the second one, of several statements that are sent together. */
        <T> List<T> listOfSecond(String sql, Row<?> first, Row<T> row, Object... arguments) throws SQLException {
            try (PreparedStatement statement = prepare(sql, arguments)) {
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

        /** One statement for each of these arguments, sent together. */
        int[] batch(String sql, List<Object[]> arguments) throws SQLException {
            readClockFor(sql);
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
            readClockFor(sql);
            PreparedStatement statement = connection.prepareStatement(sql);
            try {
                bindAll(statement, arguments);
                return statement;
            } catch (SQLException e) {
                statement.close();
                throw e;
            }
        }

        /** In H2 the time that a statement goes by is read before it, once. */
        private void readClockFor(String sql) throws SQLException {
            if (sql.contains(Database.H2.NOW)) {
                try (PreparedStatement clock = connection.prepareStatement(Database.H2.READ_CLOCK)) {
                    clock.execute();
                }
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
