package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import java.lang.reflect.Field;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A connection that one thread closes while a call of another thread is under way leaves nothing. */
@Timeout(60)
class SharedConnectionTest {

    /** So that nobody but the session itself releases its tasks. */
    private static final Settings WITHOUT_CHECKS =
            new Settings("one", 1 << 20, Duration.ofHours(1), Duration.ofHours(1), Duration.ZERO);

    private final CountDownLatch stands = new CountDownLatch(1);
    private final CountDownLatch goesOn = new CountDownLatch(1);
    private final AtomicBoolean armed = new AtomicBoolean();

    private DataSource standing(DataSource pool, String words) {
        return HookedDataSource.of(pool, sql -> {
            if (sql.contains(words) && armed.compareAndSet(true, false)) {
                stands.countDown();
                try {
                    assertThat(goesOn.await(60, TimeUnit.SECONDS)).isTrue();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        });
    }

    private void closeDuring(Node node, ClientConnection shared, Runnable call) throws Exception {
        armed.set(true);
        CompletableFuture<Void> other = CompletableFuture.runAsync(call);
        stands.await();
        Jta.MANAGER.begin();
        node.close(shared);
        Jta.MANAGER.commit();
        goesOn.countDown();
        other.get();
    }

    private static long rows(DataSource database) {
        try {
            return new Sql(database).number("SELECT count(*) FROM tasktube_session");
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static Sessions sessions(Node node) throws ReflectiveOperationException {
        Field parts = Node.class.getDeclaredField("parts");
        parts.setAccessible(true);
        return ((NodeParts) parts.get(node)).sessions();
    }

    @ParameterizedTest
    @DatabaseSource
    void a_session_that_is_published_at_that_time_leaves_no_row(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create();
                AgroalDataSource pool = Jta.pool(database);
                RunningNode running =
                        new RunningNode(standing(pool, "INTO tasktube_session"), Jta.TRANSACTIONS, "one")) {
            ClientConnection shared = new ClientConnection();
            closeDuring(running.node(), shared, () -> running.node().identify(shared));
            Eventually.holds(() -> rows(database) == 0, "the row of the session is removed");
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_session_that_takes_at_that_time_is_forgotten(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create();
                AgroalDataSource pool = Jta.pool(database);
                RunningNode running = new RunningNode(standing(pool, "SET state = 't'"), Jta.TRANSACTIONS, "one")) {
            Node node = running.node();
            Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFO);
            tube.put("a");
            ClientConnection shared = new ClientConnection();
            Tube taking = node.tube(shared, tube.name());
            closeDuring(node, shared, () -> assertThatThrownBy(() -> taking.take(Duration.ZERO))
                    .isInstanceOf(IllegalStateException.class));
            Eventually.holds(() -> tube.statistics().ready() == 1, "the task is READY");
            assertThat(sessions(node).known()).isEmpty();
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_take_that_commits_after_that_is_released_at_once(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create();
                AgroalDataSource pool = Jta.pool(database);
                RunningNode running = new RunningNode(pool, Jta.TRANSACTIONS, WITHOUT_CHECKS)) {
            Node node = running.node();
            Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFO);
            tube.put("a");
            ClientConnection shared = new ClientConnection();
            Jta.MANAGER.begin();
            Task taken = node.tube(shared, tube.name()).take(Duration.ZERO).orElseThrow();
            CompletableFuture.runAsync(() -> node.close(shared)).get();
            Jta.MANAGER.commit();
            awaitReady(node, taken);
            assertThat(sessions(node).known()).isEmpty();
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_connection_that_joins_another_session_at_that_time_leaves_each_session_once(TestDatabase kind)
            throws Exception {
        try (HikariDataSource database = kind.create();
                RunningNode running =
                        new RunningNode(standing(database, "kept_ms, owner FROM tasktube_session"), "one")) {
            Node node = running.node();
            ClientConnection shared = new ClientConnection();
            ClientConnection first = new ClientConnection();
            ClientConnection second = new ClientConnection();
            Task ofFirst = taken(running, first);
            Task ofSecond = taken(running, second);
            node.identify(shared, node.identify(first).toString());
            String another = node.identify(second).toString();
            assertThatThrownBy(() -> closeDuring(node, shared, () -> node.identify(shared, another)))
                    .hasMessageContaining("this connection is closed");
            node.tube(first, ofFirst.tube()).ack(ofFirst);
            node.close(second);
            awaitReady(node, ofSecond);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_connection_that_joins_a_session_on_two_threads_at_once_leaves_it_once(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create();
                RunningNode running =
                        new RunningNode(standing(database, "kept_ms, owner FROM tasktube_session"), "one")) {
            Node node = running.node();
            ClientConnection shared = new ClientConnection();
            ClientConnection holder = new ClientConnection();
            Task task = taken(running, holder);
            String session = node.identify(holder).toString();
            armed.set(true);
            CompletableFuture<Void> late = CompletableFuture.runAsync(() -> node.identify(shared, session));
            stands.await();
            CompletableFuture<Void> other = CompletableFuture.runAsync(() -> node.identify(shared, session));
            goesOn.countDown();
            late.get();
            other.get();
            node.close(shared);
            node.close(holder);
            awaitReady(node, task);
        }
    }

    private static Task taken(RunningNode running, ClientConnection client) {
        Tube tube = running.newTube(client, TubeDefinition.FIFO);
        tube.put("a");
        return tube.take(Duration.ZERO).orElseThrow();
    }

    private static void awaitReady(Node node, Task task) {
        Tube tube = node.tube(new ClientConnection(), task.tube());
        Eventually.holds(() -> tube.peek(task.id()).orElseThrow().state() == TaskState.READY, "the task is READY");
    }
}
