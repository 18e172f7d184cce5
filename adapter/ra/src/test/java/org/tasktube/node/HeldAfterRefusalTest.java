package org.tasktube.node;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.tasktube.Task;
import org.tasktube.TaskNotFoundException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.Jta;
import org.tasktube.testing.JtaNode;
import org.tasktube.testing.OnDatabase;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A refused operation does not make a session forget what it holds: the next check would release the task. */
class HeldAfterRefusalTest {

    @Nested
    @OnDatabase(TestDatabase.H2)
    class OnH2 extends Rules {}

    @Nested
    @OnDatabase(TestDatabase.POSTGRESQL)
    class OnPostgreSql extends Rules {}

    abstract static class Rules {

        private JtaNode server;
        private final ClientConnection client = new ClientConnection();
        private Tube tube;

        @BeforeEach
        void start() {
            server = new JtaNode(TestDatabase.of(this).create());
            tube = server.running().newTube(client, TubeDefinition.FIFO);
        }

        @AfterEach
        void stop() {
            server.close();
        }

        private Task taken() {
            tube.put("held");
            return tube.take(Duration.ZERO).orElseThrow();
        }

        private void check() {
            Node node = server.node();
            node.parts().calls().call(() -> {
                node.parts().holderCheck().check(node.registry(), node.number());
                return null;
            });
        }

        @Test
        void a_task_that_was_acked_in_another_tube_stays_with_its_holder() {
            Task held = taken();
            Tube other = server.running().newTube(client, TubeDefinition.FIFO);
            assertThatThrownBy(() -> other.ack(held)).isInstanceOf(TaskNotFoundException.class);
            check();
            tube.ack(held);
            assertThat(tube.peek(held.id())).isEmpty();
        }

        @Test
        void a_task_that_was_acked_twice_in_a_transaction_that_rolls_back_stays_with_its_holder() throws Exception {
            Task held = taken();
            Jta.MANAGER.begin();
            tube.ack(held);
            assertThatThrownBy(() -> tube.ack(held)).isInstanceOf(TaskNotFoundException.class);
            Jta.MANAGER.rollback();
            check();
            tube.ack(held);
            assertThat(tube.peek(held.id())).isEmpty();
        }

        @Test
        void a_task_that_was_deleted_and_released_in_a_transaction_that_rolls_back_stays_with_its_holder()
                throws Exception {
            Task held = taken();
            Jta.MANAGER.begin();
            tube.delete(held.id());
            assertThatThrownBy(() -> tube.release(held)).isInstanceOf(TaskNotFoundException.class);
            Jta.MANAGER.rollback();
            check();
            tube.ack(held);
            assertThat(tube.peek(held.id())).isEmpty();
        }
    }
}
