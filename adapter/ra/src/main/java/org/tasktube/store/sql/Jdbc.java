package org.tasktube.store.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.tasktube.StoreException;
import org.tasktube.TaskTubeException;
import org.tasktube.TransactionNotActiveException;

/**
 * Runs statements on a lent connection. In a JTA transaction, it is the transaction's own. Outside one, it is a new
 * connection, which is closed after the work.
 */
final class Jdbc {

    /** What to do after failures of these SQL states. */
    private static final Map<String, String> NEXT_STEPS = Map.of(
            "22P05", "; leave that character out, or use a database with the encoding UTF8",
            "40P01", "; this transaction and another one waited for each other: do its work again in a new one",
            "40001", "; another transaction has changed the same rows: do its work again in a new one");

    private final Connections connections;
    private final Runnable onFailure;
    private final CallersTransaction caller;
    private final boolean limitsTime;
    private final LongAdder roundTrips;

    /** The first statement of each transaction of its own; empty if there is none. */
    private final String begin;

    /** The connection that the calls of one thread share in {@link #together}, and the owner of these calls. */
    private record Shared(Jdbc owner, Connection connection) {}

    private static final ThreadLocal<Shared> TOGETHER = new ThreadLocal<>();

    /**
     * @param onFailure runs when a statement has failed as if the database were away or read-only
     * @param caller the transaction in which the connections are lent
     * @param limitsTime whether a statement can have a limit of time, by {@link Dialect#limitsTime}
     * @param roundTrips counts the statements and commits that are sent
     */
    Jdbc(
            Connections connections,
            Runnable onFailure,
            CallersTransaction caller,
            boolean limitsTime,
            LongAdder roundTrips) {
        this(connections, onFailure, caller, limitsTime, roundTrips, "");
    }

    private Jdbc(
            Connections connections,
            Runnable onFailure,
            CallersTransaction caller,
            boolean limitsTime,
            LongAdder roundTrips,
            String begin) {
        this.connections = connections;
        this.begin = begin;
        this.limitsTime = limitsTime;
        this.onFailure = onFailure;
        this.caller = caller;
        this.roundTrips = roundTrips;
    }

    @FunctionalInterface
    interface Work<T> {
        T on(SqlConnection connection) throws SQLException;
    }

    /**
     * Returns the same on connections outside JTA, each of whose transactions begins with a statement.
     *
     * @param first a setting for the transaction only, because a pool between may give each transaction another
     *     connection of the database; empty for none
     */
    Jdbc outsideJta(Connections own, String first) {
        return new Jdbc(own, onFailure, CallersTransaction.NONE, limitsTime, roundTrips, first);
    }

    /** Returns the same, each of whose own transactions begins with a statement; itself if that is empty. */
    Jdbc beginning(String first) {
        return first.isEmpty() ? this : new Jdbc(connections, onFailure, caller, limitsTime, roundTrips, first);
    }

    /** Runs work of one statement, which is atomic without a transaction of its own. */
    <T> T single(String what, Work<T> work) {
        return begin.isEmpty() ? glance(what, work) : atomic(what, work);
    }

    /** Runs work of one statement that waits for no lock of a row, as reads do, so that it needs no limit. */
    <T> T glance(String what, Work<T> work) {
        return lend(what, connection -> {
            caller.check(connection);
            return work.on(on(connection));
        });
    }

    /** Returns whether the lent connection is in a transaction of the caller. */
    boolean inTransaction() {
        return lend("give a connection", connection -> !connection.getAutoCommit());
    }

    /** Returns the isolation of the caller's transaction, if all of it reads by one snapshot. */
    Optional<String> snapshot() {
        return lend("say its isolation", connection -> {
            int isolation = connection.getTransactionIsolation();
            return connection.getAutoCommit() || isolation <= Connection.TRANSACTION_READ_COMMITTED
                    ? Optional.empty()
                    : Optional.of(Connections.isolation(isolation));
        });
    }

    /** Runs an action after the commit of the caller's JTA transaction; at once without one. */
    void afterCommit(Runnable action) {
        caller.transactions().afterCommit(action);
    }

    /** Has the caller's transaction roll back, after a part of a call that is refused. */
    void failCaller() {
        caller.fail();
    }

    /** Runs work of several statements: in the caller's transaction, else in a new one. */
    <T> T atomic(String what, Work<T> work) {
        return lend(what, connection -> {
            caller.check(connection);
            return connection.getAutoCommit()
                    ? inOwnTransaction(connection, () -> work.on(on(connection)))
                    : work.on(on(connection));
        });
    }

    /**
     * Runs work that changes nothing: in the caller's transaction, else in a new one.
     *
     * @param begin the first work in the new transaction, which may restrict it
     */
    <T> T reading(String what, Work<?> begin, Work<T> work) {
        return lend(what, connection -> {
            caller.check(connection);
            SqlConnection on = on(connection);
            if (!connection.getAutoCommit()) {
                return work.on(on);
            }
            return inOwnTransaction(connection, () -> {
                begin.on(on);
                return work.on(on);
            });
        });
    }

    /** Runs calls of this class in one transaction: the caller's, else a new one. */
    <T> T together(Supplier<T> calls) {
        return lend("begin a transaction", connection -> {
            caller.check(connection);
            return connection.getAutoCommit() ? inOwnTransaction(connection, () -> on(connection, calls)) : calls.get();
        });
    }

    private SqlConnection on(Connection connection) {
        return new SqlConnection(connection, 0, limitsTime, roundTrips, caller);
    }

    private <T> T on(Connection connection, Supplier<T> calls) {
        TOGETHER.set(new Shared(this, connection));
        try {
            return calls.get();
        } finally {
            TOGETHER.remove();
        }
    }

    @FunctionalInterface
    interface InTransaction<T> {
        T call() throws SQLException;
    }

    /**
     * Runs work and commits it. If the work fails, rolls it back and throws the work's own failure, with later failures
     * suppressed in it. After an Error the connection is aborted, which rolls back too.
     */
    private <T> T inOwnTransaction(Connection connection, InTransaction<T> work) throws SQLException {
        connection.setAutoCommit(false);
        T result;
        try {
            if (!begin.isEmpty()) {
                on(connection).execute(begin);
            }
            result = work.call();
            roundTrips.increment();
            connection.commit();
        } catch (SQLException | RuntimeException e) {
            undo(connection, e);
            throw e;
        }
        connection.setAutoCommit(true);
        return result;
    }

    /** Rolls back. If that fails too, the connection is broken, and the first failure says why. */
    private void undo(Connection connection, Throwable first) {
        roundTrips.increment();
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
        } catch (CallersTransaction.NotInTransactionException e) {
            throw new StoreException(
                    "the database was not asked to " + what
                            + ": the datasource takes no part in the JTA transaction that"
                            + " this thread is in; set jta=true on the datasource, or name another one in the"
                            + " adapter's property datasource",
                    e);
        } catch (SQLException e) {
            throw failed(what, e);
        } catch (TransactionNotActiveException e) {
            // A statement may have committed by itself just when the transaction's time ended
            onFailure.run();
            throw e;
        } catch (TaskTubeException e) {
            throw e;
        } catch (RuntimeException | Error e) {
            // For example of a driver whose module was redeployed
            onFailure.run();
            throw e;
        }
    }

    private StoreException failed(String what, SQLException e) {
        String state = String.valueOf(SqlStates.of(e));
        boolean away = SqlStates.isAway(e);
        if (away) {
            onFailure.run();
        }
        return new StoreException(
                "the database failed to " + what + ": " + e.getMessage() + " (SQL state " + state + ")"
                        + NEXT_STEPS.getOrDefault(state, ""),
                e,
                away);
    }
}
