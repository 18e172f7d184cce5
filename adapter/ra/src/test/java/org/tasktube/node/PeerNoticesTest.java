package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskResult;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeMode;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.Transactions;
import org.tasktube.testing.ConnectionSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.LogLines;
import org.tasktube.testing.Proxies;
import org.tasktube.testing.RefusingDataSource;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;
import org.tasktube.tube.WaitQueue;

import static org.assertj.core.api.Assertions.assertThat;

/** Servers on one PostgreSQL notify each other, so that no waiter waits for a poll. Here no server polls for an hour. */
@Timeout(120)
@Tag("large")
class PeerNoticesTest {

    private static final Duration NO_POLL = Duration.ofHours(1);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String LISTENERS =
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %'";

    private HikariDataSource database;

    @BeforeEach
    void create() {
        database = TestDatabase.POSTGRESQL.create();
    }

    @AfterEach
    void drop() {
        database.close();
    }

    private static RunningNode server(DataSource source, String name, Duration poll, boolean notifies) {
        return new RunningNode(
                source,
                Transactions.NONE,
                new Settings(
                        name,
                        1 << 20,
                        poll,
                        RunningNode.NODE_TIMEOUT,
                        Duration.ZERO,
                        Settings.AUDIT_RETENTION,
                        notifies,
                        0));
    }

    private RunningNode server(String name) {
        return server(database, name, NO_POLL, true);
    }

    private static void awaitNotices(RunningNode... servers) {
        for (RunningNode server : servers) {
            Eventually.holds(() -> server.node().parts().notices().work(), "its notices come back");
        }
    }

    private static Tube same(RunningNode other, Tube tube) {
        return other.node().tube(new ClientConnection(), tube.name());
    }

    /** Waits on a thread of its own until something is there. */
    private static <T> CompletableFuture<T> waiting(RunningNode server, Tube tube, Function<Tube, T> call) {
        Tube there = same(server, tube);
        CompletableFuture<T> result = CompletableFuture.supplyAsync(() -> call.apply(there));
        Eventually.holds(
                () -> {
                    var runtime = server.node().find(tube.name()).orElseThrow().runtime();
                    return runtime.takers().asleep() + runtime.putters().asleep() > 0
                            || !runtime.watches().tasks().isEmpty();
                },
                "it waits");
        return result;
    }

    /** Returns the result of a wait before its own end, at which it would look once more. */
    private static <T> T soon(CompletableFuture<T> wait) throws Exception {
        return wait.get(PATIENCE.toSeconds() / 2, TimeUnit.SECONDS);
    }

    @Test
    void a_task_wakes_a_take_on_another_server() throws Exception {
        try (RunningNode one = server("one");
                RunningNode two = server("two")) {
            awaitNotices(one, two);
            Tube here = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            CompletableFuture<Optional<Task>> take = waiting(two, here, tube -> tube.take(PATIENCE));
            here.put("x");
            assertThat(soon(take)).isPresent();
        }
    }

    @Test
    void a_task_that_is_released_kicked_or_whose_delay_is_over_wakes_one_too() throws Exception {
        try (RunningNode one = server("one");
                RunningNode two = server("two")) {
            awaitNotices(one, two);
            Tube here = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            here.put("released");
            Task held = here.take(Duration.ZERO).orElseThrow();
            CompletableFuture<Optional<Task>> released = waiting(two, here, tube -> tube.take(PATIENCE));
            here.release(held);
            assertThat(soon(released)).isPresent();

            Task buried = here.put("kicked");
            here.bury(here.take(Duration.ZERO).orElseThrow());
            CompletableFuture<Optional<Task>> kicked = waiting(two, here, tube -> tube.take(PATIENCE));
            here.kick(1);
            assertThat(soon(kicked).map(Task::id)).contains(buried.id());

            CompletableFuture<Optional<Task>> delayed = waiting(two, here, tube -> tube.take(PATIENCE));
            here.put("delayed", PutOptions.defaults().delay(Duration.ofMillis(50)));
            assertThat(soon(delayed)).isPresent();
        }
    }

    @Test
    void free_capacity_wakes_a_put_on_another_server() throws Exception {
        try (RunningNode one = server("one");
                RunningNode two = server("two")) {
            awaitNotices(one, two);
            Tube here =
                    one.node().createTube(new ClientConnection(), TubeDefinition.limfifottl(RunningNode.newName(), 1));
            here.put("first");
            CompletableFuture<Optional<Task>> put =
                    waiting(two, here, tube -> tube.put("second", PutOptions.defaults(), PATIENCE));
            here.ack(here.take(Duration.ZERO).orElseThrow());
            assertThat(soon(put)).isPresent();
        }
    }

    @Test
    void a_waiter_that_leaves_with_its_wake_leaves_the_task_to_another_server() throws Exception {
        try (RunningNode one = server("one");
                RunningNode two = server("two")) {
            awaitNotices(one, two);
            Tube here = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            CompletableFuture<Optional<Task>> take = waiting(two, here, tube -> tube.take(PATIENCE));
            try (WaitQueue.Waiter waiter =
                    one.node().find(here.name()).orElseThrow().takers().waiter()) {
                waiter.enter();
                here.put("x");
            }
            assertThat(soon(take)).isPresent();
        }
    }

    @Test
    void a_put_of_several_that_finds_one_slot_leaves_it_to_another_server() throws Exception {
        try (RunningNode one = server("one");
                RunningNode two = server("two")) {
            awaitNotices(one, two);
            Tube here =
                    one.node().createTube(new ClientConnection(), TubeDefinition.limfifottl(RunningNode.newName(), 2));
            here.putAll(List.of("a", "b"), PutOptions.defaults());
            CompletableFuture<Optional<List<Task>>> both =
                    waiting(one, here, tube -> tube.putAll(List.of("c", "d"), PutOptions.defaults(), PATIENCE));
            CompletableFuture<Optional<Task>> put =
                    waiting(two, here, tube -> tube.put("e", PutOptions.defaults(), PATIENCE));
            here.ack(here.take(Duration.ZERO).orElseThrow());
            assertThat(soon(put)).isPresent();
            here.truncate();
            assertThat(soon(both)).isPresent();
        }
    }

    @Test
    void a_result_ends_the_wait_for_it_on_another_server() throws Exception {
        try (RunningNode one = server("one");
                RunningNode two = server("two")) {
            awaitNotices(one, two);
            Tube here = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            long id = here.put("x").id();
            CompletableFuture<Optional<TaskResult>> result = waiting(two, here, tube -> tube.await(id, PATIENCE));
            here.ack(here.take(Duration.ZERO).orElseThrow(), TaskResult.completed("done"));
            assertThat(soon(result)).isPresent();
        }
    }

    @Test
    void a_resume_wakes_a_take_on_another_server_and_a_pause_is_known_there() throws Exception {
        try (RunningNode one = server("one");
                RunningNode two = server("two")) {
            awaitNotices(one, two);
            Tube here = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            Tube there = same(two, here);
            CompletableFuture<Optional<Task>> take = waiting(two, here, tube -> tube.take(PATIENCE));
            here.pause("a rest");
            Eventually.holds(() -> there.statistics().mode() == TubeMode.PAUSED, "the pause is known there");
            here.put("x");
            here.resume();
            assertThat(soon(take)).isPresent();
        }
    }

    @Test
    void a_server_without_others_has_no_connection_for_notices_and_neither_has_one_that_may_not() throws Exception {
        try (RunningNode one = server("one")) {
            Tube tube = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            try (RunningNode two = server(database, "two", RunningNode.POLL, false)) {
                awaitNotices(one);
                assertThat(listeners()).isEqualTo(1);
                CompletableFuture<Optional<Task>> take = waiting(two, tube, there -> there.take(PATIENCE));
                tube.put("x");
                assertThat(soon(take)).as("by its poll").isPresent();
            }
            Eventually.holds(() -> listeners() == 0, "the one that is left alone listens no more");
        }
    }

    private long listeners() {
        try {
            return new Sql(database).number(LISTENERS);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @Tag("full")
    void a_server_whose_listening_connection_is_killed_listens_again() throws Exception {
        try (LogLines log = new LogLines("org.tasktube.node");
                RunningNode one = server("one");
                RunningNode two = server("two")) {
            awaitNotices(one, two);
            new Sql(database)
                    .number("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                            + " WHERE datname = current_database() AND query LIKE 'LISTEN %'");
            Eventually.holds(() -> !log.of("TASKTUBE0162").isEmpty(), "it says so");
            awaitNotices(one, two);
            Tube here = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            CompletableFuture<Optional<Task>> take = waiting(two, here, tube -> tube.take(PATIENCE));
            here.put("x");
            assertThat(soon(take)).isPresent();
        }
    }

    @Test
    @Tag("full")
    void texts_that_do_not_come_back_are_noticed_and_polls_find_the_tasks() throws Exception {
        // As PgBouncer gives each transaction another connection, which listens to nothing
        DataSource deaf = (ConnectionSource) () -> deaf(database.getConnection());
        try (LogLines log = new LogLines("org.tasktube.node");
                RunningNode one = server("one");
                RunningNode two = server(deaf, "two", RunningNode.POLL, true)) {
            awaitNotices(one);
            Eventually.holds(() -> !log.of("TASKTUBE0160").isEmpty(), "it says so");
            assertThat(two.node().parts().notices().work()).isFalse();
            Tube here = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            CompletableFuture<Optional<Task>> take = waiting(two, here, tube -> tube.take(PATIENCE));
            here.put("x");
            assertThat(soon(take)).isPresent();
        }
    }

    private static Connection deaf(Connection real) {
        return Proxies.of(Connection.class, (method, arguments) -> {
            Object result = Proxies.call(real, method, arguments);
            return method.getName().equals("createStatement") ? deaf((Statement) result) : result;
        });
    }

    private static Statement deaf(Statement real) {
        return Proxies.of(Statement.class, (method, arguments) -> {
            boolean listens = method.getName().equals("execute") && ((String) arguments[0]).startsWith("LISTEN ");
            return Proxies.call(real, method, listens ? new Object[] {"SELECT 1"} : arguments);
        });
    }

    @Test
    @Tag("full")
    void a_notice_that_the_database_refuses_is_followed_by_a_pause_and_not_taken_for_a_lost_one() throws Exception {
        RefusingDataSource refusing = new RefusingDataSource(database);
        try (LogLines log = new LogLines("org.tasktube.node");
                RunningNode one = server(refusing, "one", NO_POLL, true);
                RunningNode two = server("two")) {
            awaitNotices(one, two);
            Tube here = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            refusing.refuse("pg_notify");
            long end = System.nanoTime()
                    + PeerNotices.PATIENCE.toNanos()
                    + Duration.ofSeconds(1).toNanos();
            while (System.nanoTime() - end < 0) {
                here.put("x");
            }
            assertThat(refusing.refused()).as("of thousands of puts").isBetween(1, 5);
            refusing.refuse(null);
            Tube empty = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            CompletableFuture<Optional<Task>> take = waiting(two, empty, tube -> tube.take(PATIENCE));
            empty.put("y");
            assertThat(soon(take)).isPresent();
            assertThat(log.of("TASKTUBE0160")).isEmpty();
        }
    }

    @Test
    void a_word_that_this_version_does_not_know_is_left_out() {
        try (RunningNode one = server("one")) {
            List<String> heard = new ArrayList<>();
            one.node()
                    .parts()
                    .notices()
                    .heard(
                            "other R5 X9 R R-1 S3 R9999999999 R2147483647 C2 now",
                            (tube, news) -> heard.add(news + "-" + tube));
            assertThat(heard).containsExactly("READY-5", "STATE-3", "READY-2147483647", "CAPACITY-2");
        }
    }
}
