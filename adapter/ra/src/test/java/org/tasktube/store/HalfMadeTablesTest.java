package org.tasktube.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.TubeDefinition;
import org.tasktube.store.sql.OpenStore;
import org.tasktube.store.sql.SqlStores;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * H2 commits each statement that creates a table. Each try names the reason that keeps it from creating all of them.
 * When the reason is gone, the next try creates the rest.
 */
@Timeout(60)
class HalfMadeTablesTest {

    private static OpenStore open(HikariDataSource database) throws StoreUnavailableException {
        return SqlStores.open(database, true, () -> {});
    }

    private static List<String> statements() throws Exception {
        try (InputStream file = SqlStores.class.getResourceAsStream("schema-h2.sql")) {
            String bare = new String(file.readAllBytes(), StandardCharsets.UTF_8).replaceAll("(?m)--.*$", "");
            return Arrays.stream(bare.strip().split(";")).map(String::strip).toList();
        }
    }

    private static HikariDataSource as(String user, String schema, HikariDataSource database) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.getJdbcUrl().replaceFirst("\\?.*", ""));
        config.setUsername(user);
        config.setPassword("");
        config.setSchema(schema);
        config.setMinimumIdle(1);
        return new HikariDataSource(config);
    }

    @Test
    void without_the_right_of_an_administrator_each_try_says_so_and_creates_nothing() throws Exception {
        try (HikariDataSource database = TestDatabase.H2.createEmpty()) {
            Sql sql = new Sql(database);
            sql.execute("CREATE USER app PASSWORD ''");
            sql.execute("CREATE SCHEMA shop AUTHORIZATION app");
            try (HikariDataSource app = as("APP", "SHOP", database)) {
                for (String attempt : List.of("first", "second")) {
                    assertThatThrownBy(() -> open(app))
                            .as(attempt)
                            .isInstanceOf(StoreUnavailableException.class)
                            .hasMessageContaining("Admin rights are required")
                            .hasMessageContaining("grant the right, or let an administrator run schema-h2.sql");
                }
                assertThat(sql.number("SELECT count(*) FROM information_schema.tables WHERE table_schema = 'SHOP'"))
                        .isZero();
                sql.execute("ALTER USER app ADMIN TRUE");
                app.getHikariPoolMXBean().softEvictConnections();
                try (OpenStore store = open(app)) {
                    assertThat(store.registry().tubes()).isEmpty();
                }
            }
        }
    }

    @Test
    void without_a_right_on_the_schema_of_postgresql_the_message_names_the_next_step() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.createEmpty()) {
            Sql sql = new Sql(database);
            sql.execute("CREATE USER may_not_create");
            sql.execute("CREATE SCHEMA shop");
            sql.execute("GRANT USAGE ON SCHEMA shop TO may_not_create");
            try (HikariDataSource app = as("may_not_create", "shop", database)) {
                assertThatThrownBy(() -> open(app))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("permission denied for schema shop")
                        .hasMessageContaining("grant the right, or let an administrator run schema-postgresql.sql");
            }
        }
    }

    @Test
    void a_function_that_the_user_may_not_run_is_named_at_the_start() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.createEmpty()) {
            open(database).close();
            Sql sql = new Sql(database);
            sql.execute("CREATE USER runs_no_function");
            sql.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO runs_no_function");
            sql.execute("GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO runs_no_function");
            sql.execute("REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC");
            List<String> functions = List.of(
                    "tasktube_promote_heads(integer)",
                    "tasktube_promote_temporary(integer)",
                    "tasktube_open(integer)",
                    "tasktube_close(integer)",
                    "tasktube_in_order(anyelement)");
            for (String missing : functions) {
                for (String function : functions) {
                    sql.execute("GRANT EXECUTE ON FUNCTION " + function + " TO runs_no_function");
                }
                sql.execute("REVOKE EXECUTE ON FUNCTION " + missing + " FROM runs_no_function");
                try (HikariDataSource app = as("runs_no_function", "public", database)) {
                    assertThatThrownBy(() -> open(app))
                            .isInstanceOf(StoreUnavailableException.class)
                            .hasMessageContaining(
                                    "no right to use function " + missing.substring(0, missing.indexOf('(')));
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 9, 23, 29})
    void tables_are_completed_after_a_try_that_ended_after_some_statements(int done) throws Exception {
        try (HikariDataSource database = TestDatabase.H2.createEmpty()) {
            assertThat(statements()).hasSize(45);
            for (String statement : statements().subList(0, done)) {
                new Sql(database).execute(statement);
            }
            assertThatThrownBy(() -> SqlStores.open(database, false, () -> {}))
                    .hasMessageContaining("missing or incomplete, and createTables is false");
            open(database).close();
            try (OpenStore store = SqlStores.open(database, false, () -> {})) {
                StoredTube tube = store.registry()
                        .createTube(TubeDefinition.fifo("a"), false)
                        .orElseThrow();
                TaskToPut task = TaskToPut.of("x").uniqueKey("k");
                assertThat(store.tasks().put(tube, List.of(task.build())).outcome())
                        .isEqualTo(Put.Outcome.DONE);
                assertThat(store.tasks().put(tube, List.of(task.build())).outcome())
                        .as("the index of the keys exists")
                        .isNotEqualTo(Put.Outcome.DONE);
            }
        }
    }
}
