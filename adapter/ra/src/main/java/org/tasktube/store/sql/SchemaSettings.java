package org.tasktube.store.sql;

import java.time.Duration;

/**
 * The rights of the adapter to change the tables.
 *
 * @param create true if it creates missing ones
 * @param migrate the choice for tables of an older version
 * @param nodeTimeout the time for which a server of the older version may be silent and still be at work
 */
public record SchemaSettings(boolean create, Migrate migrate, Duration nodeTimeout) {

    /** The choice for tables of an older version. */
    public enum Migrate {
        /** An H2 of the server is migrated. A PostgreSQL that servers share is not. */
        AUTO,
        TRUE,
        FALSE
    }
}
