package org.tasktube.store;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.TubeDefinition;
import org.tasktube.store.sql.OpenStore;
import org.tasktube.store.sql.SqlStores;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A store opens its own tables, or makes them; it changes no table that is not its own. */
class SchemaTest {

    @ParameterizedTest
    @EnumSource
    void tables_are_opened_again_as_they_are(TestDatabase kind) throws StoreUnavailableException {
        try (HikariDataSource database = kind.createEmpty();
                OpenStore first = SqlStores.open(database, true, () -> {})) {
            StoredTube tube =
                    first.registry().createTube(TubeDefinition.fifo("a"), false).orElseThrow();
            long id =
                    first.tasks().put(tube, List.of(TaskToPut.of("x").build())).id();
            try (OpenStore again = SqlStores.open(database, false, () -> {})) {
                assertThat(again.tasks().reads().find(tube, id)).isPresent();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void servers_that_start_at_once_make_the_tables_once(TestDatabase kind) throws Exception {
        try (HikariDataSource fresh = kind.createEmpty()) {
            // Each H2 has one process, which makes them once; PostgreSQL is shared by all servers
            int servers = kind == TestDatabase.H2 ? 1 : 4;
            List<CompletableFuture<OpenStore>> opened = new ArrayList<>();
            for (int i = 0; i < servers; i++) {
                opened.add(CompletableFuture.supplyAsync(() -> open(fresh)));
            }
            for (CompletableFuture<OpenStore> one : opened) {
                one.get().close();
            }
        }
    }

    private static OpenStore open(DataSource dataSource) {
        try {
            return SqlStores.open(dataSource, true, () -> {});
        } catch (StoreUnavailableException e) {
            throw new IllegalStateException(e);
        }
    }

    /** PostgreSQL's functions have kept the former name. */
    @Test
    void a_schema_that_was_renamed_is_refused_while_its_functions_use_another_one() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.createEmpty()) {
            Sql sql = new Sql(database);
            sql.execute("CREATE SCHEMA shop");
            try (HikariDataSource shop = TestDatabase.inSchema(database, "shop")) {
                SqlStores.open(shop, true, () -> {}).close();
            }
            sql.execute("ALTER SCHEMA shop RENAME TO former");
            sql.execute("CREATE SCHEMA shop");
            try (HikariDataSource shop = TestDatabase.inSchema(database, "shop");
                    HikariDataSource former = TestDatabase.inSchema(database, "former")) {
                SqlStores.open(shop, true, () -> {}).close();
                assertThatThrownBy(() -> SqlStores.open(former, true, () -> {}))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("another search path")
                        .hasMessageContaining("tasktube_promote_heads")
                        .hasMessageContaining("shop");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_schema_with_a_double_quote_is_refused_by_its_name(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.createEmpty()) {
            new Sql(database).execute("CREATE SCHEMA \"a\"\"b\"");
            try (HikariDataSource odd = TestDatabase.inSchema(database, "a\"b")) {
                assertThatThrownBy(() -> SqlStores.open(odd, true, () -> {}))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("a\"b");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void missing_tables_are_an_error_where_software_must_not_create_them(TestDatabase kind) {
        try (HikariDataSource fresh = kind.createEmpty()) {
            assertThatThrownBy(() -> SqlStores.open(fresh, false, () -> {}))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("createTables is false")
                    .hasMessageContaining("schema-");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_foreign_table_is_an_error_and_not_changed(TestDatabase kind) throws SQLException {
        try (HikariDataSource fresh = kind.createEmpty()) {
            execute(fresh, "CREATE TABLE tasktube_task (id integer)");
            assertThatThrownBy(() -> SqlStores.open(fresh, true, () -> {}))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("not TaskTube's");
            execute(fresh, "INSERT INTO tasktube_task VALUES (1)");
        }
    }

    @ParameterizedTest
    @EnumSource
    void tables_of_another_version_are_an_error_that_names_both(TestDatabase kind) throws Exception {
        try (HikariDataSource fresh = kind.createEmpty()) {
            SqlStores.open(fresh, true, () -> {}).close();
            execute(fresh, "UPDATE tasktube_schema SET version = 1000");
            assertThatThrownBy(() -> SqlStores.open(fresh, true, () -> {}))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("version 1000")
                    .hasMessageMatching("(?s).*needs \\d+.*");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_column_that_is_missing_is_an_error_that_names_it(TestDatabase kind) throws Exception {
        try (HikariDataSource fresh = kind.createEmpty()) {
            SqlStores.open(fresh, true, () -> {}).close();
            execute(fresh, "ALTER TABLE tasktube_task DROP COLUMN error_type");
            assertThatThrownBy(() -> SqlStores.open(fresh, true, () -> {}))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("error_type");
        }
    }

    private static void execute(DataSource database, String sql) throws SQLException {
        new Sql(database).execute(sql);
    }
}
