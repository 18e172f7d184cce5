package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A tube that a transaction drops, and what the same transaction does by its name. */
class DroppedInTransactionTest {

    @Test
    void a_tube_that_was_dropped_in_the_same_transaction_does_not_exist_for_it() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                AgroalDataSource pool = Jta.pool(database);
                RunningNode running = new RunningNode(pool, Jta.TRANSACTIONS, "one")) {
            ClientConnection client = new ClientConnection();
            Tube tube = running.newTube(client, TubeDefinition.FIFO);
            TubeDefinition definition = TubeDefinition.of(tube.name(), TubeDefinition.FIFO);
            Jta.MANAGER.begin();
            try {
                tube.drop();
                running.node().createTubeIfNotExists(client, definition).put("a");
            } catch (RuntimeException e) {
                Jta.MANAGER.rollback();
                throw e;
            }
            Jta.MANAGER.commit();
            Tube again = running.node().tube(client, tube.name());
            assertThat(again.take(Duration.ZERO)).map(Task::text).contains("a");
        }
    }
}
