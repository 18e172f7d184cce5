package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.List;
import java.util.logging.Logger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.DeliveryLog;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transactions;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** What is logged on the thread of a delivery is kept with its tasks, within bounds. */
@Timeout(60)
class DeliveryLinesTest {

    private static final Logger LOG = Logger.getLogger("org.example.Bean");
    private static final int MOST = 3;

    private static RunningNode start(HikariDataSource database, int lines) {
        return new RunningNode(
                database,
                Transactions.NONE,
                new Settings(
                        "app-1",
                        1 << 20,
                        RunningNode.POLL,
                        Duration.ofSeconds(30),
                        Duration.ZERO,
                        Settings.AUDIT_RETENTION,
                        true,
                        lines));
    }

    @ParameterizedTest
    @DatabaseSource
    void the_lines_of_a_delivery_are_kept_up_to_their_number_and_the_last_twenty_of_a_task(TestDatabase kind)
            throws Exception {
        try (HikariDataSource database = kind.create();
                RunningNode running = start(database, MOST)) {
            ClientConnection connection = new ClientConnection();
            Tube tube = running.newTube(connection, TubeDefinition.FIFOTTL);
            Task task = tube.put("x");
            TaskAdmin admin = running.node().admin(connection);
            StoredTube stored = running.node().find(tube.name()).orElseThrow().stored();
            DeliveryLines lines = running.node().deliveryLines();
            lines.attach();
            try {
                LOG.info("before the delivery");
                lines.begin();
                LOG.log(java.util.logging.Level.WARNING, "order {0}\nfailed", 7);
                LOG.log(java.util.logging.Level.SEVERE, "x".repeat(600), new IllegalStateException("no printer"));
                LOG.info("three");
                LOG.info("four");
                Thread other = new Thread(() -> LOG.info("of another thread"));
                other.start();
                other.join();
                lines.end(stored, List.of(task));
                LOG.info("after it");
                Eventually.holds(
                        () -> !admin.deliveryLogs(tube.name(), task.id()).isEmpty(), "the lines are there");
                DeliveryLog log = admin.deliveryLogs(tube.name(), task.id()).get(0);
                assertThat(log.server()).isEqualTo("app-1");
                assertThat(log.lines()).hasSize(MOST + 1);
                assertThat(log.lines().get(0)).endsWith("WARNING [org.example.Bean] order 7 failed");
                assertThat(log.lines().get(1)).hasSize(DeliveryLines.LONGEST).endsWith("x…");
                assertThat(log.lines().get(MOST)).isEqualTo("… 1 more lines");
                for (int i = 0; i < 25; i++) {
                    lines.begin();
                    LOG.info("again " + i);
                    lines.end(stored, List.of(task));
                }
                Eventually.holds(
                        () -> {
                            List<DeliveryLog> all = admin.deliveryLogs(tube.name(), task.id());
                            return all.size() == 20
                                    && all.get(19).lines().get(0).endsWith("again 24");
                        },
                        "the last twenty are there");
                new Sql(database).execute("UPDATE tasktube_log SET at = at - INTERVAL '8' DAY");
                NodeParts parts = running.node().parts();
                parts.calls().call(() -> {
                    parts.retention().run();
                    return null;
                });
                assertThat(admin.deliveryLogs(tube.name(), task.id())).isEmpty();
            } finally {
                lines.detach();
            }
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void without_the_property_nothing_is_kept(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create();
                RunningNode running = start(database, 0)) {
            DeliveryLines lines = running.node().deliveryLines();
            lines.attach();
            assertThat(Logger.getLogger("").getHandlers()).doesNotContain(lines);
            lines.begin();
            lines.end(null, List.of());
            assertThat(new Sql(database).number("SELECT count(*) FROM tasktube_log"))
                    .isZero();
        }
    }
}
