package org.tasktube.store.sql;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.store.Holder;
import org.tasktube.store.OrderKey;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transactions;
import org.tasktube.store.sql.SchemaSettings.Migrate;
import org.tasktube.testing.LogLines;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tables of an older version become the present ones. The older version is one of this test: the tables of today without
 * a column and an index, and with another column.
 */
@Tag("large")
class MigrationTest {

    private static final int OLDER = 0;

    /** The columns, indexes, constraints, options and functions of all tables, one text each. */
    private static final String CATALOG_OF_POSTGRESQL = """
            SELECT concat_ws(' ', table_name, column_name, data_type, character_maximum_length, is_nullable, column_default,
              is_identity, identity_start, collation_name) FROM information_schema.columns WHERE table_name LIKE 'tasktube%'
            UNION ALL SELECT indexdef FROM pg_indexes WHERE tablename LIKE 'tasktube%'
            UNION ALL SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
              WHERE conrelid::regclass::text LIKE 'tasktube%' AND contype <> 'n'
            UNION ALL SELECT relname || ' ' || coalesce(reloptions::text, '') FROM pg_class
              WHERE relname LIKE 'tasktube%' AND relkind = 'r'
            UNION ALL SELECT attrelid::regclass || ' ' || attname || ' ' || coalesce(attstattarget, -1) FROM pg_attribute
              WHERE attrelid::regclass::text LIKE 'tasktube%' AND attnum > 0 AND NOT attisdropped
            UNION ALL SELECT tablename || ' ' || attname || ' has statistics' FROM pg_stats
              WHERE attname = 'tube_id' AND tablename IN ('tasktube_task', 'tasktube_slot', 'tasktube_dirty')
            UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE proname LIKE 'tasktube%'
            """;

    private static final String CATALOG_OF_H2 = """
            SELECT concat_ws(' ', table_name, column_name, data_type, character_maximum_length, is_nullable, column_default,
              is_identity) FROM information_schema.columns WHERE table_name LIKE 'TASKTUBE%'
            UNION ALL SELECT concat_ws(' ', i.table_name, i.index_type_name, listagg(c.column_name || ' ' || c.ordering_specification, ', ')
                WITHIN GROUP (ORDER BY c.ordinal_position), CASE WHEN i.is_generated THEN '' ELSE i.index_name END)
              FROM information_schema.indexes i JOIN information_schema.index_columns c ON c.index_name = i.index_name
              WHERE i.table_name LIKE 'TASKTUBE%' GROUP BY i.table_name, i.index_type_name, i.index_name, i.is_generated
            UNION ALL SELECT check_clause FROM information_schema.check_constraints
            """;

    @ParameterizedTest
    @EnumSource
    void a_migration_makes_the_tables_that_a_new_database_has_and_tasks_stay(TestDatabase kind) throws Exception {
        try (HikariDataSource old = create(kind);
                HikariDataSource fresh = kind.createEmpty()) {
            open(fresh, Migrate.FALSE).close();
            Sql sql = new Sql(old);
            sql.execute("INSERT INTO tasktube_tube (name, type, pri, delay_ms, temporary, sub_queues)"
                    + " VALUES ('plain', 'fifottl', 0, 0, FALSE, FALSE)");
            sql.execute("INSERT INTO tasktube_task (id, tube_id, state, pri, ord, created_at, content_type, data)"
                    + " SELECT 1, id, 'r', 0, 1, CURRENT_TIMESTAMP, 'text/plain', CAST('work' AS "
                    + (kind == TestDatabase.H2 ? "varbinary" : "bytea") + ") FROM tasktube_tube");
            try (OpenStore store = open(old, Migrate.TRUE)) {
                StoredTube tube = store.registry().tube("plain").orElseThrow();
                Holder holder = new Holder(UUID.randomUUID(), 1);
                assertThat(store.tasks().claim(tube, holder, OrderKey.START, 1))
                        .extracting(claimed -> claimed.task().data().text())
                        .containsExactly("work");
            }
            assertSame(catalog(kind, old), catalog(kind, fresh));
        }
    }

    @ParameterizedTest
    @EnumSource
    void without_leave_nothing_is_migrated_and_the_message_says_what_to_do(TestDatabase kind) throws Exception {
        try (HikariDataSource old = create(kind)) {
            assertThatThrownBy(() -> open(old, Migrate.FALSE))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("version " + OLDER)
                    .hasMessageContaining("migrate=true")
                    .hasMessageContaining("docs/tables.md");
            assertThat(version(old)).isEqualTo(OLDER);
        }
    }

    @ParameterizedTest
    @EnumSource
    void by_default_a_database_of_one_server_is_migrated_and_a_shared_one_is_not(TestDatabase kind) throws Exception {
        try (HikariDataSource old = create(kind)) {
            if (kind == TestDatabase.H2) {
                open(old, Migrate.AUTO).close();
                assertThat(version(old)).isEqualTo(Migration.VERSION);
            } else {
                assertThatThrownBy(() -> open(old, Migrate.AUTO)).hasMessageContaining("migrate=true");
                assertThat(version(old)).isEqualTo(OLDER);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_migration_waits_for_the_end_of_each_server_of_the_older_version(TestDatabase kind) throws Exception {
        try (HikariDataSource old = create(kind)) {
            new Sql(old).execute("INSERT INTO tasktube_node (name, seen_at) VALUES ('elder', CURRENT_TIMESTAMP)");
            assertThatThrownBy(() -> open(old, Migrate.TRUE))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("elder");
            assertThat(version(old)).isEqualTo(OLDER);
            new Sql(old).execute("DELETE FROM tasktube_node");
            open(old, Migrate.TRUE).close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void servers_that_start_at_once_migrate_once(TestDatabase kind) throws Exception {
        int servers = kind == TestDatabase.H2 ? 1 : 4;
        try (LogLines log = new LogLines("org.tasktube.store");
                HikariDataSource old = create(kind)) {
            List<CompletableFuture<OpenStore>> opened = new ArrayList<>();
            for (int i = 0; i < servers; i++) {
                opened.add(CompletableFuture.supplyAsync(() -> openUnchecked(old)));
            }
            for (CompletableFuture<OpenStore> one : opened) {
                one.get().close();
            }
            assertThat(log.of("TASKTUBE0182")).hasSize(1);
        }
    }

    /** H2 commits each statement. */
    @Test
    void a_migration_of_h2_that_was_cut_anywhere_goes_on() throws Exception {
        List<String> statements = Script.statements(new Migration(new H2(SchemaName.OF_THE_CONNECTION)).text(OLDER));
        try (HikariDataSource fresh = TestDatabase.H2.createEmpty()) {
            run(fresh, definition(TestDatabase.H2));
            Set<String> expected = catalog(TestDatabase.H2, fresh);
            for (int cut = 1; cut < statements.size(); cut++) {
                try (HikariDataSource old = create(TestDatabase.H2);
                        Connection connection = old.getConnection()) {
                    run(old, statements.subList(0, cut));
                    int reached = (int) version(old);
                    if (reached != Migration.VERSION) {
                        new Migration(new H2(SchemaName.OF_THE_CONNECTION))
                                .run(new SqlConnection(connection, new LongAdder()), reached, settings(Migrate.TRUE));
                    }
                    assertSame(catalog(TestDatabase.H2, old), expected);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_older_adapter_refuses_newer_tables_by_a_clear_word(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.createEmpty()) {
            open(database, Migrate.FALSE).close();
            new Sql(database).execute("UPDATE tasktube_schema SET version = " + (Migration.VERSION + 1));
            assertThatThrownBy(() -> open(database, Migrate.TRUE))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("newer");
        }
    }

    private static HikariDataSource create(TestDatabase kind) throws SQLException {
        HikariDataSource database = kind.createEmpty();
        run(database, definition(kind));
        run(
                database,
                List.of(
                        "ALTER TABLE tasktube_node DROP COLUMN work",
                        "DROP INDEX tasktube_audit_act",
                        "ALTER TABLE tasktube_task ADD COLUMN novelty integer",
                        "UPDATE tasktube_schema SET version = " + OLDER));
        return database;
    }

    private static List<String> definition(TestDatabase kind) {
        SchemaName schema = SchemaName.OF_THE_CONNECTION;
        return Script.statements(Script.definition(kind == TestDatabase.H2 ? new H2(schema) : new PostgreSql(schema)));
    }

    private static void run(DataSource database, List<String> statements) throws SQLException {
        try (Connection connection = database.getConnection()) {
            for (String statement : statements) {
                new SqlConnection(connection, new LongAdder()).execute(statement);
            }
        }
    }

    private static OpenStore openUnchecked(DataSource database) {
        try {
            return open(database, Migrate.TRUE);
        } catch (StoreUnavailableException e) {
            throw new IllegalStateException(e);
        }
    }

    private static OpenStore open(DataSource database, Migrate migrate) throws StoreUnavailableException {
        return new SqlStores(settings(migrate), Transactions.NONE).open(database, () -> {});
    }

    private static SchemaSettings settings(Migrate migrate) {
        return new SchemaSettings(true, migrate, Duration.ofSeconds(10));
    }

    private static long version(DataSource database) throws SQLException {
        return new Sql(database).number("SELECT version FROM tasktube_schema");
    }

    /** Shows what differs only. */
    private static void assertSame(Set<String> catalog, Set<String> expected) {
        assertThat(catalog.stream().filter(one -> !expected.contains(one)))
                .as("too much")
                .isEmpty();
        assertThat(expected.stream().filter(one -> !catalog.contains(one)))
                .as("missing")
                .isEmpty();
    }

    private static Set<String> catalog(TestDatabase kind, DataSource database) throws SQLException {
        Set<String> catalog = new TreeSet<>();
        try (Connection connection = database.getConnection();
                ResultSet rows = connection
                        .createStatement()
                        .executeQuery(kind == TestDatabase.H2 ? CATALOG_OF_H2 : CATALOG_OF_POSTGRESQL)) {
            while (rows.next()) {
                catalog.add(rows.getString(1));
            }
        }
        assertThat(catalog).hasSizeGreaterThan(100);
        return catalog;
    }
}
