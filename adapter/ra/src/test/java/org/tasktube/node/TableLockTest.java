package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.AdapterState;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A take waits while an administrator's statement locks the table of tasks, as an index build does. */
@Timeout(60)
@Tag("full")
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
                take = CompletableFuture.supplyAsync(() -> tube.take(Duration.ofMinutes(2)));
                on.execute("SELECT pg_sleep(3)");
                administrator.rollback();
            }
            assertThat(take.get(60, TimeUnit.SECONDS).map(Task::text)).contains("a");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tasktube_tube", "tasktube_session", "tasktube_task"})
    void servers_beat_while_a_table_is_locked_for_longer_than_the_timeout_of_a_server(String table) throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                RunningNode one = new RunningNode(database, "one");
                RunningNode two = new RunningNode(database, "two")) {
            Tube tube = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            tube.put("a");
            Task held = tube.take();
            int first = one.node().parts().access().number();
            int second = two.node().parts().access().number();
            try (Connection administrator = database.getConnection();
                    Statement on = administrator.createStatement()) {
                administrator.setAutoCommit(false);
                on.execute("LOCK TABLE " + table + " IN ACCESS EXCLUSIVE MODE");
                on.execute("SELECT pg_sleep(" + 4 * RunningNode.NODE_TIMEOUT.toSeconds() + ")");
                assertThat(one.node().state()).isEqualTo(AdapterState.RUNNING);
                assertThat(two.node().state()).isEqualTo(AdapterState.RUNNING);
                administrator.rollback();
            }
            assertThat(one.node().parts().access().number()).isEqualTo(first);
            assertThat(two.node().parts().access().number()).isEqualTo(second);
            assertThat(new Sql(database).number("SELECT count(*) FROM tasktube_node WHERE NOT dead"))
                    .isEqualTo(2);
            tube.ack(held);
        }
    }
}
