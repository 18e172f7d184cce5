package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.SessionExpiredException;
import org.tasktube.SessionOwnerException;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.TaskTakenByAnotherException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.Transactions;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.OnDatabase;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;
import org.tasktube.testing.UnreliableDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Sessions that several connections share, on one server and on two, with a ttr and without. {@link
 * SharedSessionsOnH2Test} has the same rules on H2, in a class of its own because they wait for long.
 */
@Tag("full")
@Tag("large")
class SharedSessionsTest {

    private static final Duration TTR = Duration.ofMillis(1_500);
    private static final Duration LONG = Duration.ofMinutes(10);
    /** The first statement after the lock of a session. */
    private static final String READ = "kept_ms, owner FROM tasktube_session";

    /** The locks of a session, in PostgreSQL and in H2. */
    private static final List<String> LOCKS = List.of("hashtext('tasktube_session')", "tasktube_schema FOR UPDATE");

    private static final String LEAVE = "DELETE FROM tasktube_session WHERE session = ";

    @Nested
    @OnDatabase(TestDatabase.POSTGRESQL)
    class OnPostgreSql extends Rules {

        @Test
        void a_server_that_hangs_in_a_join_has_the_session_locked_for_a_limited_time() throws Exception {
            Hang hang = new Hang(List.of(READ), false);
            try (RunningNode one = new RunningNode(database, "one");
                    RunningNode two = new RunningNode(HookedDataSource.of(database, hang), "two")) {
                UUID session = one.node().identify(client, LONG);
                CompletableFuture<Void> join = hang.by(() -> two.node().identify(other, session.toString()));
                Eventually.holds(() -> isFree(one, session), "the lock is free");
                hang.goOn();
                assertThatThrownBy(() -> join.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(StoreException.class);
            }
        }

        @Test
        void a_server_that_was_taken_for_dead_works_again_though_a_session_of_it_is_locked() throws Exception {
            try (RunningNode two = patient("two");
                    RunningNode one = patient("one");
                    Connection lock = database.getConnection()) {
                Tube tube = one.newTube(other, TubeDefinition.FIFO);
                UUID session = one.node().identify(client, LONG);
                int former = one.node().number();
                lock.setAutoCommit(false);
                try (Statement statement = lock.createStatement()) {
                    statement.execute(
                            "SELECT pg_advisory_xact_lock(hashtext('tasktube_session'), hashtext('" + session + "'))");
                }
                new Sql(database).execute("UPDATE tasktube_node SET dead = TRUE WHERE name = 'one'");
                Eventually.holds(() -> one.node().number() != former, "it has a new number");
                int number = one.node().number();
                tube.ack(putAndTake(tube));
                assertThat(one.node().number()).isEqualTo(number);
                assertThat(rows("node = " + number))
                        .as("without the locked session")
                        .isZero();
                lock.rollback();
                Eventually.holds(
                        () -> rows("node = " + number + " AND session = '" + session + "'") == 1,
                        "the session is registered again");
                two.node().identify(new ClientConnection(), session.toString());
            }
        }

        /** A server that a loaded machine does not let miss its heartbeats. */
        private RunningNode patient(String name) {
            return new RunningNode(
                    database,
                    Transactions.NONE,
                    new Settings(name, 1 << 20, RunningNode.POLL, Duration.ofSeconds(10), Duration.ZERO));
        }

        private boolean isFree(RunningNode server, UUID session) {
            try {
                server.node().identify(new ClientConnection(), session.toString());
                return true;
            } catch (StoreException e) {
                return false;
            }
        }
    }

    /** Has one thread hang before a statement. The thread may lose the answer of its transaction after that. */
    private static final class Hang implements Consumer<String> {

        private final List<String> statements;
        private final boolean losesAnswer;
        private final AtomicBoolean armed = new AtomicBoolean();
        private final AtomicReference<Thread> loser = new AtomicReference<>();
        private final CountDownLatch hangs = new CountDownLatch(1);
        private final CountDownLatch goesOn = new CountDownLatch(1);

        Hang(List<String> statements, boolean losesAnswer) {
            this.statements = statements;
            this.losesAnswer = losesAnswer;
        }

        @Override
        public void accept(String sql) {
            if (statements.stream().anyMatch(sql::contains) && armed.getAndSet(false)) {
                hangs.countDown();
                await(goesOn);
                loser.set(losesAnswer ? Thread.currentThread() : null);
            } else if (sql.equals("CLOSE") && loser.compareAndSet(Thread.currentThread(), null)) {
                throw new IllegalStateException("the answer is lost");
            }
        }

        private static void await(CountDownLatch latch) {
            try {
                assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Begins a call, and returns when it hangs. */
        CompletableFuture<Void> by(Runnable call) {
            armed.set(true);
            CompletableFuture<Void> result = CompletableFuture.runAsync(call);
            await(hangs);
            return result;
        }

        void goOn() {
            goesOn.countDown();
        }
    }

    abstract static class Rules {

        HikariDataSource database;
        final ClientConnection client = new ClientConnection();
        final ClientConnection other = new ClientConnection();

        @BeforeEach
        void start() {
            database = TestDatabase.of(this).create();
        }

        @AfterEach
        void stop() {
            database.close();
        }

        static Task putAndTake(Tube tube) {
            tube.put("a");
            return tube.take(Duration.ZERO).orElseThrow();
        }

        /** A task that a session has taken. */
        record Held(Tube tube, Task task, UUID session) {}

        private Held hold(RunningNode server, Duration keep) {
            return hold(server, () -> server.node().identify(client, keep));
        }

        private Held hold(RunningNode server, Duration keep, String owner) {
            return hold(server, () -> server.node().identify(client, keep, owner));
        }

        private Held hold(RunningNode server, Supplier<UUID> identify) {
            Tube tube = server.newTube(client, TubeDefinition.FIFO);
            Task task = putAndTake(tube);
            return new Held(tube, task, identify.get());
        }

        private static TaskState state(Tube tube, Task task) {
            return tube.peek(task.id()).orElseThrow().state();
        }

        @Test
        void a_session_that_is_kept_acks_on_a_later_connection_and_no_connection_is_open_between() {
            try (RunningNode one = new RunningNode(database)) {
                Held held = hold(one, LONG);
                one.node().close(client);
                assertThat(state(one.node().tube(other, held.tube().name()), held.task()))
                        .isEqualTo(TaskState.TAKEN);
                one.node().identify(other, held.session().toString());
                one.node().tube(other, held.tube().name()).ack(held.task());
                assertThat(one.node()
                                .tube(other, held.tube().name())
                                .peek(held.task().id()))
                        .isEmpty();
            }
        }

        @Test
        void a_session_that_is_kept_ends_after_its_time_and_its_tasks_are_ready() {
            try (RunningNode one = new RunningNode(database)) {
                Tube tube = one.newTube(other, TubeDefinition.FIFO);
                Tube temporary = one.withTemporary().newTube(other, TubeDefinition.FIFO);
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

        /** A server whose leave of a session fails once. */
        private RunningNode failingToLeave(AtomicReference<RuntimeException> refusal, AtomicReference<Error> error) {
            return new RunningNode(HookedDataSource.of(database, sql -> {
                if (sql.startsWith(LEAVE) && refusal.get() != null) {
                    throw refusal.getAndSet(null);
                }
                if (sql.startsWith(LEAVE) && error.get() != null) {
                    throw error.getAndSet(null);
                }
            }));
        }

        @Test
        void a_session_whose_end_fails_by_an_error_of_the_driver_ends_later() {
            AtomicReference<Error> error = new AtomicReference<>();
            try (RunningNode one = failingToLeave(new AtomicReference<>(), error)) {
                Tube tube = one.newTube(other, TubeDefinition.FIFO);
                Task task = putAndTake(one.node().tube(client, tube.name()));
                one.node().identify(client, Duration.ofMillis(100));
                error.set(new NoClassDefFoundError("of a driver that was redeployed"));
                assertThatThrownBy(() -> one.node().close(client)).isInstanceOf(NoClassDefFoundError.class);
                Eventually.holds(() -> state(tube, task) == TaskState.READY, "the task is READY");
            }
        }

        @Test
        void a_connection_that_joins_after_a_failed_end_keeps_the_tasks() {
            AtomicReference<RuntimeException> refusal = new AtomicReference<>();
            try (RunningNode one = failingToLeave(refusal, new AtomicReference<>())) {
                Tube tube = one.newTube(client, TubeDefinition.FIFO);
                Task task = putAndTake(tube);
                UUID session = one.node().identify(client);
                ClientConnection later = new ClientConnection();
                Task untilRepeated = putAndTake(one.node().tube(later, tube.name()));
                one.node().identify(later);
                refusal.set(new StoreException("the line is cut", new SQLException("cut", "08006"), true));
                one.node().close(client);
                one.node().identify(other, session.toString());
                refusal.set(new StoreException("the line is cut", new SQLException("cut", "08006"), true));
                one.node().close(later);
                Tube joined = one.node().tube(other, tube.name());
                Eventually.holds(() -> state(joined, untilRepeated) == TaskState.READY, "the second end is repeated");
                assertThat(state(joined, task)).isEqualTo(TaskState.TAKEN);
                joined.ack(task);
            }
        }

        @Test
        void a_session_that_is_kept_stays_for_its_time_after_another_server_has_joined_and_left_it() {
            try (RunningNode one = new RunningNode(database, "one");
                    RunningNode two = new RunningNode(database, "two")) {
                Held held = hold(one, LONG);
                one.node().close(client);
                two.node().identify(other, held.session().toString());
                two.node().close(other);
                ClientConnection third = new ClientConnection();
                Tube again = two.node().tube(third, held.tube().name());
                assertThat(state(again, held.task())).isEqualTo(TaskState.TAKEN);
                two.node().identify(third, held.session().toString());
                again.ack(held.task());
            }
        }

        @Test
        void a_session_that_is_kept_stays_for_its_time_after_its_server_has_died_with_a_connection_of_it()
                throws Exception {
            RunningNode killed = new RunningNode(database, "killed");
            Tube tube = killed.newTube(client, TubeDefinition.FIFO);
            tube.put("private");
            Task task = putAndTakeSecond(killed, tube);
            UUID session = killed.node().identify(client, LONG);
            killed.kill();
            try (RunningNode two = new RunningNode(database, "two")) {
                Tube there = two.node().tube(other, tube.name());
                assertThat(there.take(Duration.ofMinutes(2)).map(Task::text))
                        .as("what an unknown session held is ready, so the server was taken for dead")
                        .contains("private");
                assertThat(state(there, task)).isEqualTo(TaskState.TAKEN);
                two.node().identify(other, session.toString());
                there.ack(task);
            }
        }

        @Test
        void a_session_whose_last_connection_is_closed_while_another_fails_to_join_ends_after_its_time()
                throws Exception {
            AtomicReference<Runnable> beforeJoin = new AtomicReference<>(() -> {});
            DataSource hooked = HookedDataSource.of(database, sql -> {
                if (sql.contains(READ)) {
                    beforeJoin.getAndSet(() -> {}).run();
                }
            });
            try (RunningNode one = new RunningNode(hooked, "one")) {
                Held held = hold(one, Duration.ofMillis(100));
                beforeJoin.set(() -> {
                    one.node().close(client);
                    throw new IllegalStateException("the driver fails");
                });
                assertThatThrownBy(
                                () -> one.node().identify(other, held.session().toString()))
                        .hasMessageContaining("the driver fails");
                Tube again = one.node().tube(new ClientConnection(), held.tube().name());
                Eventually.holds(() -> state(again, held.task()) == TaskState.READY, "the task is READY");
            }
        }

        @Test
        void a_join_of_a_kept_session_whose_answer_is_lost_leaves_no_server_behind_in_it() {
            AtomicBoolean joins = new AtomicBoolean();
            AtomicReference<Thread> loses = new AtomicReference<>();
            DataSource hooked = HookedDataSource.of(database, sql -> {
                if (sql.contains(READ) && joins.getAndSet(false)) {
                    loses.set(Thread.currentThread());
                } else if (sql.equals("CLOSE") && loses.compareAndSet(Thread.currentThread(), null)) {
                    throw new IllegalStateException("the answer is lost");
                }
            });
            try (RunningNode one = new RunningNode(database, "one");
                    RunningNode two = new RunningNode(hooked, "two")) {
                Held held = hold(one, LONG);
                one.node().close(client);
                joins.set(true);
                assertThatThrownBy(
                                () -> two.node().identify(other, held.session().toString()))
                        .hasMessageContaining("the answer is lost");
                Eventually.holds(() -> !isOpen(held.session()), "no server has a connection of it");
                one.node().identify(other, held.session().toString());
                one.node().tube(other, held.tube().name()).ack(held.task());
            }
        }

        @Test
        void a_session_whose_new_time_arrives_after_its_close_ends_though_the_answer_is_lost() {
            Hang hang = new Hang(LOCKS, true);
            try (RunningNode one = new RunningNode(HookedDataSource.of(database, hang), "one")) {
                Held held = hold(one, Duration.ofSeconds(3));
                CompletableFuture<Void> late = hang.by(() -> one.node().identify(client, Duration.ofSeconds(2)));
                one.node().close(client);
                hang.goOn();
                assertThatThrownBy(late::join).hasMessageContaining("the answer is lost");
                Tube again = one.node().tube(other, held.tube().name());
                Eventually.holds(() -> state(again, held.task()) == TaskState.READY, "the task is READY");
                Eventually.holds(() -> !isOpen(held.session()), "no server has a connection of it");
            }
        }

        @Test
        void a_session_whose_row_arrives_after_its_close_and_whose_answer_is_lost_leaves_no_row() {
            Hang hang = new Hang(LOCKS, true);
            try (RunningNode one = new RunningNode(HookedDataSource.of(database, hang), "one")) {
                UUID session = client.id();
                CompletableFuture<Void> late = hang.by(() -> one.node().identify(client, LONG));
                one.node().close(client);
                awaitMaintenance(one);
                hang.goOn();
                assertThatThrownBy(late::join).hasMessageContaining("the answer is lost");
                Eventually.holds(() -> rows("session = '" + session + "'") == 0, "the row is gone");
            }
        }

        /** Another server has ended it, and this one looks which of its sessions the registry has lost. */
        @Test
        void a_session_that_is_over_does_not_come_back_while_a_connection_tries_to_join_it() throws Exception {
            Hang hang = new Hang(LOCKS, false);
            try (RunningNode one = new RunningNode(HookedDataSource.of(database, hang), "one")) {
                UUID session = one.node().identify(client, LONG);
                one.node().close(client);
                Eventually.holds(() -> rows("node = 0 AND session = '" + session + "'") == 1, "it is left");
                new Sql(database).execute("DELETE FROM tasktube_session");
                CompletableFuture<Void> join = hang.by(() -> one.node().identify(other, session.toString()));
                one.node()
                        .parts()
                        .holderCheck()
                        .check(one.node().registry(), one.node().number());
                hang.goOn();
                assertThatThrownBy(() -> join.get(60, TimeUnit.SECONDS))
                        .hasCauseInstanceOf(SessionExpiredException.class);
                assertThat(rows("session = '" + session + "'")).isZero();
            }
        }

        /** Waits until the maintenance has done what it has been given. */
        private static void awaitMaintenance(RunningNode server) {
            server.node().parts().calls().call(() -> null);
        }

        @Test
        void any_server_lets_the_owner_of_a_session_join_it_and_nobody_else() {
            try (RunningNode one = new RunningNode(database, "one");
                    RunningNode two = new RunningNode(database, "two")) {
                Held held = hold(one, LONG, "anna");
                for (RunningNode server : List.of(one, two)) {
                    assertThatThrownBy(() -> server.node().identify(other, held.session(), "bob"))
                            .isInstanceOf(SessionOwnerException.class)
                            .hasMessage("session " + held.session()
                                    + " does not belong to bob; take tasks in a session of your own");
                }
                one.node().close(client);
                assertThatThrownBy(() -> two.node().identify(other, held.session(), "bob"))
                        .isInstanceOf(SessionOwnerException.class);
                assertThat(two.node().identify(other, held.session(), "anna")).isEqualTo(LONG);
                two.node().tube(other, held.tube().name()).ack(held.task());
                assertThat(one.node().identify(new ClientConnection(), held.session(), "anna"))
                        .isEqualTo(LONG);
            }
        }

        @Test
        void a_refused_owner_makes_no_session_last_longer() throws Exception {
            try (RunningNode one = new RunningNode(database, "one");
                    RunningNode two = new RunningNode(database, "two")) {
                Tube tube = one.newTube(client, TubeDefinition.FIFO);
                putAndTake(tube);
                UUID session = one.node().identify(client, LONG, "anna");
                one.node().close(client);
                String end = "SELECT CAST(EXTRACT(EPOCH FROM expires_at) * 1000000 AS bigint) FROM tasktube_session";
                long before = new Sql(database).number(end);
                for (RunningNode server : List.of(one, two)) {
                    assertThatThrownBy(() -> server.node().identify(other, session, "bob"))
                            .isInstanceOf(SessionOwnerException.class);
                }
                assertThat(new Sql(database).number(end)).isEqualTo(before);
            }
        }

        @Test
        void a_session_without_an_owner_and_one_that_is_not_there_are_two_errors_of_an_owner() {
            try (RunningNode one = new RunningNode(database)) {
                one.newTube(client, TubeDefinition.FIFO);
                putAndTake(one.newTube(client, TubeDefinition.FIFO));
                UUID unknownElsewhere = client.id();
                assertThatThrownBy(() -> one.node().identify(other, unknownElsewhere, "anna"))
                        .isInstanceOf(SessionOwnerException.class);
                one.node().identify(client, LONG);
                assertThatThrownBy(() -> one.node().identify(other, unknownElsewhere, "anna"))
                        .isInstanceOf(SessionOwnerException.class);
                UUID never = UUID.randomUUID();
                assertThatThrownBy(() -> one.node().identify(other, never, "anna"))
                        .isInstanceOf(SessionExpiredException.class)
                        .hasMessageContaining(never.toString());
            }
        }

        @Test
        void a_session_has_one_owner_and_its_name_has_bounds() {
            try (RunningNode one = new RunningNode(database)) {
                one.node().identify(client, LONG, "x".repeat(255));
                assertThatThrownBy(() -> one.node().identify(client, LONG, "bob"))
                        .isInstanceOf(SessionOwnerException.class);
                for (String wrong : List.of("", "a\0b", "\ud800", "x".repeat(256))) {
                    assertThatThrownBy(() -> one.node().identify(other, LONG, wrong))
                            .isInstanceOf(IllegalArgumentException.class)
                            .hasMessage("the owner of a session has " + wrong.length()
                                    + " characters, a NUL, or half of a surrogate pair; set 1 to 255 characters without"
                                    + " these");
                }
            }
        }

        @Test
        void the_last_time_to_keep_a_session_counts_on_all_servers() throws Exception {
            RunningNode killed = new RunningNode(database, "killed");
            Tube tube = killed.newTube(client, TubeDefinition.FIFO);
            Task task = putAndTake(tube);
            killed.node().identify(client, LONG, "anna");
            UUID session = killed.node().identify(client, Duration.ZERO);
            killed.kill();
            try (RunningNode two = new RunningNode(database, "two")) {
                Tube there = two.node().tube(new ClientConnection(), tube.name());
                Eventually.holds(() -> state(there, task) == TaskState.READY, "it is released");
                assertThatThrownBy(() -> two.node().identify(other, session, "anna"))
                        .isInstanceOf(SessionExpiredException.class);
            }
        }

        @Test
        void two_servers_join_and_leave_a_session_at_once_and_it_stays() throws Exception {
            try (RunningNode one = new RunningNode(database, "one");
                    RunningNode two = new RunningNode(database, "two")) {
                Held held = hold(one, LONG, "anna");
                one.node().close(client);
                List<CompletableFuture<Void>> calls = Stream.of(one, two, one, two)
                        .map(server -> CompletableFuture.runAsync(() -> joinAndLeave(server, held.session())))
                        .toList();
                for (CompletableFuture<Void> call : calls) {
                    call.get(60, TimeUnit.SECONDS);
                }
                Eventually.holds(() -> !isOpen(held.session()), "no server has a connection of it");
                two.node().identify(other, held.session(), "anna");
                two.node().tube(other, held.tube().name()).ack(held.task());
            }
        }

        private boolean isOpen(UUID session) {
            return rows("node <> 0 AND session = '" + session + "'") > 0;
        }

        long rows(String condition) {
            try {
                return new Sql(database).number("SELECT count(*) FROM tasktube_session WHERE " + condition);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        private static void joinAndLeave(RunningNode server, UUID session) {
            for (int i = 0; i < 20; i++) {
                ClientConnection connection = new ClientConnection();
                server.node().identify(connection, session, "anna");
                server.node().close(connection);
            }
        }

        /** Returns a transaction that has locked a session, and does nothing more. */
        private Connection lock(UUID session) throws SQLException {
            return inTransaction(
                    TestDatabase.of(this) == TestDatabase.H2
                            ? "SELECT version FROM tasktube_schema FOR UPDATE"
                            : "SELECT pg_advisory_xact_lock(hashtext('tasktube_session'), hashtext('" + session
                                    + "'))");
        }

        private Connection inTransaction(String sql) throws SQLException {
            Connection connection = database.getConnection();
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
            return connection;
        }

        @Test
        void a_close_returns_while_another_transaction_has_locked_the_session_which_ends_later() throws Exception {
            try (RunningNode one = new RunningNode(database)) {
                Tube tube = one.newTube(other, TubeDefinition.FIFO);
                Task task = putAndTake(one.node().tube(client, tube.name()));
                UUID session = one.node().identify(client);
                try (Connection lock = lock(session)) {
                    CompletableFuture.runAsync(() -> one.node().close(client)).get(60, TimeUnit.SECONDS);
                    assertThat(state(tube, task)).isEqualTo(TaskState.TAKEN);
                    lock.rollback();
                }
                Eventually.holds(() -> state(tube, task) == TaskState.READY, "the task is READY");
            }
        }

        @Test
        void an_identify_fails_while_another_transaction_has_locked_the_session_and_names_the_next_step()
                throws Exception {
            try (RunningNode one = new RunningNode(database, "one");
                    RunningNode two = new RunningNode(database, "two")) {
                UUID session = one.node().identify(client, LONG, "anna");
                try (Connection lock = lock(session)) {
                    Runnable join = () -> two.node().identify(other, session, "anna");
                    Runnable change = () -> one.node().identify(client, Duration.ZERO);
                    for (Runnable call : List.of(join, change)) {
                        CompletableFuture<Void> done = CompletableFuture.runAsync(call);
                        assertThatThrownBy(() -> done.get(60, TimeUnit.SECONDS))
                                .hasCauseInstanceOf(StoreException.class)
                                .hasMessageContaining("session " + session
                                        + " is locked by another transaction, which has not ended in time; identify"
                                        + " again in some seconds");
                    }
                    lock.rollback();
                }
                two.node().identify(other, session, "anna");
            }
        }

        @Test
        void a_join_waits_for_a_limited_time_for_another_one_on_its_server() throws Exception {
            Hang hang = new Hang(List.of(READ), false);
            try (RunningNode one = new RunningNode(HookedDataSource.of(database, hang))) {
                UUID session = one.node().identify(client, LONG);
                CompletableFuture<Void> first = hang.by(() -> one.node().identify(other, session.toString()));
                CompletableFuture<Void> second = CompletableFuture.runAsync(
                        () -> one.node().identify(new ClientConnection(), session.toString()));
                assertThatThrownBy(() -> second.get(9, TimeUnit.SECONDS))
                        .hasCauseInstanceOf(StoreException.class)
                        .hasMessageContaining("identify again in some seconds");
                hang.goOn();
                first.get(60, TimeUnit.SECONDS);
            }
        }

        @Test
        void a_session_that_cannot_be_ended_holds_up_no_other() throws Exception {
            try (RunningNode one = new RunningNode(database)) {
                Tube tube = one.newTube(client, TubeDefinition.FIFO);
                for (int i = 0; i < 3; i++) {
                    ClientConnection holder = new ClientConnection();
                    putAndTake(one.node().tube(holder, tube.name()));
                    one.node().identify(holder, Duration.ofSeconds(2));
                    one.node().close(holder);
                }
                try (Connection lock = inTransaction("UPDATE tasktube_session SET owner = owner WHERE session ="
                        + " (SELECT session FROM tasktube_session WHERE node = 0 FETCH FIRST ROW ONLY)")) {
                    Eventually.holds(() -> tube.tasks(TaskState.READY, 0, 10).size() == 2, "the others are READY");
                    lock.rollback();
                }
                Eventually.holds(() -> tube.tasks(TaskState.READY, 0, 10).size() == 3, "all are READY");
            }
        }

        @Test
        void a_session_keeps_its_first_owner_when_another_server_names_one() {
            try (RunningNode one = new RunningNode(database, "one");
                    RunningNode two = new RunningNode(database, "two")) {
                UUID session = one.node().identify(client);
                two.node().identify(other, session.toString());
                two.node().identify(other, LONG, "anna");
                assertThatThrownBy(() -> one.node().identify(client, LONG, "bob"))
                        .isInstanceOf(SessionOwnerException.class);
                one.node().identify(client, TTR);
                for (RunningNode server : List.of(one, two)) {
                    assertThatThrownBy(() -> server.node().identify(new ClientConnection(), session, "bob"))
                            .isInstanceOf(SessionOwnerException.class);
                    assertThat(server.node().identify(new ClientConnection(), session, "anna"))
                            .isEqualTo(TTR);
                }
            }
        }

        @Test
        void the_last_time_to_keep_a_session_counts_though_another_server_leaves_it_last() {
            try (RunningNode one = new RunningNode(database, "one");
                    RunningNode two = new RunningNode(database, "two")) {
                Tube tube = one.newTube(new ClientConnection(), TubeDefinition.FIFO);
                Task longer = leftBy(one, two, tube, Duration.ZERO, LONG);
                assertThat(state(tube, longer)).isEqualTo(TaskState.TAKEN);
                Task shorter = leftBy(one, two, tube, LONG, Duration.ofMillis(400));
                Eventually.holds(() -> state(tube, shorter) == TaskState.READY, "the task is READY");
                Task zero = leftBy(one, two, tube, LONG, Duration.ZERO);
                assertThat(state(tube, zero)).isEqualTo(TaskState.READY);
            }
        }

        /** Sets two times to keep a session, by the server that leaves it first, and returns a task that it holds. */
        private static Task leftBy(RunningNode first, RunningNode last, Tube tube, Duration before, Duration after) {
            ClientConnection setting = new ClientConnection();
            ClientConnection joining = new ClientConnection();
            Task task = putAndTake(first.node().tube(setting, tube.name()));
            UUID session = first.node().identify(setting, before);
            last.node().identify(joining, session.toString());
            first.node().identify(setting, after);
            first.node().close(setting);
            last.node().close(joining);
            return task;
        }

        @Test
        void a_time_to_keep_a_session_is_set_again_after_another_server_has_set_one() {
            try (RunningNode one = new RunningNode(database, "one");
                    RunningNode two = new RunningNode(database, "two")) {
                UUID session = one.node().identify(client, LONG, "anna");
                two.node().identify(other, session, "anna");
                two.node().identify(other, TTR);
                one.node().identify(client, LONG);
                assertThat(two.node().identify(new ClientConnection(), session, "anna"))
                        .isEqualTo(LONG);
            }
        }

        @Test
        void a_session_whose_registration_lost_its_answer_leaves_no_row_after_its_close() {
            UnreliableDataSource line = new UnreliableDataSource(database);
            try (RunningNode one = new RunningNode(line)) {
                Tube tube = one.newTube(other, TubeDefinition.FIFO);
                Task task = putAndTake(one.node().tube(client, tube.name()));
                UUID session = client.id();
                line.loseAnswerOf("INSERT INTO tasktube_session");
                assertThatThrownBy(() -> one.node().identify(client, LONG, "anna"))
                        .isInstanceOf(StoreException.class);
                assertThat(isOpen(session)).isTrue();
                one.node().close(client);
                Eventually.holds(() -> state(tube, task) == TaskState.READY, "the task is READY");
                Eventually.holds(() -> rows("session = '" + session + "'") == 0, "the row is gone");
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
                        CompletableFuture.supplyAsync(() -> waiting.take(Duration.ofMinutes(2)));
                long closed = System.nanoTime();
                one.node().close(client);
                assertThat(take.get(60, TimeUnit.SECONDS).map(Task::id)).contains(task.id());
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
                assertThat(there.take(Duration.ofMinutes(2)).map(Task::text))
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
