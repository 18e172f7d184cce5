package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.FailureGroup;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.TaskNotFoundException;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeNotFoundException;
import org.tasktube.admin.BeanStatus;
import org.tasktube.admin.OldestReady;
import org.tasktube.admin.ServerStatus;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.WaitingTask;
import org.tasktube.admin.WaitingTask.Reason;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.Change;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;
import org.tasktube.tube.TubeEngine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The administration names servers, failures, and the reason why a task waits. */
@Timeout(60)
class AdministrationTest {

    abstract static class Rules {

        private static final Duration LONG = Duration.ofSeconds(20);

        private static HikariDataSource database;
        private static RunningNode running;
        private final ClientConnection connection = new ClientConnection();
        private final ClientConnection bean = ClientConnection.feeding();
        private Tube orders;
        private Tube mail;

        static void start(TestDatabase kind, boolean inMemory) {
            database = kind.create();
            running = new RunningNode(database, "app-1");
            if (inMemory) {
                running.withTemporary();
            }
        }

        @AfterAll
        static void stop() {
            running.close();
            database.close();
        }

        @BeforeEach
        void create() {
            orders = running.newTube(connection, TubeDefinition.UTUBETTL);
            mail = running.newTube(connection, TubeDefinition.FIFOTTL);
        }

        @AfterEach
        void drop() {
            running.node().close(connection);
            running.node().close(bean);
            for (Tube tube : List.of(orders, mail)) {
                Tube again = running.node().tube(new ClientConnection(), tube.name());
                again.truncate();
                again.drop();
            }
        }

        TaskAdmin admin() {
            return running.node().admin(new ClientConnection());
        }

        private WaitingTask why(Tube tube, Task task) {
            return admin().whyWaiting(tube.name(), task.id());
        }

        private Reason reason(Tube tube, Task task) {
            return why(tube, task).reason();
        }

        private Task fail(Tube tube, String message, Optional<Duration> delay) {
            TubeEngine engine = running.node().find(tube.name()).orElseThrow();
            Task task = engine.claimOn(bean, 1, Long.MAX_VALUE).get(0);
            TaskFailure failure = new TaskFailure("shop.Timeout", message, "");
            assertThat(engine.held().applyOutcome(bean.session(), task, Change.failed(failure, delay)))
                    .isTrue();
            return task;
        }

        // Failures

        @Test
        void failures_are_counted_by_kind_the_largest_first() {
            for (int i = 0; i < 3; i++) {
                mail.put("x");
            }
            fail(mail, "no answer for 7 s from " + mail.name(), Optional.empty());
            fail(mail, "no answer for 8 s from " + mail.name(), Optional.of(LONG));
            fail(mail, "something else of " + mail.name(), Optional.empty());
            List<FailureGroup> groups = admin().failures(TaskAdmin.MAX_PAGE).stream()
                    .filter(group -> group.tubes().contains(mail.name()))
                    .toList();
            assertThat(groups).extracting(FailureGroup::total).containsExactly(2L, 1L);
            assertThat(groups.get(0).tasks()).isEqualTo(Map.of(TaskState.BURIED, 1L, TaskState.DELAYED, 1L));
            assertThat(admin().failures(1)).hasSize(1);
        }

        @Test
        void the_number_of_kinds_has_its_bounds() {
            for (int wrong : new int[] {0, -1, TaskAdmin.MAX_PAGE + 1}) {
                assertThatThrownBy(() -> admin().failures(wrong))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining(wrong + ", is not from 1 to 500");
            }
        }

        // Servers

        @Test
        void this_server_has_the_tasks_and_sessions_that_it_holds() {
            mail.put("a");
            mail.put("b");
            ServerStatus before = here();
            mail.take(2, Duration.ZERO);
            ServerStatus after = here();
            assertThat(after.taken() - before.taken()).isEqualTo(2);
            assertThat(after.sessions() - before.sessions()).isEqualTo(1);
            assertThat(after.name()).isEqualTo("app-1");
            assertThat(after.number()).isEqualTo(running.node().number());
            assertThat(after.state()).isEqualTo(ServerStatus.State.RUNNING);
            assertThat(after.heartbeat()).isPresent();
            assertThat(after.silence()).isBetween(Duration.ZERO, Duration.ofMinutes(5));
            assertThat(after.beans()).contains(List.of());
        }

        private ServerStatus here() {
            return admin().servers().stream()
                    .filter(ServerStatus::isThis)
                    .findFirst()
                    .orElseThrow();
        }

        // Oldest

        @Test
        void the_oldest_task_of_each_tube_has_its_age_in_the_order_of_names() {
            Task first = mail.put("a");
            orders.put("a", PutOptions.defaults().utube("u"));
            mail.put("b");
            List<OldestReady> oldest = admin().oldestReady();
            assertThat(oldest)
                    .extracting(OldestReady::tube)
                    .contains(mail.name())
                    .isSorted();
            OldestReady ofMail = oldest.stream()
                    .filter(each -> each.tube().equals(mail.name()))
                    .findFirst()
                    .orElseThrow();
            assertThat(ofMail.task()).isEqualTo(first.id());
            assertThat(ofMail.age()).isBetween(Duration.ZERO, LONG);
        }

        // Reasons

        @Test
        void no_task_and_no_tube_are_errors_of_their_own() {
            assertThatThrownBy(() -> admin().whyWaiting(mail.name(), 1)).isInstanceOf(TaskNotFoundException.class);
            assertThatThrownBy(() -> admin().whyWaiting("nothing", 1)).isInstanceOf(TubeNotFoundException.class);
            assertThatThrownBy(() -> admin().whyWaiting("no tube", 1)).isInstanceOf(IllegalArgumentException.class);
        }

        @Test
        void a_delayed_task_waits_for_the_end_of_its_delay() {
            Task task = mail.put("x", PutOptions.defaults().delay(Duration.ofHours(1)));
            WaitingTask why = why(mail, task);
            assertThat(why.reason()).isEqualTo(Reason.DELAYED);
            assertThat(Duration.between(why.now(), why.until().orElseThrow()))
                    .isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
            assertThat(why.sentence())
                    .matches("Task \\d+ of tube '\\w+' is delayed until \\S+, for (1 h|59 min \\d+ s) from now\\.");
        }

        @Test
        void a_taken_task_has_its_holder() {
            mail.put("x", PutOptions.defaults().ttr(Duration.ofHours(1)));
            Task task = mail.take(Duration.ZERO).orElseThrow();
            WaitingTask why = why(mail, task);
            WaitingTask.Holder holder = why.holder().orElseThrow();
            assertThat(why.reason()).isEqualTo(Reason.TAKEN);
            assertThat(holder.server()).isEqualTo("app-1");
            assertThat(holder.session()).isEqualTo(connection.session().id());
            assertThat(why.until()).isEqualTo(holder.until());
            assertThat(why.sentence())
                    .contains("is TAKEN by session " + holder.session() + " of server 'app-1' since ")
                    .contains("its ttr ends at ");
        }

        @Test
        void a_buried_task_has_its_last_failure() {
            mail.put("x");
            Task task = fail(mail, "no answer", Optional.empty());
            WaitingTask why = why(mail, task);
            assertThat(why.reason()).isEqualTo(Reason.BURIED);
            assertThat(why.failure().orElseThrow().message()).isEqualTo("no answer");
            assertThat(why.sentence())
                    .contains("is BURIED after 1 attempt, of which the last failed by shop.Timeout: no answer");
        }

        @Test
        void a_task_of_a_paused_tube_names_who_paused_it_and_why() {
            Task task = mail.put("x");
            mail.pause("the mail server is away", "ann");
            WaitingTask why = why(mail, task);
            assertThat(why.reason()).isEqualTo(Reason.TUBE_PAUSED);
            assertThat(why.pause().orElseThrow().by()).isEqualTo("ann");
            assertThat(why.sentence())
                    .startsWith("Tube '" + mail.name() + "' is PAUSED by 'ann' since ")
                    .endsWith(": the mail server is away.");
            mail.resume();
        }

        @Test
        void a_task_whose_ttl_is_over_is_not_taken() {
            Task task = mail.put("x", PutOptions.defaults().ttl(Duration.ofMillis(300)));
            assertThat(reason(mail, task)).isNotEqualTo(Reason.EXPIRED);
            Eventually.holds(
                    () -> {
                        try {
                            return reason(mail, task) == Reason.EXPIRED;
                        } catch (TaskNotFoundException e) {
                            return true;
                        }
                    },
                    "the ttl is over");
        }

        @Test
        void a_task_waits_behind_the_taken_one_of_its_sub_queue() {
            PutOptions shop = PutOptions.defaults().utube("shop 7");
            Task first = orders.put("1", shop);
            Task second = orders.put("2", shop);
            Task third = orders.put("3", shop);
            assertThat(orders.take(Duration.ZERO).map(Task::id)).contains(first.id());
            WaitingTask why = why(orders, third);
            assertThat(why.reason()).isEqualTo(Reason.BEHIND_IN_SUB_QUEUE);
            assertThat(why.before()).contains(new WaitingTask.Position(2, false, OptionalLong.of(first.id())));
            assertThat(why.holder().orElseThrow().task()).isEqualTo(first.id());
            assertThat(why.sentence())
                    .contains("waits behind task " + first.id() + " in sub-queue 'shop 7', which server 'app-1' holds")
                    .endsWith("; 1 other task comes before it.");
            assertThat(why(orders, second).sentence()).doesNotContain("other task");
        }

        @Test
        void a_ready_task_without_any_consumer_says_so() {
            Task task = mail.put("x");
            WaitingTask why = why(mail, task);
            assertThat(why.reason()).isEqualTo(Reason.NO_CONSUMER);
            assertThat(why.before()).contains(new WaitingTask.Position(0, false, OptionalLong.empty()));
            assertThat(why.sentence()).contains("No bean and no take waits for tube '" + mail.name() + "'");
        }

        @Test
        void a_ready_task_with_a_consumer_has_its_place_in_the_order() {
            mail.put("held");
            Task first = mail.put("1");
            Task second = mail.put("2");
            mail.take(Duration.ZERO);
            assertThat(reason(mail, first)).isEqualTo(Reason.NEXT);
            WaitingTask why = why(mail, second);
            assertThat(why.reason()).isEqualTo(Reason.BEHIND);
            assertThat(why.before()).contains(new WaitingTask.Position(1, false, OptionalLong.of(first.id())));
            assertThat(why.sentence()).endsWith("1 task comes before it; the next is task " + first.id() + ".");
        }

        @Test
        void more_than_a_thousand_tasks_before_it_are_not_counted() {
            mail.put("held");
            mail.take(Duration.ZERO);
            mail.putAll(java.util.Collections.nCopies(1_001, "x"), PutOptions.defaults());
            Task last = mail.put("last");
            WaitingTask.Position before = why(mail, last).before().orElseThrow();
            assertThat(before.count()).isEqualTo(1_000);
            assertThat(before.isMore()).isTrue();
            assertThat(why(mail, last).sentence()).contains("more than 1,000 tasks come before it");
        }

        /** A bean that gets no more tasks. */
        private record BusyBean(String tube) implements ActiveBean {

            @Override
            public BeanStatus status() {
                BeanStatus.Hindrance busy = new BeanStatus.Hindrance(BeanStatus.Reason.BUSY, "Bean 'worker' is busy.");
                return new BeanStatus("worker", tube, 1, 1, 0, List.of(), 0, Optional.of(busy));
            }

            @Override
            public boolean hasClaimed(long task) {
                return false;
            }
        }

        @Test
        void a_hindered_bean_is_the_reason_unless_the_sub_queue_has_a_taken_task() {
            PutOptions shop = PutOptions.defaults().utube("shop 7");
            Task first = orders.put("1", shop);
            Task second = orders.put("2", shop);
            Runnable hide = running.node().show(new BusyBean(orders.name()));
            try {
                WaitingTask ready = why(orders, second);
                assertThat(ready.reason()).isEqualTo(Reason.CONSUMERS_HINDERED);
                assertThat(ready.sentence()).isEqualTo("Bean 'worker' is busy.");
                assertThat(ready.bean()).contains("worker");
                assertThat(orders.take(Duration.ZERO).map(Task::id)).contains(first.id());
                assertThat(reason(orders, second)).isEqualTo(Reason.BEHIND_IN_SUB_QUEUE);
            } finally {
                hide.run();
            }
        }

        @Test
        void a_waiting_take_is_a_consumer() throws Exception {
            Task blocker = orders.put("1", PutOptions.defaults().utube("u"));
            Task second = orders.put("2", PutOptions.defaults().utube("u"));
            assertThat(reason(orders, second)).isEqualTo(Reason.NO_CONSUMER);
            Tube other = running.node().tube(new ClientConnection(), orders.name());
            assertThat(orders.take(Duration.ZERO).map(Task::id)).contains(blocker.id());
            CompletableFuture<Optional<Task>> take = CompletableFuture.supplyAsync(() -> other.take(LONG));
            Eventually.holds(
                    () -> running.node()
                                    .find(orders.name())
                                    .orElseThrow()
                                    .takers()
                                    .length()
                            == 1,
                    "a take waits");
            assertThat(reason(orders, second)).isEqualTo(Reason.BEHIND_IN_SUB_QUEUE);
            running.node().close(connection);
            assertThat(take.get(60, TimeUnit.SECONDS)).isPresent();
        }
    }

    @Nested
    class OnH2 extends Rules {
        @BeforeAll
        static void open() {
            start(TestDatabase.H2, false);
        }
    }

    @Nested
    class OnPostgreSql extends Rules {
        @BeforeAll
        static void open() {
            start(TestDatabase.POSTGRESQL, false);
        }
    }

    @Nested
    class Temporary extends Rules {
        @BeforeAll
        static void open() {
            start(TestDatabase.H2, true);
        }
    }

    /** Beside other servers, and other stores. */
    @Nested
    class BesideOthers {

        @Test
        void a_kind_of_failure_in_the_database_and_in_memory_is_one_group() {
            try (HikariDataSource database = TestDatabase.H2.create();
                    RunningNode running = new RunningNode(database, "one")) {
                ClientConnection connection = ClientConnection.feeding();
                Tube kept = running.newTube(connection, TubeDefinition.FIFOTTL);
                failOne(running, connection, kept, "big");
                failOne(running, connection, kept, "big");
                failOne(running, connection, kept, "both");
                Tube temporary = running.withTemporary().newTube(connection, TubeDefinition.FIFOTTL);
                failOne(running, connection, temporary, "both");
                failOne(running, connection, temporary, "both");
                List<FailureGroup> largest = running.node().admin(connection).failures(1);
                assertThat(largest).singleElement().satisfies(group -> {
                    assertThat(group.fingerprint().message()).isEqualTo("both");
                    assertThat(group.total()).isEqualTo(3);
                    assertThat(group.tubes()).containsExactlyInAnyOrder(kept.name(), temporary.name());
                    assertThat(group.sampleTube()).isEqualTo(temporary.name());
                    assertThat(group.first()).isBefore(group.last());
                });
            }
        }

        private void failOne(RunningNode running, ClientConnection connection, Tube tube, String message) {
            tube.put("x");
            TubeEngine engine = running.node().find(tube.name()).orElseThrow();
            Task task = engine.claimOn(connection, 1, Long.MAX_VALUE).get(0);
            TaskFailure failure = new TaskFailure("shop.Timeout", message, "");
            engine.held().applyOutcome(connection.session(), task, Change.failed(failure, Optional.empty()));
        }

        @Test
        void another_server_is_silent_when_its_heartbeats_stop_and_what_it_holds_is_a_consumer() throws Exception {
            try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                    RunningNode one = new RunningNode(
                            database,
                            org.tasktube.store.Transactions.NONE,
                            new Settings("one", 1 << 20, RunningNode.POLL, Duration.ofMinutes(5), Duration.ZERO));
                    RunningNode two = new RunningNode(database, "two")) {
                Tube here = one.newTube(new ClientConnection(), TubeDefinition.FIFO);
                here.put("1");
                Task waiting = here.put("2");
                ClientConnection there = new ClientConnection();
                Task held =
                        two.node().tube(there, here.name()).take(Duration.ZERO).orElseThrow();
                TaskAdmin admin = one.node().admin(new ClientConnection());
                WaitingTask why = admin.whyWaiting(here.name(), held.id());
                assertThat(why.holder().orElseThrow().server()).isEqualTo("two");
                assertThat(admin.whyWaiting(here.name(), waiting.id()).reason()).isEqualTo(Reason.NEXT);
                ServerStatus other = other(admin);
                assertThat(other.name()).isEqualTo("two");
                assertThat(other.taken()).isEqualTo(1);
                assertThat(other.sessions()).isEqualTo(1);
                assertThat(other.state()).isEqualTo(ServerStatus.State.RUNNING);
                assertThat(other.beans()).isEmpty();
                two.kill();
                new Sql(database)
                        .execute(
                                "UPDATE tasktube_node SET seen_at = seen_at - INTERVAL '3 minutes' WHERE name = 'two'");
                assertThat(other(admin).state()).isEqualTo(ServerStatus.State.SILENT);
                assertThat(other(admin).silence()).isGreaterThan(Duration.ofMinutes(3));
                new Sql(database).execute("UPDATE tasktube_node SET dead = true WHERE name = 'two'");
                assertThat(other(admin).state()).isEqualTo(ServerStatus.State.DEAD);
            }
        }

        private ServerStatus other(TaskAdmin admin) {
            return admin.servers().stream()
                    .filter(server -> !server.isThis())
                    .findFirst()
                    .orElseThrow();
        }

        @Test
        void while_the_adapter_does_not_run_that_is_the_reason() {
            try (HikariDataSource database = TestDatabase.H2.create()) {
                RunningNode running = new RunningNode(database, "one");
                ClientConnection connection = new ClientConnection();
                Tube tube = running.newTube(connection, TubeDefinition.FIFO);
                Task task = tube.put("x");
                TaskAdmin admin = running.node().admin(connection);
                running.close();
                WaitingTask why = admin.whyWaiting(tube.name(), task.id());
                assertThat(why.reason()).isEqualTo(Reason.ADAPTER_NOT_RUNNING);
                assertThat(why.state()).isEmpty();
                assertThat(why.sentence())
                        .contains("Nothing is known of task " + task.id())
                        .contains("ENDING");
            }
        }
    }
}
