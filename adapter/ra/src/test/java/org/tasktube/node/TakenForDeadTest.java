package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.Task;
import org.tasktube.TaskTakenByAnotherException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.DeadServer;
import org.tasktube.admin.ServerStatus;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

/** A server that others took for dead gets a new number at once: what it does under the former one, they undo. */
@Timeout(60)
class TakenForDeadTest {

    private static final int SESSIONS = 5;
    private static final String BEATS = "UPDATE tasktube_node SET seen_at";
    private static final String GETS_NUMBER = "INTO tasktube_node";
    private static final String REGISTERS = "INTO tasktube_session";

    private final AtomicInteger beats = new AtomicInteger();
    private volatile Consumer<String> before = sql -> {};

    private RunningNode server(HikariDataSource database) {
        return new RunningNode(
                HookedDataSource.of(database, sql -> {
                    if (sql.contains(BEATS)) {
                        beats.incrementAndGet();
                    }
                    before.accept(sql);
                }),
                "one");
    }

    private static void takeForDead(RunningNode server, Sql sql) throws SQLException {
        sql.execute("UPDATE tasktube_node SET dead = TRUE WHERE id = "
                + server.node().number());
    }

    private static void awaitNumberAfter(int former, RunningNode server) {
        Eventually.holds(() -> server.node().number() != former, "it has another number");
    }

    @ParameterizedTest
    @DatabaseSource
    void it_registers_no_more_sessions_before(TestDatabase kind) throws SQLException {
        try (HikariDataSource database = kind.create();
                RunningNode running = server(database)) {
            for (int i = 0; i < SESSIONS; i++) {
                running.node().identify(new ClientConnection());
            }
            Sql sql = new Sql(database);
            int former = running.node().number();
            AtomicBoolean isDead = new AtomicBoolean();
            AtomicInteger underFormer = new AtomicInteger();
            before = statement -> {
                if (statement.contains(REGISTERS)
                        && running.node().number() == former
                        && underFormer.incrementAndGet() == 1) {
                    Eventually.holds(isDead::get, "it is taken for dead");
                    int begun = beats.get();
                    // The second one comes after the answer to the first
                    Eventually.holds(() -> beats.get() >= begun + 2, "the heart has beaten");
                }
            };
            sql.execute("DELETE FROM tasktube_session");
            NodeParts parts = running.node().parts();
            parts.queue().execute(() -> parts.holderCheck().check(running.node().registry(), former));
            Eventually.holds(() -> underFormer.get() == 1, "the first session is being registered");
            takeForDead(running, sql);
            isDead.set(true);
            awaitNumberAfter(former, running);
            Eventually.holds(
                    () -> number(
                                    sql,
                                    "SELECT count(*) FROM tasktube_session WHERE node = "
                                            + running.node().number())
                            == SESSIONS,
                    "all are registered");
            assertThat(underFormer).hasValue(1);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void what_it_has_taken_comes_again_and_an_ack_of_it_fails(TestDatabase kind) throws SQLException {
        try (HikariDataSource database = kind.create();
                RunningNode running = server(database)) {
            Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFO);
            tube.put("a");
            Task task = tube.take(Duration.ZERO).orElseThrow();
            int former = running.node().number();
            takeForDead(running, new Sql(database));
            awaitNumberAfter(former, running);
            Task again = tube.take(Duration.ofMinutes(1)).orElseThrow();
            assertThatThrownBy(() -> tube.ack(task)).isInstanceOf(TaskTakenByAnotherException.class);
            tube.ack(again);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void one_that_has_died_is_shown_with_what_was_released_until_it_is_back_or_dismissed(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode running = new RunningNode(database, "one")) {
            TaskAdmin admin = running.node().admin(new ClientConnection());
            Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFO);
            int first = die(database, "two", tube);
            awaitDead(admin, first);
            try (RunningNode back = new RunningNode(database, "two")) {
                Eventually.holds(() -> admin.work().dead().isEmpty(), "it is back");
                assertThat(status(admin, first).state()).isEqualTo(ServerStatus.State.DEAD);
                assertThat(back.node().number()).isNotEqualTo(first);
            }
            Eventually.holds(() -> admin.work().dead().size() == 1, "the one that was back has stopped");
            assertThat(admin.servers()).extracting(ServerStatus::state).contains(ServerStatus.State.LEFT);
            assertThat(admin.dismissServer(first)).isTrue();
            assertThat(admin.dismissServer(first)).isFalse();
            Eventually.holds(() -> admin.work().dead().isEmpty(), "it is dismissed");
            assertThat(status(admin, first).released()).isEqualTo(2);
            assertThat(admin.dismissServer(running.node().number()))
                    .as("one that is up")
                    .isFalse();
        }
    }

    /** Returns the number of a server that was killed with two tasks. */
    private static int die(HikariDataSource database, String name, Tube tube) {
        RunningNode dies = new RunningNode(database, name);
        Tube there = dies.node().tube(new ClientConnection(), tube.name());
        there.put("a");
        there.put("b");
        assertThat(there.take(2, Duration.ZERO)).hasSize(2);
        int number = dies.node().number();
        dies.kill();
        return number;
    }

    private static void awaitDead(TaskAdmin admin, int number) {
        Eventually.holds(() -> !admin.work().dead().isEmpty(), "it is dead");
        assertThat(admin.work().dead())
                .extracting(DeadServer::name, DeadServer::number, DeadServer::released)
                .containsExactly(tuple("two", number, 2L));
        ServerStatus status = status(admin, number);
        assertThat(status.state()).isEqualTo(ServerStatus.State.DEAD);
        assertThat(status.released()).isEqualTo(2);
        assertThat(status.releasedAt()).isPresent();
    }

    private static ServerStatus status(TaskAdmin admin, int number) {
        return admin.servers().stream()
                .filter(server -> server.number() == number)
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @DatabaseSource
    void it_finds_that_out_and_tries_again_also_while_its_heartbeat_hangs(TestDatabase kind) throws SQLException {
        AtomicBoolean end = new AtomicBoolean();
        AtomicBoolean failed = new AtomicBoolean();
        AtomicReference<Thread> hangs = new AtomicReference<>();
        try (HikariDataSource database = kind.create();
                RunningNode running = server(database)) {
            before = statement -> {
                if (statement.contains(BEATS) && hangs.compareAndSet(null, Thread.currentThread())) {
                    Eventually.holds(end::get, "the end of the test");
                }
                if (statement.contains(GETS_NUMBER) && failed.compareAndSet(false, true)) {
                    throw new InternalError("of the test");
                }
            };
            Eventually.holds(() -> hangs.get() != null, "the heartbeat hangs");
            int former = running.node().number();
            takeForDead(running, new Sql(database));
            awaitNumberAfter(former, running);
            assertThat(failed).isTrue();
            end.set(true);
        }
    }

    /** Each failure asks for a heartbeat, whose answer asks for the next try. */
    @ParameterizedTest
    @DatabaseSource
    void it_tries_with_pauses_while_the_database_fails(TestDatabase kind) throws SQLException {
        AtomicInteger tries = new AtomicInteger();
        try (HikariDataSource database = kind.create();
                RunningNode running = server(database)) {
            before = statement -> {
                if (statement.contains(GETS_NUMBER)) {
                    tries.incrementAndGet();
                    throw new IllegalStateException("as if the answer were lost");
                }
            };
            int former = running.node().number();
            long begin = System.nanoTime();
            takeForDead(running, new Sql(database));
            Eventually.holds(() -> tries.get() >= 21, "it tries again and again");
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofSeconds(1));
            before = statement -> {};
            awaitNumberAfter(former, running);
        }
    }

    private static long number(Sql sql, String query) {
        try {
            return sql.number(query);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}
