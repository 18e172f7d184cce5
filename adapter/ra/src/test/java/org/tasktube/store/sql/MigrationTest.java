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
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.itest.watchdog.FullRun;
import org.tasktube.store.Change;
import org.tasktube.store.Holder;
import org.tasktube.store.OpenStore;
import org.tasktube.store.OrderKey;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transactions;
import org.tasktube.store.Transition;
import org.tasktube.store.sql.SchemaSettings.Migrate;
import org.tasktube.testing.LogLines;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tables of older versions become the present ones, with all tasks. The way from version 2 has all steps. */
@Tag("large")
class MigrationTest {

    private static final int OLDEST = 2;
    private static final int LATEST = 10;

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

    record From(TestDatabase kind, int version) {

        String column(String before, String now) {
            return version == OLDEST ? before : now;
        }
    }

    static Stream<From> versions() {
        return Stream.of(TestDatabase.values())
                .flatMap(kind -> Stream.of(OLDEST, LATEST).map(version -> new From(kind, version)));
    }

    @ParameterizedTest
    @MethodSource("versions")
    void a_migration_makes_the_tables_that_a_new_database_has(From from) throws Exception {
        try (HikariDataSource old = create(from);
                HikariDataSource fresh = from.kind.createEmpty()) {
            open(fresh, Migrate.FALSE).close();
            if (from.version == OLDEST) {
                // So that the database has statistics, which later versions do not want
                fill(from, old);
                new Sql(old).execute("ANALYZE");
            }
            open(old, Migrate.TRUE).close();
            assertSame(catalog(from.kind, old), catalog(from.kind, fresh));
        }
    }

    @ParameterizedTest
    @MethodSource("versions")
    void tasks_of_every_state_stay_as_they_are_and_can_be_worked_on(From from) throws Exception {
        try (HikariDataSource old = create(from)) {
            fill(from, old);
            try (OpenStore store = open(old, Migrate.TRUE)) {
                List<StoredTube> tubes = store.registry().tubes();
                StoredTube plain = named(tubes, "plain");
                StoredTube subQueues = named(tubes, "sub");
                assertThat(Stream.of(1, 2, 3, 4, 5).map(id -> store.tasks()
                                .reads()
                                .find(plain, id)
                                .orElseThrow()
                                .state()))
                        .containsExactly(
                                TaskState.READY, TaskState.DELAYED, TaskState.TAKEN, TaskState.BURIED, TaskState.DONE);
                assertThat(store.tasks()
                                .reads()
                                .result(plain, 5)
                                .orElseThrow()
                                .data()
                                .text())
                        .isEqualTo("good");
                assertThat(workOff(store, plain)).containsExactly("task 1");
                // The head, and then the one that it blocked
                assertThat(workOff(store, subQueues)).containsExactly("task 6", "task 7");
            }
        }
    }

    /** Version 12 kept an operation as a task of that tube, and older versions knew no operations. */
    @ParameterizedTest
    @MethodSource("versions")
    void the_tube_of_operations_goes_with_their_tasks_and_a_tube_of_an_application_stays(From from) throws Exception {
        try (HikariDataSource old = create(from)) {
            Sql sql = new Sql(old);
            sql.execute("INSERT INTO tasktube_tube (name, type, pri, delay_ms, temporary, sub_queues)"
                    + " VALUES ('plain', 'fifottl', 0, 0, FALSE, FALSE)");
            insert(sql, 1, "'r'", "", "");
            sql.execute("UPDATE tasktube_tube SET name = 'tasktube-operations'");
            boolean hasOperations = from.version != OLDEST;
            if (hasOperations) {
                sql.execute("UPDATE tasktube_tube SET mode = 'p', mode_by = 'anna', mode_reason = 'test'");
                sql.execute("INSERT INTO tasktube_operation (id, act, filter, reason, created_by, created_at, expected)"
                        + " VALUES (1, 'DELETE', 'tube:a', 'test', 'anna', CURRENT_TIMESTAMP, 1)");
            }
            open(old, Migrate.TRUE).close();
            int left = hasOperations ? 0 : 1;
            assertThat(sql.number("SELECT count(*) FROM tasktube_task")).isEqualTo(left);
            assertThat(sql.number("SELECT count(*) FROM tasktube_tube")).isEqualTo(left);
            assertThat(sql.number("SELECT count(*) FROM tasktube_operation WHERE state = 'c'"))
                    .as("operations that a pause held back are cancelled")
                    .isEqualTo(1 - left);
        }
    }

    private static StoredTube named(List<StoredTube> tubes, String name) {
        return tubes.stream()
                .filter(tube -> tube.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> workOff(OpenStore store, StoredTube tube) {
        Holder holder = new Holder(UUID.randomUUID(), 1);
        List<String> done = new ArrayList<>();
        while (true) {
            List<Task> claimed = store.tasks().claim(tube, holder, OrderKey.START, 1).stream()
                    .map(task -> task.task())
                    .toList();
            if (claimed.isEmpty()) {
                return done;
            }
            store.tasks().apply(tube, Change.of(Transition.ACK), holder, claimed.get(0));
            done.add(claimed.get(0).data().text());
        }
    }

    @ParameterizedTest
    @MethodSource("versions")
    void without_leave_nothing_is_migrated_and_the_message_says_what_to_do(From from) throws Exception {
        try (HikariDataSource old = create(from)) {
            assertThatThrownBy(() -> open(old, Migrate.FALSE))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("version " + from.version)
                    .hasMessageContaining("migrate=true")
                    .hasMessageContaining("docs/tables.md");
            assertThat(version(old)).isEqualTo(from.version);
        }
    }

    @ParameterizedTest
    @EnumSource
    void by_default_a_database_of_one_server_is_migrated_and_a_shared_one_is_not(TestDatabase kind) throws Exception {
        try (HikariDataSource old = create(new From(kind, LATEST))) {
            if (kind == TestDatabase.H2) {
                open(old, Migrate.AUTO).close();
                assertThat(version(old)).isEqualTo(Migration.VERSION);
            } else {
                assertThatThrownBy(() -> open(old, Migrate.AUTO)).hasMessageContaining("migrate=true");
                assertThat(version(old)).isEqualTo(LATEST);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("versions")
    void a_migration_waits_for_the_end_of_each_server_of_the_older_version(From from) throws Exception {
        try (HikariDataSource old = create(from)) {
            new Sql(old).execute("INSERT INTO tasktube_node (name, seen_at) VALUES ('elder', CURRENT_TIMESTAMP)");
            assertThatThrownBy(() -> open(old, Migrate.TRUE))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("elder");
            assertThat(version(old)).isEqualTo(from.version);
            new Sql(old).execute("DELETE FROM tasktube_node");
            open(old, Migrate.TRUE).close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void servers_that_start_at_once_migrate_once(TestDatabase kind) throws Exception {
        int servers = kind == TestDatabase.H2 ? 1 : 4;
        try (LogLines log = new LogLines("org.tasktube.store");
                HikariDataSource old = create(new From(kind, OLDEST))) {
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
    @Tag("full")
    void a_migration_of_h2_that_was_cut_anywhere_goes_on() throws Exception {
        List<String> statements = Script.statements(new Migration(new H2(SchemaName.OF_THE_CONNECTION)).text(OLDEST));
        int every = FullRun.size(5, 1);
        try (HikariDataSource fresh = TestDatabase.H2.createEmpty()) {
            run(fresh, Script.statements(Script.read("schema-h2.sql")));
            Set<String> expected = catalog(TestDatabase.H2, fresh);
            for (int cut = 1; cut < statements.size(); cut += every) {
                try (HikariDataSource old = create(new From(TestDatabase.H2, OLDEST));
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

    private static HikariDataSource create(From from) throws SQLException {
        HikariDataSource database = from.kind.createEmpty();
        run(
                database,
                Script.statements(Script.read("tables/" + from.kind.name().toLowerCase(java.util.Locale.ROOT) + "-"
                        + from.version + ".sql")));
        return database;
    }

    private static void run(DataSource database, List<String> statements) throws SQLException {
        try (Connection connection = database.getConnection()) {
            for (String statement : statements) {
                new SqlConnection(connection, new LongAdder()).execute(statement);
            }
        }
    }

    private static void fill(From from, DataSource database) throws SQLException {
        Sql sql = new Sql(database);
        for (String tube : List.of("'plain', 'fifottl', 0, 0, FALSE, FALSE", "'sub', 'utubettl', 0, 0, FALSE, TRUE")) {
            sql.execute("INSERT INTO tasktube_tube (name, type, pri, delay_ms, temporary, sub_queues) VALUES (" + tube
                    + ")");
        }
        insert(sql, 1, "'r'", "", "");
        insert(sql, 2, "'~'", ", event_at", ", DATE '2100-01-01'");
        insert(
                sql,
                3,
                "'t'",
                ", session, token, node, taken_at",
                ", '" + UUID.randomUUID() + "', 1, 1, CURRENT_TIMESTAMP");
        insert(sql, 4, "'!'", ", buried_count, error_type", ", 1, 'java.lang.Error'");
        String good = from.kind == TestDatabase.H2 ? "X'676f6f64'" : "decode('676f6f64', 'hex')";
        insert(sql, 5, "'-'", ", outcome, result_ttl_ms, result_type, result", ", 'd', 1000, 'text/plain', " + good);
        String blocked = ", utube, " + from.column("behind", "blocked");
        insert(sql, 6, "'r'", blocked, ", 'one', FALSE");
        insert(sql, 7, "'r'", blocked, ", 'one', TRUE");
        for (int id = 1; id <= 7; id++) {
            sql.number(
                    from.kind == TestDatabase.H2
                            ? "SELECT NEXT VALUE FOR tasktube_task_seq"
                            : "SELECT nextval('tasktube_task_seq')");
        }
        sql.execute("INSERT INTO " + from.column("tasktube_note", "tasktube_dirty")
                + " (tube_id, utube) SELECT id, 'one'" + " FROM tasktube_tube WHERE name = 'sub'");
    }

    private static void insert(Sql sql, int id, String state, String columns, String values) throws SQLException {
        sql.execute("INSERT INTO tasktube_task (id, tube_id, state, pri, ord, created_at, content_type, data" + columns
                + ") SELECT " + id + ", id, " + state + ", 0, " + id + ", CURRENT_TIMESTAMP, 'text/plain', "
                + "CAST('task " + id + "' AS " + bytes(sql) + ")" + values + " FROM tasktube_tube WHERE name = '"
                + (id < 6 ? "plain" : "sub") + "'");
    }

    private static String bytes(Sql sql) throws SQLException {
        try (Connection connection = sql.database().getConnection()) {
            return connection.getMetaData().getDatabaseProductName().equals("H2") ? "varbinary" : "bytea";
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
