package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.SessionExpiredException;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskTubeException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.SessionTerms;
import org.tasktube.store.sql.Registry;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.LogLines;
import org.tasktube.testing.ManualTransactions;
import org.tasktube.testing.OnDatabase;
import org.tasktube.testing.OpenTransactions;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;
import org.tasktube.testing.UnreliableDataSource;
import org.tasktube.tube.TubeEngine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** No task is TAKEN without a live holder, whatever becomes of the claim's answer or of the server's number. */
@Tag("full")
@Tag("large")
class HolderCheckTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    @Nested
    @OnDatabase(TestDatabase.H2)
    class OnH2 extends Rules {}

    @Nested
    @OnDatabase(TestDatabase.POSTGRESQL)
    class OnPostgreSql extends Rules {}

    abstract static class Rules {

        private HikariDataSource database;
        private UnreliableDataSource line;

        @BeforeEach
        void start() {
            database = TestDatabase.of(this).create();
            line = new UnreliableDataSource(database);
        }

        @AfterEach
        void stop() {
            database.close();
        }

        private RunningNode server(String name) {
            return new RunningNode(line, name);
        }

        /** Has another server take one for dead; returns the number that it had. */
        private static int takeForDead(RunningNode by, RunningNode server, Duration sessionTtr) {
            int number = server.node().number();
            by.node().registry().leave(number, sessionTtr);
            return number;
        }

        /** The database of a server that does something just before its next claim, whose number is chosen by then. */
        private DataSource hooked(AtomicReference<Runnable> beforeClaim) {
            return HookedDataSource.of(line, statement -> {
                if (statement.contains("SET state = 't'")) {
                    beforeClaim.getAndSet(() -> {}).run();
                }
            });
        }

        private static void awaitNumberAfter(int former, RunningNode server) {
            Eventually.holds(() -> server.node().number() != former, "it has another number");
        }

        private int takenUnder() {
            try (Connection connection = database.getConnection();
                    Statement on = connection.createStatement();
                    ResultSet row = on.executeQuery("SELECT node FROM tasktube_task WHERE state = 't'")) {
                return row.next() ? row.getInt(1) : 0;
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Test
        void a_task_whose_claim_was_done_and_its_answer_lost_is_returned_and_its_attempt_not_counted() {
            try (RunningNode running = server("one")) {
                Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFO);
                tube.put("a");
                line.loseAnswerOf("SET state = 't'");
                assertThatThrownBy(() -> tube.take(Duration.ZERO)).isInstanceOf(StoreException.class);
                assertThat(line.hasLost()).isTrue();
                Task again = takeWhenItRuns(tube);
                assertThat(again.attempts()).isEqualTo(1);
                tube.ack(again);
            }
        }

        /** The session is known elsewhere, so that nobody releases the task as one of the dead server. */
        @Test
        void a_task_of_a_lost_claim_is_returned_also_after_its_server_was_taken_for_dead() throws Exception {
            try (RunningNode other = new RunningNode(database, "other");
                    RunningNode running = server("one")) {
                ClientConnection client = new ClientConnection();
                UUID session = running.node().identify(client);
                other.node().identify(new ClientConnection(), session.toString());
                Tube tube = running.newTube(client, TubeDefinition.FIFO);
                tube.put("a");
                int number = running.node().number();
                line.loseAnswerOf("SET state = 't'");
                new Sql(database).execute("UPDATE tasktube_node SET dead = TRUE WHERE id = " + number);
                assertThatThrownBy(() -> tube.take(Duration.ZERO)).isInstanceOf(StoreException.class);
                assertThat(line.hasLost()).isTrue();
                awaitNumberAfter(number, running);
                assertThat(takeWhenItRuns(tube).attempts()).isEqualTo(1);
            }
        }

        /** A lost connection makes the adapter check its database; it may be WAITING for a moment. */
        private static Task takeWhenItRuns(Tube tube) {
            long end = System.nanoTime() + LONG.toNanos();
            while (System.nanoTime() < end) {
                try {
                    Optional<Task> task = tube.take(Duration.ofMillis(200));
                    if (task.isPresent()) {
                        return task.get();
                    }
                } catch (TaskTubeException e) {
                    Thread.onSpinWait();
                }
            }
            throw new AssertionError("the task did not come back");
        }

        @Test
        void a_task_taken_under_a_forgotten_number_comes_again() throws Exception {
            AtomicReference<Runnable> beforeClaim = new AtomicReference<>(() -> {});
            try (RunningNode other = server("other");
                    RunningNode running = new RunningNode(hooked(beforeClaim), "one")) {
                Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFO);
                tube.put("a");
                int number = running.node().number();
                beforeClaim.set(() -> takeForDead(other, running, Duration.ZERO));
                Task taken = tube.take(LONG).orElseThrow();
                awaitNumberAfter(number, running);
                Task again = tube.take(LONG).orElseThrow();
                assertThat(again.id()).isEqualTo(taken.id());
                tube.ack(again);
            }
        }

        @Test
        void a_task_taken_under_a_forgotten_number_is_released_when_that_server_dies() throws Exception {
            AtomicReference<Runnable> beforeClaim = new AtomicReference<>(() -> {});
            try (RunningNode other = server("other")) {
                RunningNode running = new RunningNode(hooked(beforeClaim), "one");
                Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFO);
                tube.put("a");
                int number = running.node().number();
                beforeClaim.set(() -> takeForDead(other, running, Duration.ZERO));
                assertThat(tube.take(Duration.ZERO)).isPresent();
                awaitNumberAfter(number, running);
                Eventually.holds(() -> takenUnder() != number, "nothing is taken under the former number");
                running.kill();
                Tube there = other.node().tube(new ClientConnection(), tube.name());
                assertThat(there.take(LONG).map(Task::text)).contains("a");
            }
        }

        @Test
        void a_session_that_others_know_releases_what_it_holds_also_after_its_server_was_taken_for_dead() {
            try (RunningNode other = server("other");
                    RunningNode running = server("one")) {
                ClientConnection client = new ClientConnection();
                Tube tube = running.newTube(client, TubeDefinition.FIFO);
                running.node().identify(client);
                awaitNumberAfter(takeForDead(other, running, Duration.ZERO), running);
                tube.put("a");
                assertThat(tube.take(Duration.ZERO)).isPresent();
                running.node().close(client);
                Tube again = running.node().tube(new ClientConnection(), tube.name());
                assertThat(again.take(LONG).map(Task::text)).contains("a");
            }
        }

        @Test
        void a_session_that_others_know_is_known_again_after_its_server_was_taken_for_dead() {
            try (RunningNode other = server("other");
                    RunningNode running = server("one")) {
                ClientConnection client = new ClientConnection();
                Tube tube = running.newTube(client, TubeDefinition.FIFO);
                String session = running.node().identify(client).toString();
                awaitNumberAfter(takeForDead(other, running, Duration.ZERO), running);
                tube.put("a");
                Task task = tube.take(Duration.ZERO).orElseThrow();
                ClientConnection joined = new ClientConnection();
                Eventually.holds(() -> isJoined(other, joined, session), "the session is known again");
                other.node().tube(joined, tube.name()).ack(task);
            }
        }

        private static boolean isJoined(RunningNode by, ClientConnection client, String session) {
            try {
                by.node().identify(client, session);
                return true;
            } catch (SessionExpiredException e) {
                return false;
            }
        }

        @Test
        void a_session_that_goes_on_after_its_server_was_taken_for_dead_is_not_ended_by_its_ttr() {
            Duration ttr = Duration.ofSeconds(2);
            try (RunningNode other = new RunningNode(line, "other", ttr);
                    RunningNode running = new RunningNode(line, "one", ttr)) {
                ClientConnection client = new ClientConnection();
                Tube tube = running.newTube(client, TubeDefinition.FIFO);
                running.node().identify(client);
                tube.put("a");
                Task task = tube.take(Duration.ZERO).orElseThrow();
                awaitNumberAfter(takeForDead(other, running, ttr), running);
                long until = System.nanoTime() + ttr.multipliedBy(2).toNanos();
                Eventually.holds(() -> System.nanoTime() > until, "the session's ttr is over");
                tube.ack(task);
            }
        }

        /**
         * As in WildFly: after the rollback by another thread the connection that a statement was got for is in
         * autocommit mode.
         */
        @Test
        void a_task_whose_claim_was_done_after_the_rollback_of_its_timed_out_transaction_is_returned()
                throws Exception {
            ManualTransactions transactions = new ManualTransactions();
            AtomicReference<Connection> own = new AtomicReference<>();
            AtomicReference<ManualTransactions.Transaction> timesOut = new AtomicReference<>();
            DataSource hooked = HookedDataSource.of(inTransactions(database, transactions, own), statement -> {
                if (statement.contains("SET state = 't'") && timesOut.get() != null) {
                    leave(own.get());
                    transactions.rollback(timesOut.getAndSet(null));
                }
            });
            try (RunningNode running = new RunningNode(hooked, transactions, "one")) {
                Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFO);
                tube.put("a");
                timesOut.set(transactions.begin());
                assertThatThrownBy(() -> tube.take(Duration.ZERO)).isInstanceOf(TaskTubeException.class);
                transactions.suspend();
                assertThat(takeWhenItRuns(tube).text()).isEqualTo("a");
            }
        }

        private static void leave(Connection transaction) {
            try {
                transaction.rollback();
                transaction.setAutoCommit(true);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        private static DataSource inTransactions(
                DataSource pool, ManualTransactions transactions, AtomicReference<Connection> own) {
            return (DataSource) Proxy.newProxyInstance(
                    HolderCheckTest.class.getClassLoader(),
                    new Class<?>[] {DataSource.class},
                    (proxy, method, arguments) -> {
                        Object result = method.invoke(pool, arguments);
                        if (result instanceof Connection connection && transactions.active()) {
                            connection.setAutoCommit(false);
                            own.set(connection);
                        }
                        return result;
                    });
        }

        @Test
        void a_session_that_another_server_joins_as_its_last_connection_closes_keeps_what_it_holds() throws Exception {
            AtomicReference<Runnable> beforeCommit = new AtomicReference<>(() -> {});
            AtomicReference<Thread> joining = new AtomicReference<>();
            DataSource hooked = HookedDataSource.of(line, statement -> {
                if (statement.equals("COMMIT") && Thread.currentThread() == joining.get()) {
                    beforeCommit.getAndSet(() -> {}).run();
                }
            });
            try (RunningNode other = new RunningNode(hooked, "other");
                    RunningNode running = server("one")) {
                ClientConnection first = new ClientConnection();
                Tube tube = running.newTube(first, TubeDefinition.FIFO);
                String session = running.node().identify(first).toString();
                tube.put("a");
                Task task = tube.take(Duration.ZERO).orElseThrow();
                ClientConnection second = new ClientConnection();
                Tube there = other.node().tube(second, tube.name());
                AtomicReference<CompletableFuture<?>> closing = new AtomicReference<>();
                beforeCommit.set(() -> {
                    closing.set(CompletableFuture.runAsync(() -> running.node().close(first)));
                    waitABit(closing.get());
                });
                joining.set(Thread.currentThread());
                other.node().identify(second, session);
                closing.get().get(60, TimeUnit.SECONDS);
                there.ack(task);
            }
        }

        @Test
        void a_session_is_joined_as_its_last_connection_leaves_it_for_its_ttr() throws Exception {
            UUID session = UUID.randomUUID();
            try (OpenTransactions leaving = new OpenTransactions(database);
                    OpenTransactions joining = new OpenTransactions(database)) {
                leaving.registry().publish(session, 1, SessionTerms.NONE);
                leaving.begin();
                leaving.registry().leave(session, 1, Optional.of(LONG), Duration.ZERO);
                CompletableFuture<Optional<SessionTerms>> joined =
                        CompletableFuture.supplyAsync(() -> joining.registry().join(session, 2));
                waitABit(joined);
                leaving.commit();
                assertThat(joined.get(60, TimeUnit.SECONDS)).isPresent();
            }
        }

        /** Until it has ended, or long enough to have reached the lock that it must wait for. */
        private static void waitABit(CompletableFuture<?> work) {
            try {
                work.get(500, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                // It waits
            } catch (InterruptedException | ExecutionException e) {
                throw new IllegalStateException(e);
            }
        }

        @Test
        void a_connection_that_joins_a_session_as_the_last_other_one_closes_has_what_that_holds() {
            AtomicReference<Runnable> atClose = new AtomicReference<>(() -> {});
            Thread joining = Thread.currentThread();
            DataSource hooked = HookedDataSource.of(line, statement -> {
                if (statement.equals("CLOSE") && Thread.currentThread() == joining) {
                    atClose.getAndSet(() -> {}).run();
                }
            });
            try (RunningNode running = new RunningNode(hooked, "one")) {
                ClientConnection first = new ClientConnection();
                Tube tube = running.newTube(first, TubeDefinition.FIFO);
                String session = running.node().identify(first).toString();
                tube.put("a");
                Task task = tube.take(Duration.ZERO).orElseThrow();
                ClientConnection second = new ClientConnection();
                atClose.set(() -> {
                    running.node().close(first);
                });
                running.node().identify(second, session);
                running.node().tube(second, tube.name()).ack(task);
            }
        }

        @Test
        void a_task_that_is_locked_as_its_session_ends_is_ready_soon_after() throws Exception {
            try (RunningNode running = server("one")) {
                ClientConnection leaving = new ClientConnection();
                Tube tube = running.newTube(leaving, TubeDefinition.FIFO);
                tube.put("a");
                running.node().identify(leaving);
                Task held = tube.take(Duration.ZERO).orElseThrow();
                try (Connection other = database.getConnection();
                        Statement on = other.createStatement()) {
                    other.setAutoCommit(false);
                    on.executeUpdate("UPDATE tasktube_task SET pri = pri WHERE id = " + held.id());
                    running.node().close(leaving);
                    other.rollback();
                }
                Tube there = running.node().tube(new ClientConnection(), tube.name());
                assertThat(there.take(LONG).map(Task::id)).contains(held.id());
            }
        }

        @Test
        void a_task_of_an_unknown_session_and_server_is_ready_after_a_start() throws SQLException {
            String name;
            try (RunningNode before = server("before")) {
                Tube tube = before.newTube(new ClientConnection(), TubeDefinition.FIFO);
                name = tube.name();
                tube.put("a");
                try (Connection connection = database.getConnection();
                        Statement on = connection.createStatement()) {
                    on.execute("UPDATE tasktube_task SET state = 't', token = 1, node = 4711, taken_at = created_at,"
                            + " session = '00000000-0000-4000-8000-000000000000'");
                }
                try (RunningNode running = server("one")) {
                    Tube here = running.node().tube(new ClientConnection(), name);
                    assertThat(here.take(Duration.ZERO).map(Task::text)).contains("a");
                }
            }
        }

        /** Tasks that their holders ack between the read and the check look as if nobody held them. */
        @Test
        void the_log_counts_only_tasks_that_were_returned() throws SQLException {
            AtomicReference<Runnable> beforeClose = new AtomicReference<>(() -> {});
            Thread checking = Thread.currentThread();
            AtomicReference<Runnable> acks = new AtomicReference<>(() -> {});
            DataSource hooked = HookedDataSource.of(line, statement -> {
                if (Thread.currentThread() == checking && statement.contains("AND NOT n.dead)")) {
                    beforeClose.set(acks.getAndSet(() -> {}));
                } else if (Thread.currentThread() == checking && statement.equals("CLOSE")) {
                    beforeClose.getAndSet(() -> {}).run();
                }
            });
            try (LogLines log = new LogLines("org.tasktube.node");
                    RunningNode running = new RunningNode(hooked, "one")) {
                Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFO);
                HolderCheck holderCheck = running.node().parts().holderCheck();
                int number = running.node().number();
                acks.set(ackTwoElsewhere(tube));
                holderCheck.check(running.node().registry(), number);
                assertThat(log.of("TASKTUBE0111")).isEmpty();
                acks.set(ackTwoElsewhere(tube));
                tube.put("lost");
                loseHolderOf(tube.take(Duration.ZERO).orElseThrow());
                holderCheck.check(running.node().registry(), number);
                assertThat(log.of("TASKTUBE0111")).singleElement().asString().contains(": 1 tasks were");
            }
        }

        /** Takes two tasks now, and acks them on another thread later. */
        private static Runnable ackTwoElsewhere(Tube tube) {
            tube.put("a");
            tube.put("b");
            Task first = tube.take(Duration.ZERO).orElseThrow();
            Task second = tube.take(Duration.ZERO).orElseThrow();
            return () -> CompletableFuture.runAsync(() -> {
                        tube.ack(first);
                        tube.ack(second);
                    })
                    .join();
        }

        private void loseHolderOf(Task task) throws SQLException {
            new Sql(database)
                    .execute("UPDATE tasktube_task SET token = -1, session = '00000000-0000-4000-8000-000000000000'"
                            + " WHERE id = " + task.id());
        }

        /** As after the failover to a standby that lacks the latest commits. */
        @Test
        void a_session_is_over_also_if_the_database_has_lost_that_this_server_has_left_it() throws SQLException {
            Sql sql = new Sql(database);
            try (RunningNode running = server("one")) {
                HolderCheck holderCheck = running.node().parts().holderCheck();
                Registry registry = running.node().registry();
                int number = running.node().number();
                ClientConnection client = new ClientConnection();
                UUID stays = running.node().identify(client);
                Tube tube = running.newTube(client, TubeDefinition.FIFO);
                tube.put("a");
                assertThat(tube.take(Duration.ZERO)).isPresent();
                UUID left = UUID.randomUUID();
                registry.publish(left, number, SessionTerms.NONE);
                sql.execute("UPDATE tasktube_task SET session = '" + left + "'");
                holderCheck.check(registry, number);
                assertThat(tube.take(LONG).map(Task::text)).contains("a");
                assertThat(registry.terms(left)).isEmpty();
                assertThat(registry.terms(stays)).isPresent();
            }
        }

        /** As after the failover to a standby that lacks the latest commits. */
        @Test
        void a_session_goes_on_also_if_the_database_has_lost_it() throws SQLException {
            try (RunningNode running = server("one")) {
                Registry registry = running.node().registry();
                ClientConnection client = new ClientConnection();
                UUID session = running.node().identify(client, LONG, "anna");
                new Sql(database).execute("DELETE FROM tasktube_session");
                running.node()
                        .parts()
                        .holderCheck()
                        .check(registry, running.node().number());
                SessionTerms terms = SessionTerms.NONE.keptFor(LONG).ownedBy("anna");
                Eventually.holds(() -> registry.terms(session).equals(Optional.of(terms)), "it is registered again");
            }
        }

        /** It ends at once, although the check has left it for its time. */
        @Test
        void a_session_whose_registration_has_failed_is_over_also_if_the_check_comes_first() {
            try (RunningNode running = server("one")) {
                Registry registry = running.node().registry();
                int number = running.node().number();
                UUID session = UUID.randomUUID();
                registry.publish(session, number, SessionTerms.NONE.keptFor(LONG));
                registry.leaveUnknown(number, each -> false, Duration.ZERO);
                assertThat(registry.terms(session)).isPresent();
                registry.withdraw(session, number);
                assertThat(registry.terms(session)).isEmpty();
            }
        }

        @Test
        void a_session_that_a_connection_joins_as_it_is_checked_goes_on() {
            try (RunningNode running = server("one")) {
                Registry registry = running.node().registry();
                int number = running.node().number();
                UUID session = UUID.randomUUID();
                registry.publish(session, number, SessionTerms.NONE);
                AtomicInteger asked = new AtomicInteger();
                registry.leaveUnknown(number, each -> asked.incrementAndGet() == 2, Duration.ZERO);
                assertThat(asked).hasValue(2);
                assertThat(registry.terms(session)).isPresent();
            }
        }

        @Test
        void a_session_forgets_tasks_that_it_lost() {
            try (RunningNode running = server("one")) {
                ClientConnection client = ClientConnection.feeding();
                Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
                TubeEngine node = running.node().find(tube.name()).orElseThrow();
                for (int i = 0; i < 10; i++) {
                    Task put = tube.put("a");
                    Task taken = node.claimOn(client, 1, Long.MAX_VALUE).get(0);
                    tube.delete(put.id());
                    assertThat(node.held().ackDelivered(client.session(), taken))
                            .isFalse();
                }
                assertThat(client.session().held()).isEmpty();
            }
        }

        @Test
        void a_session_forgets_tasks_that_it_never_acks_and_others_deleted() {
            try (RunningNode running = server("one")) {
                ClientConnection client = new ClientConnection();
                Tube tube = running.newTube(client, TubeDefinition.FIFOTTL);
                tube.put("kept");
                tube.put("deleted");
                assertThat(tube.take(Duration.ZERO)).isPresent();
                tube.delete(tube.take(Duration.ZERO).orElseThrow().id());
                running.node().parts().calls().call(() -> {
                    running.node()
                            .parts()
                            .holderCheck()
                            .check(running.node().registry(), running.node().number());
                    return null;
                });
                Eventually.holds(() -> client.session().held().size() == 1, "it holds one task");
            }
        }

        @Test
        void closing_releases_what_the_session_took_again_although_an_older_taking_of_it_failed() {
            try (RunningNode running = server("one")) {
                ClientConnection client = new ClientConnection();
                Tube tube = running.newTube(client, TubeDefinition.FIFOTTL);
                tube.put("a");
                Task first = tube.take(Duration.ZERO).orElseThrow();
                tube.release(first);
                assertThat(tube.take(Duration.ZERO)).isPresent();
                assertThatThrownBy(() -> tube.ack(first)).isInstanceOf(TaskTubeException.class);
                running.node().close(client);
                Tube again = running.node().tube(new ClientConnection(), tube.name());
                assertThat(again.take(Duration.ZERO)).isPresent();
            }
        }
    }
}
