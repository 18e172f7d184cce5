package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.OnConflict;
import org.tasktube.PutOptions;
import org.tasktube.ReleaseOptions;
import org.tasktube.StoreException;
import org.tasktube.TakeLimits.Rate;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TubeChange;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.Transactions;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Limits of takes and strict order beside open transactions, and the wakes of waiting takes without polls. */
class LimitsBesideTransactionsTest {

    private static final Duration LONG = Duration.ofSeconds(60);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final String name = RunningNode.newName();
    private HikariDataSource database;
    private AgroalDataSource pool;
    private RunningNode server;

    private Tube start(TestDatabase kind, TubeDefinition definition) {
        database = kind.create();
        pool = Jta.pool(database);
        server = new RunningNode(
                pool, Jta.TRANSACTIONS, new Settings("one", 1 << 20, ofHours(1), Duration.ofMinutes(1), ZERO));
        return server.node().createTube(new ClientConnection(), definition);
    }

    @AfterEach
    void stop() {
        threads.shutdownNow();
        server.close();
        pool.close();
        database.close();
    }

    private Tube another() {
        return server.node().tube(new ClientConnection(), name);
    }

    private TaskAdmin admin() {
        return server.node().admin(new ClientConnection());
    }

    private <T> T apart(Callable<T> work) throws Exception {
        return threads.submit(work).get(60, TimeUnit.SECONDS);
    }

    private void change(TubeChange change) throws Exception {
        apart(() -> admin().changeTube(name, change));
    }

    /** A take that waits asleep. */
    private Future<Optional<Task>> waiting() {
        Future<Optional<Task>> take = threads.submit(() -> another().take(LONG.multipliedBy(2)));
        Waiting.forTasks(server.node(), name, 1);
        return take;
    }

    private static void gets(Future<Optional<Task>> waiting) throws Exception {
        assertThat(waiting.get(LONG.toSeconds(), TimeUnit.SECONDS)).isPresent();
    }

    private static void put(Tube tube, int tasks) {
        tube.putAll(Collections.nCopies(tasks, "a"), PutOptions.defaults());
    }

    private static Optional<Rate> rate(int takes, Duration period) {
        return Optional.of(new Rate(takes, period));
    }

    @Test
    void a_server_that_knows_one_limit_takes_nothing_beyond_a_second_one() throws Exception {
        Tube tube = start(TestDatabase.POSTGRESQL, TubeDefinition.fifo(name).maxRate(1_000, ofSeconds(1)));
        put(tube, 9);
        try (RunningNode other = new RunningNode(
                database, Transactions.NONE, new Settings("two", 1 << 20, ofHours(1), Duration.ofMinutes(1), ZERO))) {
            Tube there = other.node().tube(new ClientConnection(), name);
            assertThat(there.take(ZERO)).isPresent();
            change(TubeChange.NONE.maxTaken(OptionalInt.of(1)));
            assertThat(there.take(9, ZERO)).isEmpty();
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_limit_is_lowered_after_the_takes_that_are_under_way(TestDatabase kind) throws Exception {
        Tube tube = start(kind, TubeDefinition.fifo(name).maxTaken(5));
        put(tube, 9);
        Task first = tube.take(ZERO).orElseThrow();
        Jta.MANAGER.begin();
        assertThat(tube.take(9, ZERO)).hasSize(4);
        CountDownLatch deleted = new CountDownLatch(1);
        Future<?> lowers = threads.submit(() -> {
            another().delete(first.id());
            deleted.countDown();
            return admin().changeTube(name, TubeChange.NONE.maxTaken(OptionalInt.of(1)));
        });
        assertThat(deleted.await(60, TimeUnit.SECONDS)).isTrue();
        Jta.MANAGER.commit();
        lowers.get(60, TimeUnit.SECONDS);
        assertThat(another().take(9, ZERO)).isEmpty();
    }

    @Test
    void a_snapshot_of_before_a_change_takes_nothing() throws Exception {
        Tube tube = start(TestDatabase.POSTGRESQL, TubeDefinition.fifo(name).maxTaken(5));
        put(tube, 9);
        Jta.MANAGER.begin();
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
            statement.executeQuery("SELECT count(*) FROM tasktube_task").close();
        }
        change(TubeChange.NONE.maxTaken(OptionalInt.of(1)));
        assertThatThrownBy(() -> tube.take(9, ZERO)).isInstanceOf(StoreException.class);
        Jta.MANAGER.rollback();
    }

    @ParameterizedTest
    @DatabaseSource
    void a_take_that_finds_nothing_keeps_no_place(TestDatabase kind) throws Exception {
        Tube tube = start(kind, TubeDefinition.fifo(name).maxTaken(2));
        put(tube, 1);
        Jta.MANAGER.begin();
        assertThat(tube.take(ZERO)).isPresent();
        CountDownLatch looked = new CountDownLatch(1);
        CountDownLatch ends = new CountDownLatch(1);
        Future<?> other = threads.submit(() -> {
            Jta.MANAGER.begin();
            assertThat(another().take(ZERO)).isEmpty();
            looked.countDown();
            ends.await();
            Jta.MANAGER.commit();
            return null;
        });
        assertThat(looked.await(60, TimeUnit.SECONDS)).isTrue();
        Jta.MANAGER.commit();
        put(tube, 1);
        assertThat(tube.take(ZERO)).isPresent();
        ends.countDown();
        other.get(60, TimeUnit.SECONDS);
    }

    // Wakes

    @ParameterizedTest
    @DatabaseSource
    void each_take_of_a_quick_rate_comes_in_its_turn(TestDatabase kind) {
        Tube tube = start(kind, TubeDefinition.fifo(name).maxRate(1, ofMillis(20)));
        put(tube, 60);
        for (int i = 0; i < 60; i++) {
            tube.ack(tube.take(LONG).orElseThrow());
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_shorter_period_wakes_a_take_that_waits_for_a_longer_one(TestDatabase kind) throws Exception {
        Tube tube = start(kind, TubeDefinition.fifo(name).maxRate(1, ofHours(1)));
        put(tube, 2);
        assertThat(tube.take(ZERO)).isPresent();
        Future<Optional<Task>> waiting = waiting();
        change(TubeChange.NONE.maxRate(rate(1, ofMillis(500))));
        gets(waiting);
    }

    @ParameterizedTest
    @DatabaseSource
    void a_take_waits_for_the_right_one_after_a_lower_rate(TestDatabase kind) throws Exception {
        Tube tube = start(kind, TubeDefinition.fifo(name).maxRate(3, ofSeconds(1)));
        put(tube, 5);
        for (int i = 0; i < 3; i++) {
            assertThat(tube.take(LONG)).isPresent();
        }
        change(TubeChange.NONE.maxRate(rate(1, ofSeconds(1))));
        gets(threads.submit(() -> another().take(LONG)));
    }

    @ParameterizedTest
    @DatabaseSource
    void the_commit_of_a_long_transaction_wakes_the_next_take(TestDatabase kind) throws Exception {
        Tube tube = start(kind, TubeDefinition.fifo(name).maxRate(1, ofMillis(200)));
        put(tube, 3);
        Jta.MANAGER.begin();
        assertThat(tube.take(ZERO)).isPresent();
        Future<Optional<Task>> waiting = waiting();
        apart(() -> {
            TimeUnit.MILLISECONDS.sleep(400);
            return null;
        });
        Jta.MANAGER.commit();
        gets(waiting);
    }

    @ParameterizedTest
    @DatabaseSource
    void each_end_of_a_hold_wakes_a_waiting_take(TestDatabase kind) throws Exception {
        Tube tube = start(kind, TubeDefinition.utubettl(name).strict());
        PutOptions x = PutOptions.defaults().utube("x");
        Consumer<Task> bury = tube::bury;
        Consumer<Task> delay =
                task -> tube.release(task, ReleaseOptions.defaults().delay(ofHours(1)));
        List<BiConsumer<Consumer<Task>, Task>> ends = List.of(
                (fail, task) -> tube.delete(task.id()),
                (fail, task) -> tube.letGo("x"),
                (fail, task) -> {
                    if (fail == delay) {
                        tube.bury(task.id());
                    }
                    tube.delete(task.id());
                },
                (fail, task) -> tube.putUnique("k", "b", x.delay(ofHours(1)), OnConflict.REPLACE));
        for (Consumer<Task> fail : List.of(bury, delay)) {
            for (BiConsumer<Consumer<Task>, Task> end : fail == bury ? ends.subList(0, 3) : ends) {
                tube.putUnique("k", "a", x, OnConflict.FAIL);
                tube.put("b", x);
                Task first = tube.take(ZERO).orElseThrow();
                fail.accept(first);
                Future<Optional<Task>> waiting = waiting();
                end.accept(fail, first);
                gets(waiting);
                tube.truncate();
            }
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_burial_beside_the_end_of_strict_order_holds_nothing(TestDatabase kind) throws Exception {
        Tube tube = start(kind, TubeDefinition.utubettl(name).strict());
        PutOptions x = PutOptions.defaults().utube("x");
        tube.put("a", x);
        tube.put("b", x);
        Task first = tube.take(ZERO).orElseThrow();
        Jta.MANAGER.begin();
        tube.bury(first);
        change(TubeChange.NONE.strict(false));
        Jta.MANAGER.commit();
        Task second = tube.take(ZERO).orElseThrow();
        change(TubeChange.NONE.strict(true));
        tube.put("c", x);
        tube.ack(second);
        assertThat(tube.take(ZERO).map(Task::text)).contains("c");
    }

    @ParameterizedTest
    @DatabaseSource
    void a_burial_by_id_holds_whether_a_take_has_looked_or_not(TestDatabase kind) {
        Tube tube = start(kind, TubeDefinition.utubettl(name).strict());
        PutOptions x = PutOptions.defaults().utube("x");
        Task first = tube.put("a", x);
        tube.put("b", x);
        tube.bury(first.id());
        assertThat(tube.take(ZERO)).isEmpty();
    }
}
