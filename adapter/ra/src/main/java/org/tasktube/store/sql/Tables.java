package org.tasktube.store.sql;

import java.sql.SQLException;
import org.tasktube.store.StoredTube;

/** The two tables of tasks, each with the same statements for it. All other tables are those of the first one. */
record Tables(Dialect durable, Dialect temporary) {

    static Tables of(String product, SchemaName schema) throws SQLException {
        return new Tables(Dialects.of(product, schema), Dialects.of(product, schema.ofTemporary()));
    }

    Dialect of(StoredTube tube) {
        return tube.definition().temporary() ? temporary : durable;
    }
}
