package org.tasktube.inflow;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.node.Settings;
import org.tasktube.ra.Containers;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.BoundedWorkManager;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A failure keeps its text if the database can keep it, also if the first write was refused for another reason. */
@Timeout(60)
class FailureTextTest {

    @Test
    void after_a_lock_timeout() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch locked = new CountDownLatch(1);
        try (HikariDataSource database = TestDatabase.H2.create();
                AgroalDataSource pool = Jta.pool(database, 20);
                BoundedWorkManager threads = new BoundedWorkManager(50, 50);
                RunningNode running = new RunningNode(
                        pool,
                        Jta.TRANSACTIONS,
                        new Settings("test", 1 << 20, RunningNode.POLL, Duration.ofSeconds(30), Duration.ZERO))) {
            Activations activations = new Activations(running.node(), threads, Containers.refusing(thrown -> false));
            Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            TaskActivationSpec spec = new TaskActivationSpec();
            spec.setTube(tube.name());
            spec.setRetryDelay("0");
            spec.setMaxAttempts("1");
            activations.start(
                    new Bean(task -> {
                        begun.countDown();
                        try {
                            locked.await(10, TimeUnit.SECONDS);
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                        throw new IllegalStateException("the price is 5 \u20ac");
                    }),
                    spec);
            try (Connection other = database.getConnection();
                    Statement on = other.createStatement()) {
                Task task = tube.put("x");
                begun.await(10, TimeUnit.SECONDS);
                // Another transaction has the row for longer than the lock timeout
                Thread.sleep(200);
                other.setAutoCommit(false);
                on.executeQuery("SELECT id FROM tasktube_task WHERE id = " + task.id() + " FOR UPDATE")
                        .close();
                locked.countDown();
                Thread.sleep(4_000);
                other.rollback();
                other.setAutoCommit(true);
                Eventually.holds(
                        () -> tube.peek(task.id())
                                .filter(now -> now.state() == TaskState.BURIED)
                                .isPresent(),
                        "the task that fails is buried");
                assertThat(tube.meta(task.id()).orElseThrow().toString()).contains("the price is 5 \u20ac");
            } finally {
                activations.stopAll();
            }
        }
    }
}
