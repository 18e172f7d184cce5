package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.tasktube.SessionExpiredException;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.TaskTakenByAnotherException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.OnDatabase;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Sessions that several connections share, on one server and on two, with a ttr and without. */
class SharedSessionsTest {

    private static final Duration TTR = Duration.ofMillis(1_500);
    private static final Duration LONG = Duration.ofMinutes(10);

    @Nested
    @OnDatabase(TestDatabase.H2)
    class OnH2 extends Rules {}

    @Nested
    @OnDatabase(TestDatabase.POSTGRESQL)
    class OnPostgreSql extends Rules {}

    abstract static class Rules {

        private HikariDataSource database;
        private final ClientConnection client = new ClientConnection();
        private final ClientConnection other = new ClientConnection();

        @BeforeEach
        void start() {
            database = TestDatabase.of(this).create();
        }

        @AfterEach
        void stop() {
            database.close();
        }

        private static Task putAndTake(Tube tube) {
            tube.put("a");
            return tube.take(Duration.ZERO).orElseThrow();
        }

        private static TaskState state(Tube tube, Task task) {
            return tube.peek(task.id()).orElseThrow().state();
        }

        @Test
        void a_session_that_is_kept_acks_on_a_later_connection_and_no_connection_is_open_between() {
            try (RunningNode one = new RunningNode(database)) {
                Tube tube = one.newTube(client, TubeDefinition.FIFO);
                Task task = putAndTake(tube);
                UUID session = one.node().identify(client, LONG);
                one.node().close(client);
                assertThat(state(one.node().tube(other, tube.name()), task)).isEqualTo(TaskState.TAKEN);
                one.node().identify(other, session.toString());
                one.node().tube(other, tube.name()).ack(task);
                assertThat(one.node().tube(other, tube.name()).peek(task.id())).isEmpty();
            }
        }

        @Test
        void a_session_that_is_kept_ends_after_its_time_and_its_tasks_are_ready() {
            try (RunningNode one = new RunningNode(database)) {
                Tube tube = one.newTube(other, TubeDefinition.FIFO);
                Tube temporary = one.inMemory().newTube(other, TubeDefinition.FIFO);
                Task task = putAndTake(one.node().tube(client, tube.name()));
                Task inMemory = putAndTake(one.node().tube(client, temporary.name()));
                UUID session = one.node().identify(client, Duration.ofMillis(400));
                one.node().close(client);
                Eventually.holds(() -> state(tube, task) == TaskState.READY, "the task is READY");
                Eventually.holds(() -> state(temporary, inMemory) == TaskState.READY, "the task in memory is READY");
                assertThatThrownBy(() -> one.node().identify(other, session.toString()))
                        .isInstanceOf(SessionExpiredException.class);
            }
        }

        @Test
        void a_time_to_keep_a_session_has_bounds() {
            try (RunningNode one = new RunningNode(database)) {
                for (Duration wrong : new Duration[] {
                    Duration.ofMillis(-1), Duration.ofDays(1).plusMillis(1)
                }) {
                    assertThatThrownBy(() -> one.node().identify(client, wrong))
                            .isInstanceOf(IllegalArgumentException.class)
                            .hasMessage(
                                    "the time " + wrong + " to keep a session is out of its bounds; set 0 to 1 day");
                }
            }
        }

        @Test
        void two_connections_of_one_session_ack_for_each_other() {
            try (RunningNode one = new RunningNode(database)) {
                Tube tube = one.newTube(client, TubeDefinition.FIFO);
                Task task = putAndTake(tube);
                Tube others = one.node().tube(other, tube.name());
                assertThatThrownBy(() -> others.ack(task)).isInstanceOf(TaskTakenByAnotherException.class);
                one.node().identify(other, one.node().identify(client).toString());
                others.ack(task);
                assertThat(tube.peek(task.id())).isEmpty();
            }
        }

        @Test
        void a_session_is_found_by_the_task_that_it_holds() {
            try (RunningNode one = new RunningNode(database)) {
                Tube tube = one.newTube(client, TubeDefinition.FIFO);
                Task task = putAndTake(tube);
                UUID holder = tube.meta(task.id()).orElseThrow().session().orElseThrow();
                one.node().identify(other, holder.toString());
                one.node().tube(other, tube.name()).ack(task);
            }
        }

        @Test
        void the_last_connection_of_a_session_releases_what_it_holds() {
            try (RunningNode one = new RunningNode(database)) {
                Tube tube = one.newTube(client, TubeDefinition.FIFO);
                Task task = putAndTake(tube);
                one.node().identify(other, one.node().identify(client).toString());
                one.node().close(client);
                Tube others = one.node().tube(other, tube.name());
                assertThat(state(others, task)).isEqualTo(TaskState.TAKEN);
                one.node().close(other);
                Tube again = one.node().tube(new ClientConnection(), tube.name());
                assertThat(state(again, task)).isEqualTo(TaskState.READY);
            }
        }

        @Test
        void going_over_to_another_session_leaves_the_one_before() {
            try (RunningNode one = new RunningNode(database)) {
                Tube tube = one.newTube(client, TubeDefinition.FIFO);
                Task task = putAndTake(tube);
                one.node().identify(client, one.node().identify(other).toString());
                assertThat(state(tube, task)).isEqualTo(TaskState.READY);
            }
        }

        @Test
        void a_wrong_format_and_a_session_that_is_not_there_are_two_errors() {
            try (RunningNode one = new RunningNode(database)) {
                assertThatThrownBy(() -> one.node().identify(client, "nobody"))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("'nobody'");
                UUID expired = one.node().identify(other);
                one.node().close(other);
                assertThatThrownBy(() -> one.node().identify(client, expired.toString()))
                        .isInstanceOf(SessionExpiredException.class)
                        .hasMessageContaining(expired.toString());
                assertThatThrownBy(() ->
                                one.node().identify(client, UUID.randomUUID().toString()))
                        .isInstanceOf(SessionExpiredException.class);
            }
        }

        @Test
        void with_a_ttr_a_session_can_be_taken_up_again_and_its_task_acked() {
            try (RunningNode one = new RunningNode(database, "one", LONG)) {
                Tube tube = one.newTube(client, TubeDefinition.FIFO);
                Task task = putAndTake(tube);
                UUID session = one.node().identify(client);
                one.node().close(client);
                one.node().identify(other, session.toString());
                one.node().tube(other, tube.name()).ack(task);
            }
        }

        @Test
        void after_its_ttr_a_session_has_expired_and_its_tasks_are_ready() throws Exception {
            try (RunningNode one = new RunningNode(database, "one", TTR)) {
                Tube tube = one.newTube(client, TubeDefinition.FIFO);
                Tube waiting = one.node().tube(new ClientConnection(), tube.name());
                Task task = putAndTake(tube);
                UUID session = one.node().identify(client);
                CompletableFuture<Optional<Task>> take =
                        CompletableFuture.supplyAsync(() -> waiting.take(Duration.ofSeconds(20)));
                long closed = System.nanoTime();
                one.node().close(client);
                assertThat(take.get(20, TimeUnit.SECONDS).map(Task::id)).contains(task.id());
                assertThat(Duration.ofNanos(System.nanoTime() - closed)).isGreaterThanOrEqualTo(TTR);
                assertThatThrownBy(() -> one.node().identify(other, session.toString()))
                        .isInstanceOf(SessionExpiredException.class);
            }
        }

        @Test
        void a_session_of_two_servers_lasts_until_the_last_connection_on_either() {
            try (RunningNode one = new RunningNode(database, "one");
                    RunningNode two = new RunningNode(database, "two")) {
                Tube tube = one.newTube(client, TubeDefinition.FIFO);
                Task task = putAndTake(tube);
                two.node().identify(other, one.node().identify(client).toString());
                one.node().close(client);
                Tube there = two.node().tube(other, tube.name());
                assertThat(state(there, task)).isEqualTo(TaskState.TAKEN);
                two.node().close(other);
                Tube again = two.node().tube(new ClientConnection(), tube.name());
                assertThat(state(again, task)).isEqualTo(TaskState.READY);
            }
        }

        @Test
        void another_server_acks_what_a_killed_one_held_within_the_ttr_of_the_session() throws Exception {
            RunningNode killed = new RunningNode(database, "killed", LONG);
            Tube tube = killed.newTube(client, TubeDefinition.FIFO);
            tube.put("private");
            Task task = putAndTakeSecond(killed, tube);
            UUID session = killed.node().identify(client);
            killed.kill();
            try (RunningNode two = new RunningNode(database, "two", LONG)) {
                Tube there = two.node().tube(other, tube.name());
                assertThat(there.take(Duration.ofSeconds(20)).map(Task::text))
                        .as("what an unknown session held is ready, so the server was taken for dead")
                        .contains("private");
                assertThat(state(there, task)).isEqualTo(TaskState.TAKEN);
                two.node().identify(other, session.toString());
                there.ack(task);
            }
        }

        /** Another client takes the first task, and ours the second. */
        private static Task putAndTakeSecond(RunningNode running, Tube tube) {
            tube.put("shared");
            Tube others = running.node().tube(new ClientConnection(), tube.name());
            assertThat(others.take(Duration.ZERO).map(Task::text)).contains("private");
            return tube.take(Duration.ZERO).orElseThrow();
        }

        @Test
        void without_a_ttr_a_killed_server_s_sessions_end_with_it() throws Exception {
            RunningNode killed = new RunningNode(database, "killed");
            Tube tube = killed.newTube(client, TubeDefinition.FIFO);
            Task task = putAndTake(tube);
            UUID session = killed.node().identify(client);
            killed.kill();
            try (RunningNode two = new RunningNode(database, "two")) {
                Tube there = two.node().tube(new ClientConnection(), tube.name());
                Eventually.holds(() -> state(there, task) == TaskState.READY, "it is released");
                assertThatThrownBy(() -> two.node().identify(other, session.toString()))
                        .isInstanceOf(SessionExpiredException.class);
            }
        }
    }
}
