package org.tasktube.node;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.OnConflict;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskFilter;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.sql.SqlStores;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The settings of PostgreSQL's driver in the datasource's URL. What TaskTube cannot work with is refused by its name. */
@Timeout(120)
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DriverSettingsTest {

    private HikariDataSource database;

    @BeforeAll
    void create() {
        database = TestDatabase.POSTGRESQL.create();
    }

    @AfterAll
    void close() {
        database.close();
    }

    private HikariDataSource with(String setting) {
        HikariConfig config = new HikariConfig();
        String url = database.getJdbcUrl();
        config.setJdbcUrl(url + (url.contains("?") ? "&" : "?") + setting);
        config.setUsername(database.getUsername());
        return new HikariDataSource(config);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "prepareThreshold=0",
                "prepareThreshold=1",
                "preferQueryMode=extended",
                "preferQueryMode=extendedForPrepared",
                "preferQueryMode=extendedCacheEverything",
                "autosave=never",
                "cleanupSavepoints=true",
                "binaryTransfer=false",
                "reWriteBatchedInserts=true",
                "defaultRowFetchSize=2",
                "adaptiveFetch=true&defaultRowFetchSize=2",
                "stringtype=unspecified",
                "currentSchema=public",
                "targetServerType=primary",
                "loadBalanceHosts=true",
                "socketTimeout=60&tcpKeepAlive=true",
                "readOnlyMode=always",
                "preparedStatementCacheQueries=0",
                "assumeMinServerVersion=14",
                "logServerErrorDetail=false",
                "disableColumnSanitiser=true",
                "databaseMetadataCacheFields=0",
                "ApplicationName=orders"
            })
    void works_with(String setting) {
        try (HikariDataSource pool = with(setting);
                RunningNode running = new RunningNode(pool, "one")) {
            ClientConnection connection = new ClientConnection();
            Tube tube = running.newTube(connection, TubeDefinition.UTUBETTL);
            PutOptions minute = PutOptions.defaults().ttl(Duration.ofMinutes(1));
            tube.putAll(List.of("a", "b", "c"), minute);
            tube.put("d", minute.utube("s"));
            tube.putUnique("k", "e", minute, OnConflict.FAIL);
            for (int i = 0; i < 5; i++) {
                Task task = tube.take(Duration.ofMinutes(1)).orElseThrow();
                tube.release(task);
                tube.ack(tube.take(Duration.ofMinutes(1)).orElseThrow());
            }
            tube.bury(tube.put("f").id());
            TaskAdmin admin = running.node().admin(connection);
            assertThat(admin.search(TaskFilter.parse("tube:" + tube.name()), Optional.empty(), 10)
                            .tasks())
                    .hasSize(1);
            assertThat(admin.failures(10)).isEmpty();
            assertThat(admin.tubeDetails()).isNotEmpty();
            assertThat(admin.oldestReady()).isEmpty();
            assertThat(tube.kick(1)).isEqualTo(1);
            assertThat(tube.truncate()).isEqualTo(1);
            tube.drop();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"prepareThreshold=-1", "preferQueryMode=simple", "autosave=always", "autosave=conservative"})
    void refuses(String setting) {
        try (HikariDataSource pool = with(setting)) {
            assertThatThrownBy(() -> SqlStores.open(pool, true, () -> {}).close())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining(setting);
        }
    }
}
