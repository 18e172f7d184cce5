package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.AdapterState;
import org.tasktube.Task;
import org.tasktube.TaskTubeException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/** The adapter's state depends on its database: away, read-only, and back. */
class AdapterStateTest {

    @Test
    void a_database_that_becomes_read_only_is_waited_for_and_used_again() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                RunningNode running = new RunningNode(database)) {
            ClientConnection client = new ClientConnection();
            Tube tube = running.newTube(client, TubeDefinition.FIFO);
            tube.put("before");
            readOnly(database, true);
            Throwable refused = catchThrowable(() -> putUntilRefused(tube));
            assertThat(refused).isInstanceOf(TaskTubeException.class);
            running.awaitState(AdapterState.WAITING);
            assertThatThrownBy(() -> tube.put("during the outage"))
                    .isInstanceOf(AdapterNotRunningException.class)
                    .hasMessageContaining("WAITING")
                    .hasMessageContaining("read-only");
            assertThatThrownBy(() -> tube.take(Duration.ZERO)).isInstanceOf(AdapterNotRunningException.class);
            readOnly(database, false);
            running.awaitState(AdapterState.RUNNING);
            assertThat(tube.take(Duration.ZERO).map(Task::text)).contains("before");
        }
    }

    private static void putUntilRefused(Tube tube) {
        Eventually.holds(
                () -> {
                    tube.put("again");
                    return false;
                },
                "a put is refused");
    }

    /** For connections from now on; those that there are are ended. */
    private static void readOnly(HikariDataSource database, boolean yes) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement on = connection.createStatement()) {
            on.execute("SET default_transaction_read_only = off");
            on.execute("ALTER DATABASE \"" + connection.getCatalog() + "\" SET default_transaction_read_only = "
                    + (yes ? "on" : "off"));
            on.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE datname = current_database() AND pid <> pg_backend_pid()");
        }
        database.getHikariPoolMXBean().softEvictConnections();
    }

    @Test
    void a_waiting_take_fails_when_the_database_goes_away() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                RunningNode running = new RunningNode(database)) {
            Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFO);
            CompletableFuture<Task> take = CompletableFuture.supplyAsync(tube::take);
            Eventually.holds(
                    () -> running.node()
                                    .find(tube.name())
                                    .orElseThrow()
                                    .takers()
                                    .length()
                            == 1,
                    "a take waits");
            readOnly(database, true);
            assertThatThrownBy(() -> take.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(TaskTubeException.class);
            readOnly(database, false);
            running.awaitState(AdapterState.RUNNING);
        }
    }

    @Test
    void after_the_end_every_call_says_so() {
        try (HikariDataSource database = TestDatabase.H2.create()) {
            RunningNode running = new RunningNode(database);
            Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFO);
            running.close();
            assertThat(running.node().state()).isEqualTo(AdapterState.ENDING);
            assertThatThrownBy(() -> tube.put("a"))
                    .isInstanceOf(AdapterNotRunningException.class)
                    .hasMessageContaining("ENDING");
        }
    }
}
