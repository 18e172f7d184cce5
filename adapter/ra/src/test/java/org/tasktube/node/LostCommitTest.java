package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.narayana.NarayanaTransactionIntegration;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.ConnectionSource;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;
import org.tasktube.testing.UnreliableDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Statistics are right again soon after the answer of a JTA transaction's commit was lost. */
@Tag("full")
@Timeout(60)
class LostCommitTest {

    private static UnreliableDataSource line;

    /** The driver of the pool. */
    public static final class Driver implements ConnectionSource {
        @Override
        public Connection getConnection() throws SQLException {
            return line.getConnection();
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void of_a_put(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create()) {
            line = new UnreliableDataSource(database);
            try (AgroalDataSource pool = AgroalDataSource.from(
                            new AgroalDataSourceConfigurationSupplier().connectionPoolConfiguration(c -> c.maxSize(8)
                                    .acquisitionTimeout(Duration.ofSeconds(2))
                                    .transactionIntegration(
                                            new NarayanaTransactionIntegration(Jta.MANAGER, Jta.REGISTRY))
                                    .connectionFactoryConfiguration(f -> f.connectionProviderClass(Driver.class))));
                    RunningNode running = new RunningNode(pool, Jta.TRANSACTIONS, "one")) {
                Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFO);
                line.loseAnswerOf("INSERT INTO tasktube_task");
                String thrown = "none";
                Jta.MANAGER.begin();
                tube.put("a");
                try {
                    Jta.MANAGER.commit();
                } catch (Exception e) {
                    thrown = e.toString();
                }
                assertThat(line.hasLost()).isTrue();
                assertThat(tube.tasks(TaskState.READY, 0, 10)).hasSize(1);
                Eventually.holds(
                        () -> tube.statistics().ready() == 1, "1 READY, commit: " + thrown + " " + tube.statistics());
            }
        }
    }
}
