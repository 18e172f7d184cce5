package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A connection that is got, used for a put and closed in a transaction costs no more than that put. */
@Tag("full")
@Timeout(60)
class ProducerInTransactionTest {

    private static final int PUTS = 300;
    private static final String NODE = "producer";

    private static long waitsOfTheMaintenanceThread() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("Maintenance-" + NODE))
                .mapToLong(thread -> ManagementFactory.getThreadMXBean()
                        .getThreadInfo(thread.getId())
                        .getWaitedCount())
                .sum();
    }

    @ParameterizedTest
    @DatabaseSource
    void a_producer_does_not_wake_the_maintenance_thread(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create();
                AgroalDataSource pool = Jta.pool(database);
                RunningNode running = new RunningNode(pool, Jta.TRANSACTIONS, NODE)) {
            Node node = running.node();
            String name =
                    running.newTube(new ClientConnection(), TubeDefinition.FIFO).name();
            long before = waitsOfTheMaintenanceThread();
            for (int i = 0; i < PUTS; i++) {
                Jta.MANAGER.begin();
                ClientConnection connection = new ClientConnection();
                node.tube(connection, name).put("a");
                node.close(connection);
                Jta.MANAGER.commit();
            }
            assertThat(before).as("the thread has waited").isPositive();
            assertThat(waitsOfTheMaintenanceThread() - before)
                    .as("its waits during %d puts", PUTS)
                    .isLessThan(PUTS / 2);
            Tube tube = node.tube(new ClientConnection(), name);
            assertThat(tube.statistics().ready()).isEqualTo(PUTS);
        }
    }
}
