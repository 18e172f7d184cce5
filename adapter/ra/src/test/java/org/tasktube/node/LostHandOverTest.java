package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.narayana.NarayanaTransactionIntegration;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.session.Session;
import org.tasktube.testing.ConnectionSource;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;
import org.tasktube.testing.UnreliableDataSource;
import org.tasktube.tube.TaskReceiver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** A task that was put for a bean is READY soon, if the answer of its put or of its commit was lost. */
@Tag("full")
@Timeout(60)
class LostHandOverTest {

    private static UnreliableDataSource line;

    /** The driver of the pool. */
    public static final class Driver implements ConnectionSource {
        @Override
        public Connection getConnection() throws SQLException {
            return line.getConnection();
        }
    }

    /** Has any number of threads. */
    private static final class Receiver implements TaskReceiver {

        private final Session session = new ClientConnection().session();
        private final AtomicInteger reserved = new AtomicInteger();

        @Override
        public Optional<Reservation> reserve() {
            reserved.incrementAndGet();
            return Optional.of(new Reservation(session, 0, false));
        }

        @Override
        public Optional<Reservation> reserveAhead(int bytes) {
            return Optional.empty();
        }

        @Override
        public void answered() {
            // It has no look that waits
        }

        @Override
        public void commits() {
            // Nothing waits for it
        }

        @Override
        public void cancel() {
            reserved.decrementAndGet();
        }

        @Override
        public void receive(Task task, long since, boolean isLate) {
            throw new AssertionError("its put has failed: " + task);
        }
    }

    private static AgroalDataSource pool() throws SQLException {
        return AgroalDataSource.from(
                new AgroalDataSourceConfigurationSupplier().connectionPoolConfiguration(c -> c.maxSize(8)
                        .acquisitionTimeout(Duration.ofSeconds(2))
                        .transactionIntegration(new NarayanaTransactionIntegration(Jta.MANAGER, Jta.REGISTRY))
                        .connectionFactoryConfiguration(f -> f.connectionProviderClass(Driver.class))));
    }

    private static void check(TestDatabase kind, boolean inTransaction) throws Exception {
        try (HikariDataSource database = kind.create()) {
            line = new UnreliableDataSource(database);
            try (AgroalDataSource pool = pool();
                    RunningNode running = new RunningNode(pool, Jta.TRANSACTIONS, "one")) {
                Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFO);
                Receiver receiver = new Receiver();
                Runnable remove = running.node()
                        .find(tube.name())
                        .orElseThrow()
                        .runtime()
                        .receivers()
                        .add(receiver);
                line.loseAnswerOf("INSERT INTO tasktube_task");
                assertThat(catchThrowable(() -> put(tube, inTransaction))).isNotNull();
                assertThat(line.hasLost()).isTrue();
                assertThat(receiver.reserved).hasValue(0);
                Eventually.holds(() -> readyAndNotTried(database) == 1, "it is READY, and its attempt does not count");
                remove.run();
            }
        }
    }

    private static long readyAndNotTried(HikariDataSource database) {
        try {
            return new Sql(database).number("SELECT count(*) FROM tasktube_task WHERE state = 'r' AND attempts = 0");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void put(Tube tube, boolean inTransaction) throws Exception {
        if (!inTransaction) {
            tube.put("x");
            return;
        }
        Jta.MANAGER.begin();
        tube.put("x");
        Jta.MANAGER.commit();
    }

    @ParameterizedTest
    @DatabaseSource
    void the_answer_of_the_put(TestDatabase kind) throws Exception {
        check(kind, false);
    }

    @ParameterizedTest
    @DatabaseSource
    void the_answer_of_the_commit(TestDatabase kind) throws Exception {
        check(kind, true);
    }
}
