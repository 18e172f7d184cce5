package org.tasktube.node.admin;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import jakarta.transaction.Transaction;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Filter;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.AdapterState;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.Operation;
import org.tasktube.admin.OperationAct;
import org.tasktube.admin.OperationState;
import org.tasktube.admin.TaskFilter;
import org.tasktube.node.OperationStart;
import org.tasktube.node.Settings;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.Transactions;
import org.tasktube.testing.ChildJava;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A server that dies in an operation leaves the rest to another server, or to its own next run. */
@Tag("large")
@Timeout(180)
class OperationsAfterKillTest {

    private static final int TASKS = 2_000;

    private HikariDataSource database;
    private Tube tube;

    @AfterEach
    void close() {
        database.close();
    }

    private void fill(RunningNode server) {
        tube = server.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
        List<String> data =
                IntStream.range(0, TASKS / 2).mapToObj(String::valueOf).toList();
        tube.putAll(data, PutOptions.defaults());
        tube.putAll(data, PutOptions.defaults());
    }

    private static Operation operation(RunningNode server, long id) {
        return server.node().admin(new ClientConnection()).operation(id);
    }

    private void endsOnceEach(RunningNode server, long id) throws SQLException {
        Eventually.holds(() -> operation(server, id).state().isEnded(), "the end of the operation");
        Operation ended = operation(server, id);
        assertThat(ended.state()).isEqualTo(OperationState.DONE);
        assertThat(ended.changed()).isEqualTo(TASKS);
        assertThat(ended.skipped()).isZero();
        assertThat(new Sql(database)
                        .number("SELECT count(*) FROM tasktube_task WHERE state = '!' AND buried_count = 1"))
                .isEqualTo(TASKS);
    }

    @Test
    @Tag("full")
    void another_server_goes_on_after_the_last_committed_batch_of_a_killed_process() throws Exception {
        database = TestDatabase.POSTGRESQL.create();
        try (RunningNode other = new RunningNode(database, "other")) {
            fill(other);
            Process child = child(700);
            long id = started(child);
            Eventually.holds(() -> operation(other, id).changed() >= 700, "two batches");
            assertThat(operation(other, id).state()).isEqualTo(OperationState.RUNNING);
            child.destroyForcibly().waitFor();
            endsOnceEach(other, id);
            assertThat(operation(other, id).server()).contains("other");
        }
    }

    @Test
    @Tag("full")
    void a_batch_of_a_process_that_is_killed_before_its_commit_is_undone_as_a_whole() throws Exception {
        database = TestDatabase.POSTGRESQL.create();
        try (RunningNode other = new RunningNode(database, "other")) {
            fill(other);
            Process child = child(400);
            long id = started(child);
            Eventually.holds(() -> operation(other, id).changed() == 500, "one batch");
            try (Connection lock = database.getConnection();
                    Statement statement = lock.createStatement()) {
                lock.setAutoCommit(false);
                statement.execute("LOCK TABLE tasktube_operation IN SHARE MODE");
                child.getOutputStream().write('\n');
                child.getOutputStream().flush();
                // The batch has changed its tasks, and waits before it writes its progress
                Eventually.holds(this::anUpdateWaits, "a batch waits");
                child.destroyForcibly().waitFor();
                lock.commit();
            }
            endsOnceEach(other, id);
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_operation_goes_on_elsewhere_though_an_earlier_one_was_committed_meanwhile(TestDatabase kind)
            throws Exception {
        database = kind.create();
        CountDownLatch inBatch = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger batches = new AtomicInteger();
        long early;
        long late;
        try (AgroalDataSource pool = Jta.pool(database)) {
            RunningNode stopped = new RunningNode(
                    HookedDataSource.of(pool, statement -> {
                        if (statement.contains("SET looked = looked") && batches.incrementAndGet() == 2) {
                            inBatch.countDown();
                            await(goOn);
                        }
                    }),
                    Jta.TRANSACTIONS,
                    "stopped");
            fill(stopped);
            Tube small = stopped.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            long first = delete(stopped, small.put("a"));
            Eventually.holds(() -> operation(stopped, first).state().isEnded(), "the end of the first operation");
            Task earlyTask = small.put("b");
            batches.set(0);
            Jta.MANAGER.begin();
            early = delete(stopped, earlyTask);
            Transaction open = Jta.MANAGER.suspend();
            late = start(stopped, OperationAct.BURY, "tube:" + tube.name());
            await(inBatch);
            Jta.MANAGER.resume(open);
            Jta.MANAGER.commit();
            CompletableFuture<Void> stop = CompletableFuture.runAsync(stopped::close);
            Eventually.holds(() -> stopped.node().state() != AdapterState.RUNNING, "it is stopping");
            goOn.countDown();
            stop.get(60, TimeUnit.SECONDS);
        }
        try (RunningNode other = new RunningNode(database, "other")) {
            endsOnceEach(other, late);
            Eventually.holds(() -> operation(other, early).state().isEnded(), "the end of the early operation");
        }
    }

    private static long delete(RunningNode server, Task task) {
        return start(server, OperationAct.DELETE, "id:" + task.id());
    }

    private static long start(RunningNode server, OperationAct act, String filter) {
        return OperationStart.of(
                        server.node().admin(new ClientConnection()), act, TaskFilter.parse(filter), "anna", "test")
                .id();
    }

    private boolean anUpdateWaits() {
        try {
            return new Sql(database)
                            .number("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation ="
                                    + " 'tasktube_operation'::regclass")
                    > 0;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private Process child(int changes) throws IOException {
        return ChildJava.of(
                        System.getProperty("java.class.path"),
                        OperationChild.class,
                        database.getJdbcUrl(),
                        database.getUsername(),
                        tube.name(),
                        String.valueOf(changes))
                .start();
    }

    private static long started(Process child) throws IOException {
        BufferedReader out = new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8));
        StringBuilder all = new StringBuilder();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.startsWith("operation ")) {
                return Long.parseLong(line.substring("operation ".length()));
            }
            all.append(line).append('\n');
        }
        throw new AssertionError("the process has ended: " + all);
    }

    @ParameterizedTest
    @EnumSource
    void a_server_that_starts_again_goes_on_with_its_operation(TestDatabase kind) throws Exception {
        database = kind.create();
        RunningNode killed = new RunningNode(database, "app-1");
        fill(killed);
        AtomicInteger changes = new AtomicInteger();
        CountDownLatch never = new CountDownLatch(1);
        tube.onTaskChange(change -> {
            if (changes.incrementAndGet() > 700) {
                await(never);
            }
        });
        long id = start(killed, "kill");
        Eventually.holds(() -> operation(killed, id).changed() > 700, "two batches");
        killed.kill();
        try (RunningNode again = new RunningNode(database, "app-1")) {
            endsOnceEach(again, id);
        }
    }

    private long start(RunningNode server, String reason) {
        return OperationStart.of(
                        server.node().admin(new ClientConnection()),
                        OperationAct.BURY,
                        TaskFilter.parse("tube:" + tube.name()),
                        "anna",
                        reason)
                .id();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    @Tag("full")
    void a_server_that_stops_leaves_its_operation_to_another_one() throws Exception {
        database = TestDatabase.POSTGRESQL.create();
        try (RunningNode other = new RunningNode(database, "other")) {
            fill(other);
            CountDownLatch go = new CountDownLatch(1);
            long id;
            try (RunningNode stopped = new RunningNode(database, "stopped")) {
                stopped.node().tube(new ClientConnection(), tube.name()).onTaskChange(change -> await(go));
                id = start(stopped, "stop");
                Eventually.holds(() -> operation(other, id).changed() >= 500, "one batch");
            }
            go.countDown();
            endsOnceEach(other, id);
        }
    }

    @Test
    void a_server_that_is_up_keeps_its_operation_for_a_minute_after_its_last_batch() throws Exception {
        database = TestDatabase.POSTGRESQL.create();
        CountDownLatch looked = new CountDownLatch(2);
        CountDownLatch go = new CountDownLatch(1);
        try (RunningNode busy = new RunningNode(database, "busy");
                RunningNode other = new RunningNode(
                        HookedDataSource.of(database, statement -> {
                            if (statement.startsWith("SELECT id FROM tasktube_operation WHERE id = (SELECT")) {
                                looked.countDown();
                            }
                        }),
                        "other")) {
            fill(busy);
            busy.node().tube(new ClientConnection(), tube.name()).onTaskChange(change -> await(go));
            long id = start(busy, "listener");
            Eventually.holds(() -> operation(busy, id).changed() >= 500, "one batch");
            Task single = other.newTube(new ClientConnection(), TubeDefinition.FIFOTTL)
                    .put("a");
            long next = delete(other, single);
            await(looked);
            assertThat(operation(other, next).state()).isEqualTo(OperationState.WAITING);
            assertThat(operation(other, id).server()).contains("busy");
            new Sql(database)
                    .execute("UPDATE tasktube_operation SET node_until = node_until - INTERVAL '1' MINUTE"
                            + " WHERE state = 'r'");
            delete(other, single);
            endsOnceEach(other, id);
            assertThat(operation(other, id).server()).contains("other");
            go.countDown();
            Eventually.holds(() -> operation(other, next).state() == OperationState.DONE, "the end of the next one");
        }
    }

    @Test
    @Tag("full")
    void an_error_in_a_batch_ends_its_operation_and_the_next_one_runs() throws Exception {
        database = TestDatabase.POSTGRESQL.create();
        AtomicBoolean broken = new AtomicBoolean(true);
        try (RunningNode server = new RunningNode(
                HookedDataSource.of(database, statement -> {
                    if (broken.get() && statement.contains("operation IS DISTINCT FROM")) {
                        throw new StackOverflowError("too deep");
                    }
                }),
                "app-1")) {
            fill(server);
            long failed = start(server, "fail");
            Eventually.holds(() -> operation(server, failed).state().isEnded(), "the end of the operation");
            assertThat(operation(server, failed).error().orElseThrow()).contains("too deep");
            broken.set(false);
            endsOnceEach(server, start(server, "go on"));
        }
    }

    /** Without memory, the line about a failure can fail, too. */
    @Test
    void an_operation_goes_on_after_an_error_of_which_even_the_log_has_failed() throws Exception {
        database = TestDatabase.POSTGRESQL.create();
        AtomicBoolean broken = new AtomicBoolean();
        Logger log = Logger.getLogger("org.tasktube.node");
        Filter noMemory = line -> {
            if (Thread.currentThread().getName().startsWith("BackgroundThread") && broken.getAndSet(false)) {
                throw new OutOfMemoryError("Java heap space");
            }
            return true;
        };
        try (RunningNode server = new RunningNode(
                HookedDataSource.of(database, statement -> {
                    if (broken.get() && Thread.currentThread().getName().startsWith("BackgroundThread")) {
                        throw new StackOverflowError("too deep");
                    }
                }),
                "app-1")) {
            fill(server);
            log.setFilter(noMemory);
            broken.set(true);
            endsOnceEach(server, start(server, "go on"));
            assertThat(broken).isFalse();
        } finally {
            log.setFilter(null);
        }
    }

    @Test
    @Tag("full")
    void a_fault_that_stays_ends_the_operation_and_says_why() throws Exception {
        database = TestDatabase.POSTGRESQL.create();
        try (RunningNode server = new RunningNode(
                database,
                Transactions.NONE,
                new Settings("app-1", 1 << 20, RunningNode.POLL, Duration.ofSeconds(30), Duration.ZERO))) {
            fill(server);
            new Sql(database).execute("ALTER TABLE tasktube_task ADD CONSTRAINT never_buried CHECK (state <> '!')");
            long id = start(server, "fail");
            Eventually.holds(() -> operation(server, id).state().isEnded(), "the end of the operation");
            assertThat(operation(server, id).state()).isEqualTo(OperationState.FAILED);
            assertThat(operation(server, id).error().orElseThrow()).contains("never_buried");
            assertThat(operation(server, id).changed()).isZero();
        }
    }
}
