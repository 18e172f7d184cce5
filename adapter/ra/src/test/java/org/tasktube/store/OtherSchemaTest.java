package org.tasktube.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.History;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.store.sql.OpenStore;
import org.tasktube.store.sql.SqlStores;
import org.tasktube.testing.OnDatabase;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** An application sets another schema on the connection that it shares with the adapter, and leaves it. */
class OtherSchemaTest {

    @Timeout(60)
    abstract static class Rules {

        private final Holder holder = new Holder(UUID.randomUUID(), 1);
        final SqlStores stores = new SqlStores(TestDatabase.SETTINGS, Transactions.NONE);

        HikariDataSource database;
        HikariDataSource one;

        @BeforeEach
        void open() throws SQLException {
            database = TestDatabase.of(this).createEmpty();
            new Sql(database).execute("CREATE SCHEMA " + name("the_application"));
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(database.getJdbcUrl());
            config.setUsername(database.getUsername());
            config.setMaximumPoolSize(1);
            // As the pool of a server, which does not set back a schema
            one = new HikariDataSource(config);
        }

        @AfterEach
        void close() {
            one.close();
            database.close();
        }

        private String name(String schema) {
            return TestDatabase.of(this) == TestDatabase.H2 ? schema.toUpperCase(Locale.ROOT) : schema;
        }

        /** By a statement, which the pool does not see. */
        void applicationSetsItsSchema() throws SQLException {
            try (Connection connection = one.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute(
                        TestDatabase.of(this) == TestDatabase.H2
                                ? "SET SCHEMA " + name("the_application")
                                : "SET search_path TO the_application");
                assertThat(connection.getSchema()).isEqualTo(name("the_application"));
            }
        }

        @Test
        void each_call_finds_the_tables() throws Exception {
            try (OpenStore store = stores.open(one, () -> {})) {
                applicationSetsItsSchema();
                StoredTube tube = store.registry()
                        .createTube(TubeDefinition.utubettl("a").history(History.ALL), true)
                        .orElseThrow();
                store.tasks()
                        .put(
                                tube,
                                List.of(
                                        TaskToPut.of("x").utube("u").build(),
                                        TaskToPut.of("y").utube("u").build()));
                List<ClaimedTask> claimed = store.tasks().claim(tube, holder, OrderKey.START, 2);
                assertThat(claimed).hasSize(1);
                assertThat(store.tasks()
                                .apply(
                                        tube,
                                        Change.of(Transition.ACK),
                                        holder,
                                        claimed.get(0).task()))
                        .isNotNull();
                assertThat(store.tasks().claim(tube, holder, OrderKey.START, 2)).hasSize(1);
                assertThat(store.tasks().reads().page(tube, TaskState.TAKEN, 0, 10))
                        .hasSize(1);
                store.registry().dropTube(tube);
                assertThat(store.registry().tubes()).isEmpty();
            }
        }

        @Test
        void a_store_that_opens_again_finds_the_same_tables() throws Exception {
            try (OpenStore store = stores.open(one, () -> {})) {
                store.registry().createTube(TubeDefinition.fifo("a"), false);
            }
            applicationSetsItsSchema();
            try (OpenStore store = stores.open(one, () -> {})) {
                assertThat(store.registry().tubes()).hasSize(1);
            }
        }
    }

    @Nested
    @OnDatabase(TestDatabase.H2)
    class OnH2 extends Rules {}

    @Nested
    @OnDatabase(TestDatabase.POSTGRESQL)
    class OnPostgreSql extends Rules {

        @Test
        void a_new_server_finds_the_tables_of_the_schema_that_the_connection_had_at_first() throws Exception {
            try (OpenStore store = SqlStores.open(database, true, () -> {})) {
                store.registry().createTube(TubeDefinition.fifo("a"), false);
            }
            applicationSetsItsSchema();
            try (OpenStore store = stores.open(one, () -> {})) {
                assertThat(store.registry().tubes()).hasSize(1);
            }
        }
    }
}
