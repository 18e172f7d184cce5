package org.tasktube.sample.store;

import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Inserts rows that may be there already, or may come from another transaction at the same moment. JPA has no way to do
 * that: its persist finds out at the flush, and the transaction is lost then.
 *
 * <p>Give the rows in an order that is the same for all transactions: one that inserts what another has inserted and not
 * committed waits for it, and with the rows in two orders both could wait for each other.
 */
final class NewRows {

    private static final String DUPLICATE_KEY = "23505";

    private final String insert;

    /** @param insert an insert … select … where not exists, with parameters */
    NewRows(String insert) {
        this.insert = insert;
    }

    /** Inserts the rows that are not there, and returns these. */
    <T> List<T> insert(Connection connection, List<T> rows, Binder<T> binder) throws SQLException {
        return isPostgres(connection)
                ? insert(connection, insert + " on conflict do nothing", rows, binder, PreparedStatement::executeBatch)
                : insert(connection, insert, rows, binder, NewRows::executeTolerantly);
    }

    private static boolean isPostgres(Connection connection) throws SQLException {
        return connection.getMetaData().getDatabaseProductName().equals("PostgreSQL");
    }

    private static <T> List<T> insert(
            Connection connection, String sql, List<T> rows, Binder<T> binder, Execution execution)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (T row : rows) {
                binder.bind(statement, row);
                statement.addBatch();
            }
            return inserted(rows, execution.execute(statement));
        }
    }

    /**
     * H2 has no such clause, and a row that was committed between the look and the insert is an error there. It ends just
     * that statement, while in PostgreSQL the transaction would be lost, and its commit would not even say so.
     */
    private static int[] executeTolerantly(PreparedStatement statement) throws SQLException {
        try {
            return statement.executeBatch();
        } catch (BatchUpdateException e) {
            for (SQLException cause = e.getNextException(); cause != null; cause = cause.getNextException()) {
                if (!DUPLICATE_KEY.equals(cause.getSQLState())) {
                    throw e;
                }
            }
            return e.getUpdateCounts();
        }
    }

    private static <T> List<T> inserted(List<T> rows, int[] counts) {
        List<T> inserted = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            if (counts[i] == Statement.SUCCESS_NO_INFO) {
                throw new IllegalStateException("the driver does not say which rows it inserted;"
                        + " turn reWriteBatchedInserts off for this datasource");
            }
            if (counts[i] == 1) {
                inserted.add(rows.get(i));
            }
        }
        return inserted;
    }

    /** Sets a statement's parameters from a row. */
    interface Binder<T> {
        void bind(PreparedStatement statement, T row) throws SQLException;
    }

    /** Runs a batch and returns how many rows each of its statements inserted. */
    private interface Execution {
        int[] execute(PreparedStatement statement) throws SQLException;
    }
}
