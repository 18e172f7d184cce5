package org.tasktube.store.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.tasktube.StoreException;
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

    private static final String UNIQUE_VIOLATION = "23505";

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
        T on(SqlConnection connection) throws SQLException;
    }

    /** Work of one statement, which needs no transaction of its own to be atomic. */
    <T> T single(String what, Work<T> work) {
        return lend(what, connection -> {
            checkJta(connection);
            return work.on(new SqlConnection(connection));
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
                    ? inOwnTransaction(connection, () -> work.on(new SqlConnection(connection)))
                    : work.on(new SqlConnection(connection));
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

    /** Returns whether a row is there that the failed one must not be beside. */
    static boolean isUniqueViolation(StoreException e) {
        return e.getCause() instanceof SQLException cause && isUniqueViolation(cause);
    }

    static boolean isUniqueViolation(SQLException e) {
        return UNIQUE_VIOLATION.equals(e.getSQLState());
    }

    private static final int MOST_CAUSES = 20;

    private static final class NotInTransactionException extends SQLException {
        private static final long serialVersionUID = 1;
    }
}
