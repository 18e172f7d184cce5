package org.tasktube.store;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.TubeDefinition;
import org.tasktube.store.sql.OpenStore;
import org.tasktube.store.sql.SqlStores;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The adapter uses the tables of the datasource's own schema, also if other names match it as a pattern. */
@Timeout(60)
class SchemaNamesTest {

    private static OpenStore open(HikariDataSource database) throws StoreUnavailableException {
        return SqlStores.open(database, true, () -> {});
    }

    @ParameterizedTest
    @EnumSource
    void tables_are_made_in_a_schema_whose_name_as_a_pattern_matches_one_that_has_them(TestDatabase kind)
            throws Exception {
        try (HikariDataSource database = kind.createEmpty();
                HikariDataSource first = kind.createSchema(database, "shop11");
                HikariDataSource second = kind.createSchema(database, "shop_1")) {
            open(first).close();
            try (OpenStore store = open(second);
                    OpenStore again = open(second)) {
                store.registry().createTube(TubeDefinition.fifo("a"), false);
                assertThat(again.registry().tubes()).hasSize(1);
            }
            try (OpenStore other = open(first)) {
                assertThat(other.registry().tubes()).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void tables_are_made_beside_one_whose_name_matches_theirs_as_a_pattern(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.createEmpty()) {
            new Sql(database).execute("CREATE TABLE tasktubeXtask (id integer)");
            new Sql(database).execute("CREATE TABLE tasktubeXschema (version integer)");
            try (OpenStore store = open(database)) {
                assertThat(store.registry().tubes()).isEmpty();
            }
        }
    }
}
