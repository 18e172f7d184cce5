package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.History;
import org.tasktube.Task;
import org.tasktube.TaskNotFoundException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeEvent;
import org.tasktube.TubeNotFoundException;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskEvent;
import org.tasktube.admin.TaskHistory;
import org.tasktube.session.ClientConnection;
import org.tasktube.session.CurrentDelivery;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;
import org.tasktube.tube.TubeEngine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The administration returns the history of a task, with the names of servers, beans, users and tubes. */
@Timeout(60)
class TaskHistoryTest {

    @Nested
    class OnH2 extends Rules {
        @BeforeAll
        static void start() {
            start(TestDatabase.H2, false);
        }
    }

    @Nested
    class OnPostgreSql extends Rules {
        @BeforeAll
        static void start() {
            start(TestDatabase.POSTGRESQL, false);
        }
    }

    @Nested
    class Temporary extends Rules {
        @BeforeAll
        static void start() {
            start(TestDatabase.H2, true);
        }
    }

    abstract static class Rules {

        private static HikariDataSource database;
        private static RunningNode running;
        private static boolean temporary;
        private final ClientConnection connection = new ClientConnection();
        private final ClientConnection bean = ClientConnection.feeding(Optional.of("shop.Mailer"));
        private final Tube orders = newTube(History.ALL);

        static void start(TestDatabase kind, boolean inMemory) {
            database = kind.create();
            running = new RunningNode(database, "app-1");
            temporary = inMemory;
        }

        @AfterAll
        static void stop() {
            running.close();
            database.close();
        }

        private Tube newTube(History history) {
            TubeDefinition definition =
                    TubeDefinition.fifottl(RunningNode.newName()).history(history);
            return running.node().createTube(connection, temporary ? definition.asTemporary() : definition);
        }

        private TaskAdmin admin() {
            return running.node().admin(connection);
        }

        private TaskHistory history(Tube tube, long id) {
            return admin().history(tube.name(), id, Optional.empty(), 100);
        }

        private Task claimed(Tube tube) {
            return engine(tube).claimOn(bean, 1, Long.MAX_VALUE).get(0);
        }

        private static TubeEngine engine(Tube tube) {
            return running.node().find(tube.name()).orElseThrow();
        }

        @Test
        void a_task_that_is_gone_has_its_history() {
            long id = orders.put("x").id();
            assertThat(engine(orders).held().ackDelivered(bean.session(), claimed(orders)))
                    .isTrue();
            assertThat(orders.peek(id)).isEmpty();
            TaskHistory history = history(orders, id);
            assertThat(history.tube()).isEqualTo(orders.name());
            assertThat(history.id()).isEqualTo(id);
            assertThat(history.kept()).isEqualTo(History.ALL);
            assertThat(history.retention()).isEqualTo(TubeDefinition.HISTORY_RETENTION);
            assertThat(history.next()).isEmpty();
            assertThat(history.events())
                    .extracting(TaskEvent::event)
                    .containsExactly(TubeEvent.PUT, TubeEvent.TAKE, TubeEvent.ACK);
            assertThat(history.events()).extracting(TaskEvent::server).containsOnly(Optional.of("app-1"));
            assertThat(history.events())
                    .extracting(TaskEvent::bean)
                    .containsExactly(Optional.empty(), Optional.of("shop.Mailer"), Optional.of("shop.Mailer"));
            assertThat(history.now()).isAfterOrEqualTo(history.events().get(2).at());
        }

        @Test
        void a_delivery_and_the_tasks_that_it_puts_name_each_other() {
            Tube mails = newTube(History.ALL);
            Task order = orders.put("x");
            Task delivered = claimed(orders);
            CurrentDelivery.begin(bean, engine(orders).stored(), List.of(delivered));
            long mail;
            try {
                mail = mails.put("mail").id();
            } finally {
                CurrentDelivery.end();
            }
            assertThat(history(mails, mail).parent()).contains(new TaskHistory.Task(orders.name(), order.id()));
            TaskHistory parent = history(orders, order.id());
            assertThat(parent.parent()).isEmpty();
            assertThat(parent.puts()).hasSize(1);
            assertThat(parent.puts().get(0).tube()).isEqualTo(mails.name());
            assertThat(parent.puts().get(0).id()).isEqualTo(mail);
            long other = mails.put("by no delivery").id();
            assertThat(history(mails, other).parent()).isEmpty();
        }

        @Test
        void pages_follow_each_other() {
            long id = orders.put("x").id();
            for (int i = 0; i < 4; i++) {
                orders.release(orders.take(Duration.ZERO).orElseThrow());
            }
            TaskHistory first = admin().history(orders.name(), id, Optional.empty(), 5);
            TaskHistory second = admin().history(orders.name(), id, first.next(), 4);
            assertThat(first.events()).hasSize(5);
            assertThat(second.events()).hasSize(4);
            assertThat(second.next()).isEmpty();
            assertThat(second.events().get(3).attempt()).isEqualTo(4);
        }

        @Test
        void calls_in_the_name_of_a_user_leave_the_name() {
            Task task = admin().inNameOf("anna", () -> orders.put("x"));
            orders.delete(task.id());
            assertThat(history(orders, task.id()).events())
                    .extracting(TaskEvent::by)
                    .containsExactly(Optional.of("anna"), Optional.empty());
            assertThatThrownBy(() -> admin().inNameOf(" ", () -> orders.put("x")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("name of the user");
        }

        @Test
        void a_task_without_a_history_has_an_empty_one() {
            Tube silent = newTube(History.OFF);
            long id = silent.put("x").id();
            assertThat(history(silent, id).events()).isEmpty();
            assertThat(history(silent, id).kept()).isEqualTo(History.OFF);
        }

        @Test
        void an_unknown_tube_task_page_or_number_is_an_error() {
            long id = orders.put("x").id();
            assertThatThrownBy(() -> admin().history("nowhere", id, Optional.empty(), 1))
                    .isInstanceOf(TubeNotFoundException.class);
            assertThatThrownBy(() -> history(orders, 4711)).isInstanceOf(TaskNotFoundException.class);
            for (int limit : List.of(0, TaskAdmin.MAX_EVENTS + 1)) {
                assertThatThrownBy(() -> admin().history(orders.name(), id, Optional.empty(), limit))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining(Integer.toString(limit));
            }
            for (String from : List.of("", "x", "-1")) {
                assertThatThrownBy(() -> admin().history(orders.name(), id, Optional.of(from), 1))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("'" + from + "'");
            }
        }
    }

    @Nested
    class AfterAServer {

        @Test
        void the_end_of_a_server_is_in_the_histories_of_its_tasks() {
            try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                    RunningNode one = new RunningNode(database, "one");
                    RunningNode two = new RunningNode(database, "two")) {
                ClientConnection here = new ClientConnection();
                Tube tube = one.node()
                        .createTube(
                                here,
                                TubeDefinition.fifottl(RunningNode.newName()).history(History.FAILURES));
                Task task = tube.put("x");
                assertThat(two.node().tube(new ClientConnection(), tube.name()).take(Duration.ZERO))
                        .isPresent();
                two.kill();
                Eventually.holds(() -> tube.peekReady().isPresent(), "the task is READY again");
                TaskHistory history = one.node().admin(here).history(tube.name(), task.id(), Optional.empty(), 9);
                assertThat(history.events()).extracting(TaskEvent::event).containsExactly(TubeEvent.RELEASED_AT_START);
                assertThat(history.events().get(0).server()).contains("one");
            }
        }
    }
}
