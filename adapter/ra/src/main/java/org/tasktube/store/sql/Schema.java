package org.tasktube.store.sql;

import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.tasktube.store.StoreUnavailableException;

/**
 * The tables, which one file per database defines. Missing tables are created, and older ones are migrated, if the
 * settings allow that. Tables that are not TaskTube's are refused.
 */
public final class Schema {

    /** The SQL states of statements for which the user lacks a right: of PostgreSQL, and of H2's CREATE ALIAS. */
    private static final Set<String> MISSING_RIGHT = Set.of("42501", H2.ADMIN_RIGHTS_REQUIRED);

    private final Dialect dialect;
    private final String schema;

    /** @param schema the schema of the tables */
    Schema(Dialect dialect, String schema) {
        this.dialect = dialect;
        this.schema = schema;
    }

    /**
     * Prints the definition of the tables, or the steps from tables of an older version, for administrators who create
     * and migrate the tables themselves.
     */
    public static void main(String[] arguments) throws SQLException {
        if (arguments.length < 1 || arguments.length > 2) {
            throw new IllegalArgumentException(
                    arguments.length + " arguments were given instead of one or two; name the"
                            + " database, H2 or PostgreSQL, and for a migration the version of its tables");
        }
        Dialect dialect = Dialects.of(arguments[0], SchemaName.OF_THE_CONNECTION);
        System.out.print(arguments.length == 1 ? Script.definition(dialect) : migration(dialect, arguments[1]));
    }

    private static String migration(Dialect dialect, String from) {
        int version = Integer.parseInt(from);
        if (!Migration.begins(version)) {
            throw new IllegalArgumentException(noSteps(version));
        }
        return new Migration(dialect).text(version);
    }

    /** Returns the first schema that has the tables, or else the first one. */
    static String find(SqlConnection on, List<String> schemas) throws SQLException, StoreUnavailableException {
        for (String schema : schemas) {
            if (schema.contains("\"")) {
                throw new StoreUnavailableException("the schema " + schema + " has a double quote in its name, which"
                        + " TaskTube does not support; rename it, or name another one by currentSchema in the"
                        + " datasource's connection URL");
            }
        }
        if (schemas.isEmpty()) {
            throw new StoreUnavailableException("no schema of the search path of the datasource's user exists; create"
                    + " one, or name one by currentSchema in the datasource's connection URL");
        }
        for (String schema : schemas) {
            if (exists(on, schema, "tasktube_schema")) {
                return schema;
            }
        }
        return schemas.get(0);
    }

    /**
     * Creates missing tables, migrates older ones, and checks the version and the rights. Locks only if it changes
     * tables, so that a server that freezes here does not block the start of other servers.
     */
    void prepare(SqlConnection on, SchemaSettings settings) throws SQLException, StoreUnavailableException {
        if (!areComplete(on)) {
            change(on, () -> {
                if (!areComplete(on)) {
                    create(on, settings.create());
                }
            });
        }
        if (Migration.begins(version(on)) && mayMigrate(settings)) {
            change(on, () -> {
                int version = version(on);
                if (Migration.begins(version)) {
                    new Migration(dialect).run(on, version, settings);
                    Log.LOG.migrated(version, Migration.VERSION);
                }
            });
        }
        checkVersion(on);
        checkRights(on);
        dialect.raiseSequences(on);
    }

    private boolean mayMigrate(SchemaSettings settings) {
        return switch (settings.migrate()) {
            case AUTO -> settings.create() && dialect.migratesByDefault();
            case TRUE -> true;
            case FALSE -> false;
        };
    }

    @FunctionalInterface
    private interface Work {
        void run() throws SQLException, StoreUnavailableException;
    }

    /**
     * Changes the tables in one transaction, which one server has at a time. If it fails, PostgreSQL rolls all of it
     * back. H2 keeps what it has done, and the next try does the rest.
     */
    private void change(SqlConnection on, Work work) throws SQLException, StoreUnavailableException {
        String former = on.connection().getSchema();
        on.connection().setAutoCommit(false);
        try {
            dialect.useSchema(on, SchemaName.of(schema));
            on.list(dialect.statements().get("lock_schema"), row -> true, Parameters.NONE);
            // An index on many tasks takes longer than any statement of the adapter's work
            on.execute(dialect.statements().get("no_limit_of_time").text());
            work.run();
            on.connection().commit();
        } catch (SQLException e) {
            undo(on, e);
            if (MISSING_RIGHT.contains(String.valueOf(e.getSQLState()))) {
                throw new StoreUnavailableException(notAllowed(e), e);
            }
            throw e;
        } catch (StoreUnavailableException | RuntimeException e) {
            undo(on, e);
            throw e;
        }
        on.connection().setAutoCommit(true);
        if (former != null && !former.equals(on.connection().getSchema())) {
            // H2 keeps a schema after the transaction
            on.connection().setSchema(former);
        }
    }

    private static void undo(SqlConnection on, Exception first) {
        try {
            on.connection().rollback();
            on.connection().setAutoCommit(true);
        } catch (SQLException e) {
            first.addSuppressed(e);
        }
    }

    private void create(SqlConnection on, boolean allowed) throws SQLException, StoreUnavailableException {
        if (!exists(on, "tasktube_schema") && exists(on, "tasktube_task")) {
            throw new StoreUnavailableException("there is a table tasktube_task but no tasktube_schema, so it is not"
                    + " TaskTube's; rename it, or give TaskTube a schema of its own");
        }
        if (!allowed) {
            throw new StoreUnavailableException(
                    "TaskTube's tables are missing or incomplete, and createTables is false; run "
                            + dialect.schemaFile()
                            + ", which docs/tables.md says how to print, or set createTables=true");
        }
        for (String statement : Script.statements(Script.definition(dialect))) {
            on.execute(statement);
        }
    }

    private String notAllowed(SQLException e) {
        return "the datasource's user has no right to create or change TaskTube's tables: " + e.getMessage()
                + " (SQL state "
                + e.getSQLState() + "); grant the right, or let an administrator run " + dialect.schemaFile()
                + ", as docs/tables.md says";
    }

    /**
     * Returns whether no table has to be created. The version is written last. If it is missing in a database that
     * commits each statement of the file, an earlier try has ended before that.
     */
    private boolean areComplete(SqlConnection on) throws SQLException {
        return exists(on, "tasktube_schema")
                && (version(on) >= 0 || !on.connection().getMetaData().dataDefinitionCausesTransactionCommit());
    }

    /** Returns the version of the tables, or -1 if none is written. */
    private int version(SqlConnection on) throws SQLException {
        return on.first(dialect.statements().get("schema_version"), row -> row.getInt(1), Parameters.NONE)
                .orElse(-1);
    }

    private void checkVersion(SqlConnection on) throws SQLException, StoreUnavailableException {
        int version = version(on);
        if (version > Migration.VERSION) {
            throw new StoreUnavailableException("TaskTube's tables are of version " + version
                    + ", made by a newer TaskTube," + " and this one needs " + Migration.VERSION
                    + "; deploy the newer one, there is no way back");
        } else if (Migration.begins(version)) {
            throw new StoreUnavailableException("TaskTube's tables are of version " + version
                    + " and this adapter needs "
                    + Migration.VERSION
                    + "; stop the servers of the older version and set migrate=true, or let an administrator"
                    + " run the steps, as docs/tables.md says");
        } else if (version != Migration.VERSION) {
            throw new StoreUnavailableException(noSteps(version));
        }
    }

    private static String noSteps(int version) {
        return "TaskTube's tables are of version " + version + " and this adapter needs " + Migration.VERSION
                + "; there are no steps from that version, deploy the adapter that fits";
    }

    /** Fails if a right is missing. Without the check, the first put or the first take from a sub-queue would fail. */
    private void checkRights(SqlConnection on) throws SQLException, StoreUnavailableException {
        for (String right : dialect.missingRights(on)) {
            throw new StoreUnavailableException(
                    "the datasource's user has no right to use " + right + "; grant it, as docs/tables.md says");
        }
    }

    private boolean exists(SqlConnection on, String table) throws SQLException {
        return exists(on, schema, table);
    }

    private static boolean exists(SqlConnection on, String schema, String table) throws SQLException {
        DatabaseMetaData meta = on.connection().getMetaData();
        String name = meta.storesUpperCaseIdentifiers() ? table.toUpperCase(Locale.ROOT) : table;
        try (ResultSet tables =
                meta.getTables(on.connection().getCatalog(), literal(meta, schema), literal(meta, name), new String[] {
                    "TABLE", "BASE TABLE"
                })) {
            return tables.next();
        }
    }

    /** Returns a pattern that only this name matches, because {@code _} and {@code %} match other letters too. */
    private static String literal(DatabaseMetaData meta, String name) throws SQLException {
        String escape = meta.getSearchStringEscape();
        return name == null
                ? null
                : name.replace(escape, escape + escape)
                        .replace("_", escape + "_")
                        .replace("%", escape + "%");
    }
}
