package org.tasktube.store.sql;

import java.sql.SQLException;

/** The databases that TaskTube knows. */
final class Dialects {

    private Dialects() {}

    /**
     * Returns the database of a product's name, as JDBC gives it.
     *
     * @throws SQLException if it is another one
     */
    static Dialect of(String product) throws SQLException {
        return switch (product) {
            case "H2" -> new H2();
            case "PostgreSQL" -> new PostgreSql();
            default ->
                throw new SQLException("TaskTube keeps tasks in H2 or PostgreSQL, and the datasource leads to "
                        + product + "; name another one in the adapter's property datasource");
        };
    }
}
