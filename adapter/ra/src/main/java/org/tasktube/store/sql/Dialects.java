package org.tasktube.store.sql;

import java.sql.SQLException;

/** The databases that TaskTube supports. */
final class Dialects {

    private Dialects() {}

    /**
     * Returns the dialect of a database product, by the name that JDBC returns.
     *
     * @throws SQLException if TaskTube does not support the product
     */
    static Dialect of(String product, SchemaName schema) throws SQLException {
        return switch (product) {
            case "H2" -> new H2(schema);
            case "PostgreSQL" -> new PostgreSql(schema);
            default ->
                throw new SQLException("TaskTube keeps tasks in H2 or PostgreSQL, but the datasource leads to "
                        + product + "; name another one in the adapter's property datasource");
        };
    }
}
