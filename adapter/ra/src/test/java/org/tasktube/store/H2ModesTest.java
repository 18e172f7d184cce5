package org.tasktube.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.TubeDefinition;
import org.tasktube.store.sql.OpenStore;
import org.tasktube.store.sql.SqlStores;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TaskToPut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A store works in each of H2's modes, which WildFly's ExampleDS has a property for, or is not opened in it. */
@Timeout(60)
class H2ModesTest {

    private static HikariDataSource h2(String settings) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:m" + UUID.randomUUID().toString().replace("-", "") + ";" + settings);
        config.setUsername("sa");
        config.setMinimumIdle(1);
        return new HikariDataSource(config);
    }

    private static StoredTube tube(OpenStore store) {
        return store.registry().createTube(TubeDefinition.fifo("a"), false).orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "MODE=REGULAR",
                "MODE=STRICT",
                "MODE=LEGACY",
                "MODE=DB2",
                "MODE=HSQLDB",
                "MODE=MariaDB",
                "MODE=MySQL",
                "MODE=PostgreSQL",
                "IGNORECASE=FALSE",
                "DATABASE_TO_LOWER=TRUE",
                "DATABASE_TO_UPPER=FALSE;CASE_INSENSITIVE_IDENTIFIERS=TRUE",
                "MODE=MySQL;DATABASE_TO_LOWER=TRUE;CASE_INSENSITIVE_IDENTIFIERS=TRUE"
            })
    void a_tube_holds_several_tasks_without_a_key_and_keys_that_differ_by_case(String settings) throws Exception {
        try (HikariDataSource database = h2(settings);
                OpenStore store = SqlStores.open(database, true, () -> {})) {
            StoredTube tube = tube(store);
            for (TaskToPut task : List.of(
                    TaskToPut.of("1"),
                    TaskToPut.of("2"),
                    TaskToPut.of("3").uniqueKey("k"),
                    TaskToPut.of("4").uniqueKey("K"))) {
                assertThat(store.tasks().put(tube, List.of(task.build())).outcome())
                        .isEqualTo(Put.Outcome.DONE);
            }
            assertThat(store.tasks().claim(tube, new Holder(UUID.randomUUID(), 1), OrderKey.START, 9))
                    .hasSize(4);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "MODE=Oracle, MODE=Oracle, MODE=REGULAR",
        "MODE=mssqlserver, MODE=MSSQLServer, MODE=REGULAR",
        "MODE=Derby, MODE=Derby, MODE=REGULAR",
        "IGNORECASE=TRUE, IGNORECASE=TRUE, IGNORECASE=FALSE",
        "DATABASE_TO_UPPER=FALSE, DATABASE_TO_UPPER=FALSE, DATABASE_TO_UPPER=TRUE"
    })
    void a_setting_with_which_it_does_not_work_is_an_error_that_names_it(String settings, String refused, String needed)
            throws Exception {
        try (HikariDataSource database = h2(settings)) {
            assertThatThrownBy(() -> SqlStores.open(database, true, () -> {}))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessage("TaskTube does not work in H2 with " + refused + "; set " + needed
                            + " in the datasource's connection URL");
            assertThat(new Sql(database)
                            .number("SELECT count(*) FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = 'PUBLIC'"))
                    .as("nothing is created")
                    .isZero();
        }
    }
}
