package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.AdapterState;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskTubeException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.node.admin.Administration;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.Transactions;
import org.tasktube.store.sql.SqlStores;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;
import org.tasktube.tracing.ServerTracing;

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
            Throwable refused = catchThrowable(() -> putUntilRefused(tube, database));
            assertThat(refused).isInstanceOf(TaskTubeException.class);
            // At first it may wait because its connection was ended
            holds(
                    () -> catchThrowable(() -> tube.put("during the outage"))
                                    instanceof AdapterNotRunningException waits
                            && waits.getMessage().contains("WAITING")
                            && waits.getMessage().contains("read-only"),
                    database,
                    "the state WAITING, because the database is read-only");
            assertThatThrownBy(() -> tube.take(Duration.ZERO)).isInstanceOf(AdapterNotRunningException.class);
            readOnly(database, false);
            awaitRunning(running, database);
            assertThat(tube.take(Duration.ZERO).map(Task::text)).contains("before");
        }
    }

    private static void putUntilRefused(Tube tube, HikariDataSource database) {
        holds(
                () -> {
                    tube.put("again");
                    return false;
                },
                database,
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

    private static void awaitRunning(RunningNode running, HikariDataSource database) {
        holds(() -> running.node().state() == AdapterState.RUNNING, database, "the state RUNNING");
    }

    /** Evicts once more each two seconds: a log-in that was under way at the change keeps the former setting. */
    private static void holds(BooleanSupplier condition, HikariDataSource database, String what) {
        AtomicLong evicted = new AtomicLong(System.nanoTime());
        Eventually.holds(
                () -> {
                    if (System.nanoTime() - evicted.get() > TimeUnit.SECONDS.toNanos(2)) {
                        database.getHikariPoolMXBean().softEvictConnections();
                        evicted.set(System.nanoTime());
                    }
                    return condition.getAsBoolean();
                },
                what);
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
            holds(take::isDone, database, "the take has ended");
            assertThatThrownBy(take::get).hasCauseInstanceOf(TaskTubeException.class);
            readOnly(database, false);
            awaitRunning(running, database);
        }
    }

    /** As with a pool that has a connection for the look, and none for the heartbeat: no state lasts for long. */
    @Test
    void a_start_after_a_failed_one_says_why_that_has_failed() throws Exception {
        CountDownLatch again = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger tries = new AtomicInteger();
        try (HikariDataSource database = TestDatabase.H2.create()) {
            DataSource hooked = HookedDataSource.of(database, sql -> {
                if (sql.contains("INSERT INTO tasktube_node") && tries.incrementAndGet() == 1) {
                    throw new StoreException("the pool has no connection for the heartbeat", null);
                } else if (sql.contains("INSERT INTO tasktube_node")) {
                    again.countDown();
                    await(go);
                }
            });
            Node node = new Node(
                    new Settings("one", 1 << 20, RunningNode.POLL, RunningNode.NODE_TIMEOUT, Duration.ZERO),
                    Transactions.NONE,
                    onFailure -> SqlStores.open(hooked, true, onFailure),
                    ServerTracing.NONE,
                    Administration::new);
            node.threads().forEach(each -> new Thread(each, "node").start());
            assertThat(again.await(60, TimeUnit.SECONDS)).isTrue();
            assertThatThrownBy(() -> node.find("orders"))
                    .isInstanceOf(AdapterNotRunningException.class)
                    .hasMessageContainingAll("STARTUP", "the pool has no connection for the heartbeat");
            go.countDown();
            Eventually.holds(() -> node.state() == AdapterState.RUNNING, "it runs");
            node.stop();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
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
