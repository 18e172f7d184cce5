package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A take waits while an administrator's statement locks the table of tasks, as an index build does. */
@Timeout(60)
class TableLockTest {

    @ParameterizedTest
    @ValueSource(strings = {TubeDefinition.FIFO, TubeDefinition.UTUBE})
    void a_take_gets_the_task_when_an_index_is_built(String type) throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                RunningNode running = new RunningNode(database, "one")) {
            Tube tube = running.newTube(new ClientConnection(), type);
            PutOptions options = PutOptions.defaults();
            tube.put("a", type.equals(TubeDefinition.UTUBE) ? options.utube("u") : options);
            CompletableFuture<Optional<Task>> take;
            try (Connection administrator = database.getConnection();
                    Statement on = administrator.createStatement()) {
                administrator.setAutoCommit(false);
                // The lock of CREATE INDEX
                on.execute("LOCK TABLE tasktube_task IN SHARE MODE");
                take = CompletableFuture.supplyAsync(() -> tube.take(Duration.ofSeconds(20)));
                on.execute("SELECT pg_sleep(3)");
                administrator.rollback();
            }
            assertThat(take.get(20, TimeUnit.SECONDS).map(Task::text)).contains("a");
        }
    }
}
