package org.tasktube.node;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.AdapterState;
import org.tasktube.PutOptions;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.TaskWatch;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeEvent;
import org.tasktube.TubeNotFoundException;
import org.tasktube.itest.watchdog.Network;
import org.tasktube.node.admin.Administration;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.Transactions;
import org.tasktube.store.sql.SqlStores;
import org.tasktube.testing.ConnectionSource;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.Jta;
import org.tasktube.testing.LogLines;
import org.tasktube.testing.Outage;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;
import org.tasktube.tracing.ServerTracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The maintenance thread waits for nothing: not for locks, not for applications, not for a pool or a network. */
class MaintenanceTest {

    private static final Duration TIMEOUT = RunningNode.NODE_TIMEOUT;
    private static final Duration LOOK = Duration.ofSeconds(2);
    private static final Duration LONG = Duration.ofSeconds(20);

    private static Connection locking(HikariDataSource database, String sql) throws Exception {
        Connection open = database.getConnection();
        open.setAutoCommit(false);
        try (Statement on = open.createStatement()) {
            on.execute(sql);
        }
        return open;
    }

    private static TaskState state(Tube tube, Task task) {
        return tube.peek(task.id()).orElseThrow().state();
    }

    private static long notDue(HikariDataSource database) {
        try {
            return new Sql(database).number("SELECT count(*) FROM tasktube_task WHERE event_at > CURRENT_TIMESTAMP");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_listener_that_is_set_when_a_sweep_has_begun_is_notified_of_what_it_removes(TestDatabase kind) {
        AtomicReference<Runnable> onDue = new AtomicReference<>(() -> {});
        List<String> gone = new CopyOnWriteArrayList<>();
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(HookedDataSource.of(database, text -> {
                    if (text.contains("ORDER BY event_at, id")) {
                        CompletableFuture.runAsync(onDue.getAndSet(() -> {})).join();
                    }
                }))) {
            Tube tube = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            PutOptions brief = PutOptions.defaults().ttl(Duration.ofMillis(1));
            onDue.set(() -> {
                tube.onTaskChange(change -> {
                    if (change.event() == TubeEvent.TTL) {
                        gone.add(change.task().orElseThrow().data().text());
                    }
                });
                tube.put("put after it", brief);
                Eventually.holds(() -> notDue(database) == 0, "both are due");
            });
            tube.put("has the sweep begin", brief);
            Eventually.holds(() -> gone.contains("put after it"), "it is notified");
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void deadlines_that_never_cease_to_be_due_hold_up_no_other_work(TestDatabase kind) {
        int all = 200;
        AtomicBoolean flood = new AtomicBoolean();
        AtomicInteger sweeps = new AtomicInteger();
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(HookedDataSource.of(database, text -> {
                    if (flood.get()
                            && text.contains("FROM tasktube_task")
                            && text.contains("ORDER BY event_at FETCH")) {
                        sweeps.incrementAndGet();
                        oneIsDue(database);
                    }
                }))) {
            Tube tube = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            tube.putAll(Collections.nCopies(all, "x"), PutOptions.defaults().delay(Duration.ofHours(1)));
            flood.set(true);
            CompletableFuture<Duration> sweep = CompletableFuture.supplyAsync(one.node()::sweep);
            Eventually.holds(() -> sweeps.get() > 0, "a sweep has begun");
            assertThat(one.node().parts().calls().call(sweeps::get)).isLessThan(all / 2);
            Eventually.holds(() -> tube.statistics().delayed() == 0, "all have become READY");
            sweep.join();
        }
    }

    @Test
    void a_call_that_has_waited_too_long_for_other_work_fails_and_is_not_made_up_for() throws Exception {
        try (HikariDataSource database = TestDatabase.H2.create();
                RunningNode one = new RunningNode(database)) {
            NodeParts parts = one.node().parts();
            MaintenanceCalls brief =
                    new MaintenanceCalls(parts.queue(), parts.access(), Jta.TRANSACTIONS, Duration.ofMillis(10));
            CountDownLatch released = new CountDownLatch(1);
            AtomicBoolean done = new AtomicBoolean();
            parts.queue().execute(() -> await(released));
            assertThatThrownBy(() -> brief.call(() -> done.getAndSet(true)))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("did other work for 10 ms; nothing was done");
            released.countDown();
            parts.calls().awaitIdle();
            assertThat(done).isFalse();
        }
    }

    private static void oneIsDue(HikariDataSource database) {
        try {
            new Sql(database)
                    .execute("UPDATE tasktube_task SET event_at = CURRENT_TIMESTAMP - INTERVAL '1' SECOND"
                            + " WHERE id = (SELECT min(id) FROM tasktube_task WHERE state = '~')");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_drop_on_another_server_is_noticed_and_harms_no_other_tube(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(database, "one");
                RunningNode two = new RunningNode(database, "two")) {
            Tube dropped = one.newTube(new ClientConnection(), TubeDefinition.FIFO);
            Tube kept = one.newTube(new ClientConnection(), TubeDefinition.FIFO);
            Tube there = two.node().tube(new ClientConnection(), dropped.name());
            there.put("a");
            there.ack(there.take());
            dropped.drop();
            two.node().recount().now();
            assertThatThrownBy(() -> two.node().tube(new ClientConnection(), dropped.name()))
                    .isInstanceOf(TubeNotFoundException.class);
            two.node().tube(new ClientConnection(), kept.name()).put("b");
        }
    }

    @ParameterizedTest
    @DatabaseSource
    @Tag("full")
    void a_server_that_is_alive_is_not_taken_for_dead_while_a_dead_one_has_an_open_transaction(TestDatabase kind)
            throws Exception {
        try (HikariDataSource database = kind.create()) {
            RunningNode dead = new RunningNode(database, "dead");
            Tube tube = dead.newTube(new ClientConnection(), TubeDefinition.FIFO);
            tube.put("held by the dead");
            Task held = tube.take();
            try (Connection open = locking(database, "DELETE FROM tasktube_task WHERE id = " + held.id());
                    RunningNode one = new RunningNode(database, "one");
                    RunningNode two = new RunningNode(database, "two")) {
                Tube mine = one.newTube(new ClientConnection(), TubeDefinition.FIFO);
                Tube others = two.newTube(new ClientConnection(), TubeDefinition.FIFO);
                mine.put("held by one");
                others.put("held by two");
                Task first = mine.take();
                Task second = others.take();
                int[] numbers = {one.node().number(), two.node().number()};
                dead.kill();
                long until = System.nanoTime() + TIMEOUT.multipliedBy(4).toNanos();
                Eventually.holds(() -> System.nanoTime() > until, "four timeouts are over");
                mine.ack(first);
                others.ack(second);
                assertThat(new int[] {one.node().number(), two.node().number()}).isEqualTo(numbers);
                open.rollback();
                Tube again = one.node().tube(new ClientConnection(), tube.name());
                assertThat(again.take(LONG).map(Task::text)).contains("held by the dead");
            }
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_server_that_starts_as_the_only_one_removes_tasks_whose_tube_is_dropped(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create()) {
            try (RunningNode before = new RunningNode(database, "one")) {
                Tube tube = before.newTube(new ClientConnection(), TubeDefinition.FIFO);
                tube.put("left");
                try (Connection connection = database.getConnection();
                        Statement on = connection.createStatement()) {
                    on.execute("DELETE FROM tasktube_tube");
                }
            }
            try (RunningNode after = new RunningNode(database, "one");
                    Connection connection = database.getConnection()) {
                assertThat(after.node().tubes()).isEmpty();
                Eventually.holds(() -> tasks(connection) == 0, "the task is removed");
            }
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_server_that_starts_after_a_killed_one_has_counted_and_warns_of_nothing(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create()) {
            RunningNode killed = new RunningNode(database, "one");
            Tube tube = killed.newTube(new ClientConnection(), TubeDefinition.FIFO);
            tube.put("held");
            tube.put("ready");
            assertThat(tube.take(Duration.ZERO)).isPresent();
            killed.kill();
            new Sql(database).execute("UPDATE tasktube_node SET seen_at = seen_at - INTERVAL '1' MINUTE");
            try (LogLines log = new LogLines("org.tasktube.node");
                    RunningNode after = new RunningNode(database, "one")) {
                Tube there = after.node().tube(new ClientConnection(), tube.name());
                assertThat(there.statistics().ready()).isEqualTo(2);
                assertThat(log.of("TASKTUBE0112")).hasSize(1);
                assertThat(log.of("TASKTUBE0113")).isEmpty();
            }
        }
    }

    private static long tasks(Connection connection) {
        try {
            return Sql.number(connection, "SELECT count(*) FROM tasktube_task");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    @Tag("full")
    void a_failed_sweep_is_made_up_for(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create()) {
            AtomicInteger failures = new AtomicInteger();
            Node node = new Node(
                    new Settings("one", 1 << 20, Duration.ofMillis(100), TIMEOUT, Duration.ZERO),
                    Transactions.NONE,
                    onFailure -> SqlStores.open(sweepsFail(database, failures), true, onFailure),
                    ServerTracing.NONE,
                    Administration::new);
            node.threads().forEach(each -> new Thread(each, "queue").start());
            Eventually.holds(() -> node.state() == AdapterState.RUNNING, "it runs");
            Tube tube = node.createTube(new ClientConnection(), TubeDefinition.fifottl("t"));
            failures.set(2);
            Task task = tube.put("a", PutOptions.defaults().delay(Duration.ofMillis(50)));
            Eventually.holds(() -> state(tube, task) == TaskState.READY, "its delay is over");
            assertThat(failures).hasValue(0);
            node.stop();
        }
    }

    private static DataSource sweepsFail(DataSource real, AtomicInteger failures) {
        return HookedDataSource.of(real, statement -> {
            if (statement.contains("ORDER BY event_at, id") && failures.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
                throw new StoreException("the database failed to sweep: lock timeout (SQL state 55P03)", null);
            }
        });
    }

    @ParameterizedTest
    @DatabaseSource
    @Tag("full")
    void an_error_of_a_listener_or_one_that_blocks_stops_no_deadline_of_another_tube(TestDatabase kind)
            throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(database, "one")) {
            Tube listened = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            Tube other = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            PutOptions soon = PutOptions.defaults().delay(Duration.ofMillis(50));
            listened.onTaskChange(change -> {
                throw new NoClassDefFoundError("of an undeployed application");
            });
            Task first = listened.put("a", soon);
            Eventually.holds(() -> state(listened, first) == TaskState.READY, "its delay is over");
            CountDownLatch blocked = new CountDownLatch(1);
            AtomicReference<Optional<String>> tubeOfTask = new AtomicReference<>(Optional.empty());
            listened.onTaskChange(change -> {
                if (change.event() == org.tasktube.TubeEvent.DELAY) {
                    tubeOfTask.set(change.task().map(Task::tube));
                    blocked.countDown();
                    try {
                        release.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }
            });
            listened.put("b", soon);
            assertThat(blocked.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(tubeOfTask.get()).contains(listened.name());
            Task second = other.put("c", soon);
            Eventually.holds(() -> state(other, second) == TaskState.READY, "its delay is over");
            assertThat(one.node().state()).isEqualTo(AdapterState.RUNNING);
            release.countDown();
        }
    }

    /** The watch stops the maintenance thread between its check for listeners and their call. */
    @ParameterizedTest
    @DatabaseSource
    @Tag("full")
    void a_listener_that_comes_in_the_middle_of_a_sweep_and_blocks_stops_no_deadline(TestDatabase kind) {
        CountDownLatch release = new CountDownLatch(1);
        Settings withoutPolls = new Settings("one", 1 << 20, Duration.ofMinutes(10), TIMEOUT, Duration.ZERO);
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(database, Transactions.NONE, withoutPolls)) {
            Tube listened = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            Tube other = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            PutOptions soon = PutOptions.defaults().delay(Duration.ofSeconds(1));
            TaskWatch watch = listened.watch(listened.put("a", soon).id());
            synchronized (watch) {
                Eventually.holds(() -> isBlocked("Maintenance-one"), "the maintenance thread waits for the watch");
                listened.onTaskChange(change -> await(release));
            }
            Task second = other.put("c", soon);
            Eventually.holds(() -> state(other, second) == TaskState.READY, "its delay is over");
        } finally {
            release.countDown();
        }
    }

    private static boolean isBlocked(String thread) {
        return Thread.getAllStackTraces().entrySet().stream()
                .anyMatch(each -> each.getKey().getName().equals(thread)
                        && each.getKey().getState() == Thread.State.BLOCKED
                        && each.getValue()[0].getClassName().contains("Watch"));
    }

    @ParameterizedTest
    @DatabaseSource
    @Tag("full")
    void an_application_that_uses_up_the_pool_stops_neither_heartbeats_nor_deadlines(TestDatabase kind)
            throws Exception {
        try (HikariDataSource database = kind.create();
                HikariDataSource small = pool(database, 8)) {
            try (RunningNode one = new RunningNode(small, "one");
                    RunningNode two = new RunningNode(database, "two")) {
                Tube tube = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
                Tube there = two.node().tube(new ClientConnection(), tube.name());
                there.put("held");
                Task delayed = tube.put("a", PutOptions.defaults().delay(Duration.ofMillis(1_500)));
                Task held = tube.take();
                int number = one.node().number();
                List<Connection> leaked = leakAll(small);
                two.kill();
                long until = System.nanoTime() + TIMEOUT.multipliedBy(3).toNanos();
                Eventually.holds(() -> System.nanoTime() > until, "three timeouts are over");
                assertThat(one.node().state()).isEqualTo(AdapterState.RUNNING);
                try (Connection reading = database.getConnection();
                        Statement on = reading.createStatement();
                        var row = on.executeQuery("SELECT state FROM tasktube_task WHERE id = " + delayed.id())) {
                    row.next();
                    assertThat(row.getString(1)).isEqualTo("r");
                }
                for (Connection connection : leaked) {
                    connection.close();
                }
                assertThat(one.node().number()).isEqualTo(number);
                tube.ack(held);
            }
        }
    }

    private static HikariDataSource pool(HikariDataSource database, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.getJdbcUrl());
        config.setUsername(database.getUsername());
        config.setMaximumPoolSize(size);
        config.setConnectionTimeout(300);
        return new HikariDataSource(config);
    }

    private static List<Connection> leakAll(HikariDataSource pool) {
        List<Connection> leaked = new ArrayList<>();
        try {
            while (true) {
                leaked.add(pool.getConnection());
            }
        } catch (java.sql.SQLException e) {
            return leaked;
        }
    }

    @Test
    @Tag("full")
    void takes_from_sub_queues_in_transactions_need_no_second_connection_of_the_pool() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                AgroalDataSource pool = Jta.pool(database, 6)) {
            try (RunningNode one = new RunningNode(pool, Jta.TRANSACTIONS, "one")) {
                Tube tube = one.newTube(new ClientConnection(), TubeDefinition.UTUBE);
                for (int i = 0; i < 4; i++) {
                    tube.put("a", PutOptions.defaults().utube("u" + i));
                }
                Jta.MANAGER.begin();
                List<Connection> others = new ArrayList<>();
                try (Connection own = pool.getConnection()) {
                    assertThat(own.getAutoCommit()).isFalse();
                    leakFromOtherThread(pool, others);
                    assertThat(tube.take(Duration.ZERO)).isPresent();
                } finally {
                    Jta.MANAGER.rollback();
                    for (Connection connection : others) {
                        connection.close();
                    }
                }
            }
        }
    }

    private static void leakFromOtherThread(AgroalDataSource pool, List<Connection> others) {
        CompletableFuture.runAsync(() -> {
                    try {
                        while (pool.getMetrics().availableCount() >= 0 && others.size() < 6) {
                            others.add(pool.getConnection());
                        }
                    } catch (java.sql.SQLException e) {
                        assertThat(others).isNotEmpty();
                    }
                })
                .join();
    }

    @Test
    @Tag("full")
    void a_drop_that_has_not_committed_holds_up_no_maintenance() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                AgroalDataSource pool = Jta.pool(database);
                RunningNode one = new RunningNode(pool, Jta.TRANSACTIONS, "one");
                RunningNode two = new RunningNode(database, "two")) {
            Tube tube = one.newTube(new ClientConnection(), TubeDefinition.UTUBE);
            Tube other = one.newTube(new ClientConnection(), TubeDefinition.FIFO);
            other.put("held");
            Task held = other.take();
            tube.put("a", PutOptions.defaults().utube("u"));
            int number = one.node().number();
            Jta.MANAGER.begin();
            tube.drop();
            CompletableFuture<Object> take = CompletableFuture.supplyAsync(() -> takeInTransaction(tube));
            long until = System.nanoTime() + TIMEOUT.multipliedBy(3).toNanos();
            Eventually.holds(() -> System.nanoTime() > until, "three timeouts are over");
            assertThat(one.node().number()).isEqualTo(number);
            assertThat(two.node().tube(new ClientConnection(), other.name()).peek(held.id()))
                    .map(Task::state)
                    .contains(TaskState.TAKEN);
            Jta.MANAGER.rollback();
            take.get(60, TimeUnit.SECONDS);
        }
    }

    private static Object takeInTransaction(Tube tube) {
        try {
            Jta.MANAGER.begin();
            try {
                return tube.take(Duration.ZERO);
            } finally {
                Jta.MANAGER.rollback();
            }
        } catch (Exception e) {
            return e;
        }
    }

    @Test
    @Tag("full")
    void a_network_that_swallows_answers_is_noticed_within_the_timeout_and_used_again_afterwards() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                Network network = new Network(URI.create(database.getJdbcUrl().substring("jdbc:".length()))
                        .getPort());
                HikariDataSource line = through(network, database)) {
            try (RunningNode one = new RunningNode(line, "one")) {
                Tube tube = one.newTube(new ClientConnection(), TubeDefinition.FIFO);
                tube.put("a");
                network.freeze();
                Eventually.holds(() -> one.node().state() == AdapterState.WAITING, "it waits");
                assertThatThrownBy(() -> tube.put("b")).isInstanceOf(AdapterNotRunningException.class);
                network.thaw();
                one.awaitState(AdapterState.RUNNING);
                Eventually.holds(() -> tube.take(Duration.ZERO).isPresent(), "its task is there");
            }
        }
    }

    private static HikariDataSource through(Network network, HikariDataSource database) {
        int port = URI.create(database.getJdbcUrl().substring("jdbc:".length())).getPort();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.getJdbcUrl().replace(":" + port, ":" + network.port()));
        config.setUsername(database.getUsername());
        config.setMaximumPoolSize(10);
        config.setConnectionTimeout(1_000);
        config.setValidationTimeout(500);
        return new HikariDataSource(config);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRANSACTION_REPEATABLE_READ", "TRANSACTION_SERIALIZABLE"})
    void a_datasource_of_another_isolation_is_refused_with_words(String isolation) {
        for (TestDatabase kind : TestDatabase.values()) {
            try (HikariDataSource database = kind.create()) {
                HikariConfig config = new HikariConfig();
                config.setJdbcUrl(database.getJdbcUrl());
                config.setUsername(database.getUsername());
                config.setTransactionIsolation(isolation);
                try (HikariDataSource other = new HikariDataSource(config)) {
                    assertThatThrownBy(() -> SqlStores.open(other, true, () -> {}))
                            .isInstanceOf(StoreUnavailableException.class)
                            .hasMessageContaining("READ COMMITTED")
                            .hasMessageContaining("transaction-isolation");
                }
            }
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_datasource_that_takes_no_part_in_jta_is_refused_with_words(TestDatabase kind) {
        try (HikariDataSource database = kind.create()) {
            assertThatThrownBy(() -> new SqlStores(TestDatabase.SETTINGS, Jta.TRANSACTIONS).open(database, () -> {}))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("jta=true");
        }
    }

    /** Nothing would commit what is put outside a transaction. */
    @ParameterizedTest
    @DatabaseSource
    void a_datasource_whose_connections_begin_with_autocommit_off_is_refused_with_words(TestDatabase kind) {
        try (HikariDataSource database = kind.create()) {
            DataSource without = (ConnectionSource) () -> {
                Connection connection = database.getConnection();
                connection.setAutoCommit(false);
                return connection;
            };
            assertThatThrownBy(() -> SqlStores.open(without, true, () -> {}))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("autocommit off");
        }
    }

    /** As after a change of the datasource while the server runs. */
    @ParameterizedTest
    @DatabaseSource
    void a_datasource_that_takes_no_part_in_jta_any_more_is_refused_in_a_transaction(TestDatabase kind)
            throws Exception {
        AtomicReference<DataSource> now = new AtomicReference<>();
        try (HikariDataSource database = kind.create();
                AgroalDataSource pool = Jta.pool(database)) {
            now.set(pool);
            try (RunningNode one =
                    new RunningNode((ConnectionSource) () -> now.get().getConnection(), Jta.TRANSACTIONS, "one")) {
                Tube tube = one.newTube(new ClientConnection(), TubeDefinition.FIFO);
                now.set(database);
                Jta.MANAGER.begin();
                try {
                    assertThatThrownBy(() -> tube.put("a"))
                            .isInstanceOf(StoreException.class)
                            .hasMessageContaining("jta=true");
                } finally {
                    Jta.MANAGER.rollback();
                }
                assertThat(tube.tasks(TaskState.READY, 0, 10)).isEmpty();
                tube.put("outside");
            }
        }
    }

    @Test
    void what_the_opener_throws_is_logged_and_tried_again() {
        try (HikariDataSource database = TestDatabase.H2.create()) {
            AtomicInteger tries = new AtomicInteger();
            Node node = new Node(
                    new Settings("one", 1 << 20, Duration.ofMillis(100), TIMEOUT, Duration.ZERO),
                    Transactions.NONE,
                    onFailure -> {
                        if (tries.incrementAndGet() == 1) {
                            throw new ClassCastException("a QueueConnectionFactory is no DataSource");
                        }
                        return SqlStores.open(database, true, onFailure);
                    },
                    ServerTracing.NONE,
                    Administration::new);
            node.threads().forEach(each -> new Thread(each, "queue").start());
            Eventually.holds(() -> node.state() == AdapterState.RUNNING, "it runs at the second try");
            node.stop();
        }
    }

    /**
     * As by a connection of the pool's that a network has forgotten: its answer never comes, and others have theirs.
     */
    @ParameterizedTest
    @DatabaseSource
    @Tag("full")
    void a_count_that_gets_no_answer_keeps_the_adapter_from_no_return_after_an_outage(TestDatabase kind) {
        CountDownLatch release = new CountDownLatch(1);
        AtomicBoolean frozen = new AtomicBoolean();
        try (HikariDataSource database = kind.create()) {
            Outage outage = new Outage(HookedDataSource.of(database, sql -> {
                if (frozen.get() && sql.contains("GROUP BY tube_id, state")) {
                    await(release);
                }
            }));
            try (RunningNode one = new RunningNode(outage.source(), "one")) {
                Tube tube = one.newTube(new ClientConnection(), TubeDefinition.FIFO);
                frozen.set(true);
                outage.begin(true);
                one.awaitState(AdapterState.WAITING);
                outage.begin(false);
                one.awaitState(AdapterState.RUNNING);
                tube.put("a");
                frozen.set(false);
                release.countDown();
                Eventually.holds(() -> tube.statistics().ready() == 1, "the statistics are right in the end");
            }
        } finally {
            release.countDown();
        }
    }

    @Test
    @Tag("full")
    void the_maintenance_thread_rests_while_the_heartbeat_of_a_failed_database_gets_no_answer() {
        CountDownLatch release = new CountDownLatch(1);
        try (HikariDataSource database = TestDatabase.H2.create()) {
            Outage outage = new Outage(database);
            try (RunningNode one = new RunningNode(outage.source(), "rests")) {
                outage.beforeConnect(() -> {
                    boolean isHeartbeat = Thread.currentThread().getName().equals("Heartbeat-rests");
                    if (isHeartbeat && one.node().state() == AdapterState.WAITING) {
                        await(release);
                    }
                });
                outage.begin(true);
                one.awaitState(AdapterState.WAITING);
                long before = maintenanceTime();
                long until = System.nanoTime() + LOOK.toNanos();
                Eventually.holds(() -> System.nanoTime() > until, "some time is over");
                assertThat(Duration.ofNanos(maintenanceTime() - before)).isLessThan(LOOK.dividedBy(4));
                outage.begin(false);
                release.countDown();
                one.awaitState(AdapterState.RUNNING);
            }
        } finally {
            release.countDown();
        }
    }

    /** Returns the processor's time of that thread, in nanoseconds. */
    private static long maintenanceTime() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
                .filter(thread -> thread != null && thread.getThreadName().equals("Maintenance-rests"))
                .mapToLong(thread -> threads.getThreadCpuTime(thread.getThreadId()))
                .sum();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** As of a claim whose answer was lost with the connection: the adapter releases it when the database is back. */
    @ParameterizedTest
    @DatabaseSource
    void listeners_are_notified_of_tasks_released_after_an_outage(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create()) {
            Outage outage = new Outage(database);
            try (RunningNode one = new RunningNode(outage.source(), "one")) {
                Tube tube = one.newTube(new ClientConnection(), TubeDefinition.FIFO);
                tube.put("a");
                java.util.Queue<TubeEvent> events = new ConcurrentLinkedQueue<>();
                tube.onTaskChange(change -> events.add(change.event()));
                outage.begin(true);
                one.awaitState(AdapterState.WAITING);
                try (Connection lost = locking(
                        database,
                        "UPDATE tasktube_task SET state = 't', attempts = 1, taken_count = 1, token = 7, node = "
                                + one.node().number() + ", session = '" + UUID.randomUUID()
                                + "', taken_at = created_at")) {
                    lost.commit();
                }
                outage.begin(false);
                one.awaitState(AdapterState.RUNNING);
                Eventually.holds(() -> events.contains(TubeEvent.RELEASED_BY_SESSION), "the listener is notified");
                assertThat(tube.statistics().ready()).isEqualTo(1);
                assertThat(tube.statistics().taken()).isZero();
            }
        }
    }
}
