package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeExistsException;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A tube that a transaction drops, and what the same transaction does by its name. */
class DroppedInTransactionTest {

    @ParameterizedTest
    @DatabaseSource
    void a_tube_that_the_same_transaction_drops_can_be_created_after_its_commit(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create();
                AgroalDataSource pool = Jta.pool(database);
                RunningNode running = new RunningNode(pool, Jta.TRANSACTIONS, "one")) {
            ClientConnection client = new ClientConnection();
            Tube tube = running.newTube(client, TubeDefinition.FIFO);
            TubeDefinition definition = TubeDefinition.of(tube.name(), TubeDefinition.FIFO);
            Jta.MANAGER.begin();
            tube.drop();
            assertThatThrownBy(() -> running.node().createTubeIfNotExists(client, definition))
                    .isInstanceOf(TubeExistsException.class)
                    .hasMessageContaining("after the commit");
            Jta.MANAGER.commit();
            running.node().createTubeIfNotExists(client, definition).put("a");
            Tube again = running.node().tube(client, tube.name());
            assertThat(again.take(Duration.ZERO)).map(Task::text).contains("a");
        }
    }
}
