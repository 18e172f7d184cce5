package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.TransactionNotActiveException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;
import org.tasktube.tube.TubeEngine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A bean that works for longer than its transaction lives, on WildFly's transaction manager with its reaper. */
class TimedOutBeanTest {

    private final ClientConnection activation = ClientConnection.feeding();
    private final ClientConnection bean = new ClientConnection();

    @AfterEach
    void leave() throws SystemException {
        Jta.MANAGER.suspend();
    }

    @ParameterizedTest
    @CsvSource({"H2, false", "POSTGRESQL, false", "H2, true"})
    void the_ack_of_a_bean_whose_transaction_timed_out_fails_and_its_work_is_undone(
            TestDatabase kind, boolean temporary) throws Exception {
        try (HikariDataSource database = kind.create();
                AgroalDataSource pool = Jta.pool(database);
                RunningNode running = new RunningNode(pool, Jta.TRANSACTIONS, settings())) {
            execute(pool, "CREATE TABLE work (n INT)");
            Tube tube = temporary
                    ? running.withTemporary().newTube(bean, TubeDefinition.FIFO)
                    : running.newTube(bean, TubeDefinition.FIFO);
            TubeEngine engine = running.node().find(tube.name()).orElseThrow();
            tube.put("a");
            Task task = engine.claimOn(activation, 1, Long.MAX_VALUE).get(0);

            beginForOneSecond();
            execute(pool, "INSERT INTO work VALUES (1)");
            tube.put("undone");
            awaitReaper();
            assertThatThrownBy(() -> engine.held().ackDelivered(activation.session(), task))
                    .isInstanceOf(TransactionNotActiveException.class)
                    .hasMessageContaining("timeout");
            assertThatThrownBy(() -> tube.put("too late")).isInstanceOf(TransactionNotActiveException.class);
            Jta.MANAGER.suspend();

            assertThat(rows(pool)).isZero();
            assertThat(tube.peek(task.id()).map(Task::state)).contains(TaskState.TAKEN);
            assertThat(tube.tasks(TaskState.READY, 0, 10)).isEmpty();
            assertThat(tube.statistics().total()).isOne();
            assertThat(engine.held().ackDelivered(activation.session(), task))
                    .as("it is still held by the bean's session")
                    .isTrue();
        }
    }

    private static Settings settings() {
        return new Settings("test", 1 << 20, RunningNode.POLL, Duration.ofSeconds(30), Duration.ZERO);
    }

    private static void beginForOneSecond() throws Exception {
        Jta.MANAGER.setTransactionTimeout(1);
        Jta.MANAGER.begin();
        Jta.MANAGER.setTransactionTimeout(0);
    }

    private static void awaitReaper() {
        Eventually.holds(() -> status() == Status.STATUS_ROLLEDBACK, "the rollback after the timeout");
    }

    private static int status() {
        try {
            return Jta.MANAGER.getStatus();
        } catch (SystemException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void execute(DataSource pool, String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static int rows(DataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM work")) {
            rows.next();
            return rows.getInt(1);
        }
    }
}
