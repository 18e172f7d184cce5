package org.tasktube.store.jpa;

import jakarta.persistence.PersistenceException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.tasktube.StoreException;
import org.tasktube.store.OpenStore;
import org.tasktube.store.StoreUnavailableException;

/** Opens the tables of a database. */
public final class JpaStores {

    /** What H2 says of a row that is there; PostgreSQL is asked not to say it. */
    private static final String UNIQUE_VIOLATION = "23505";

    private JpaStores() {}

    /**
     * Opens the tables that a datasource leads to, making them if they are missing and that is allowed.
     *
     * @param onFailure run when a statement fails later as if the database were away or read-only
     * @throws StoreUnavailableException if the database does not answer, or the tables are not TaskTube's
     */
    public static OpenStore open(DataSource dataSource, boolean createTables, Runnable onFailure)
            throws StoreUnavailableException {
        Database database = prepare(dataSource, createTables);
        try {
            Entities entities = new Entities(new PersistenceUnit(dataSource).open());
            Jdbc jdbc = new Jdbc(dataSource, onFailure);
            Statements sql = new Statements(database);
            return new OpenStore(
                    new JpaRegistry(jdbc, database, sql, entities), new JpaTaskStore(jdbc, database, sql, entities));
        } catch (PersistenceException e) {
            throw new StoreUnavailableException(
                    "the tables are not as TaskTube needs them: " + innermost(e).getMessage() + "; compare them with "
                            + database.schemaFile(),
                    e);
        }
    }

    private static Throwable innermost(Throwable thrown) {
        return thrown.getCause() == null ? thrown : innermost(thrown.getCause());
    }

    private static Database prepare(DataSource dataSource, boolean createTables) throws StoreUnavailableException {
        try (Connection connection = dataSource.getConnection()) {
            Database database = Database.of(connection.getMetaData().getDatabaseProductName());
            database.prepare(new Jdbc.Statement(connection));
            connection.setAutoCommit(false);
            try {
                new Schema(database).prepare(new Jdbc.Statement(connection), createTables);
                connection.commit();
            } finally {
                // Undoes what was half made, and nothing after a commit
                connection.rollback();
                connection.setAutoCommit(true);
            }
            return database;
        } catch (SQLException e) {
            throw new StoreUnavailableException(e.getMessage(), e);
        }
    }

    static boolean isUniqueViolation(StoreException e) {
        return e.getCause() instanceof SQLException cause && isUniqueViolation(cause);
    }

    static boolean isUniqueViolation(SQLException e) {
        return UNIQUE_VIOLATION.equals(e.getSQLState());
    }
}
