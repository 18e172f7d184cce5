package org.tasktube.node.admin;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.OnConflict;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskTubeException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.Operation;
import org.tasktube.admin.OperationAct;
import org.tasktube.admin.OperationState;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskFilter;
import org.tasktube.node.OperationStart;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;
import org.tasktube.testing.UnreliableDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Other transactions change tasks, and lock rows, while an act on many tasks runs. */
@Tag("full")
@Timeout(120)
class OperationsBesideOthersTest {

    /** A part of the statement with which a batch begins. */
    private static final String LOCK_OPERATION = "WHERE id = ? AND state = 'r' AND node = ? FOR UPDATE";

    private final ClientConnection connection = new ClientConnection();

    /** A batch reads the tasks first, for up to half a second, and locks those that fit then. */
    @ParameterizedTest
    @EnumSource
    void a_task_that_ceases_to_fit_before_a_batch_locks_it_is_not_changed(TestDatabase kind) throws Exception {
        AtomicReference<Runnable> beforeLock = new AtomicReference<>(() -> {});
        try (HikariDataSource database = kind.create();
                RunningNode server = new RunningNode(
                        HookedDataSource.of(database, statement -> {
                            if (statement.contains("operation IS DISTINCT FROM")) {
                                beforeLock.getAndSet(() -> {}).run();
                            }
                        }),
                        "app-1")) {
            Tube tube = server.newTube(connection, TubeDefinition.FIFOTTL);
            PutOptions options = PutOptions.defaults();
            Task task = tube.putUnique("order-1", "cancelled", options, OnConflict.FAIL);
            tube.put("cancelled");
            beforeLock.set(() -> elsewhere(() -> tube.putUnique("order-1", "paid", options, OnConflict.REPLACE)));
            Operation ended =
                    ended(server, start(server, OperationAct.DELETE, "tube:" + tube.name() + " data:cancelled"));
            assertThat(tube.peek(task.id()).map(Task::text)).contains("paid");
            assertThat(ended.changed()).isEqualTo(1);
            assertThat(ended.skipped()).isEqualTo(1);
        }
    }

    /** It fits before, between and after: it may not pass the operation by. */
    @ParameterizedTest
    @EnumSource
    void a_task_whose_delay_ends_after_the_first_batch_is_changed_too(TestDatabase kind) throws Exception {
        AtomicReference<Runnable> afterBatch = new AtomicReference<>(() -> {});
        try (HikariDataSource database = kind.create();
                Connection other = database.getConnection();
                RunningNode server = new RunningNode(before(database, "SET looked = looked", afterBatch), "app-1")) {
            Tube tube = server.newTube(connection, TubeDefinition.FIFOTTL);
            Task delayed = tube.put("a", PutOptions.defaults().delay(Duration.ofHours(1)));
            putMoreThanABatch(tube);
            other.setAutoCommit(false);
            afterBatch.set(() -> {
                if (isUnlocked(other, delayed)) {
                    update(other, "state = 'r'", delayed);
                }
                commit(other);
            });
            Operation ended = ended(server, start(server, OperationAct.DELETE, "tube:" + tube.name()));
            assertThat(tube.peek(delayed.id())).isEmpty();
            assertNumbers(ended, ended.expected().tasks(), 0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_task_that_another_transaction_moves_while_it_is_locked_counts_once(TestDatabase kind) throws Exception {
        AtomicReference<Runnable> beforeLock = new AtomicReference<>(() -> {});
        AtomicReference<Runnable> afterBatch = new AtomicReference<>(() -> {});
        try (HikariDataSource database = kind.create();
                Connection other = database.getConnection();
                RunningNode server = new RunningNode(
                        before(
                                before(database, "operation IS DISTINCT FROM", beforeLock),
                                "SET looked = looked",
                                afterBatch),
                        "app-1")) {
            Tube tube = server.newTube(connection, TubeDefinition.FIFOTTL);
            Task buried = tube.put("a");
            putMoreThanABatch(tube);
            tube.bury(buried.id());
            other.setAutoCommit(false);
            beforeLock.set(() -> update(other, "state = 'r'", buried));
            afterBatch.set(() -> commit(other));
            Operation ended = ended(server, start(server, OperationAct.DELETE, "tube:" + tube.name()));
            assertThat(tube.peek(buried.id())).isEmpty();
            assertNumbers(ended, ended.expected().tasks(), 0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_task_whose_delay_ends_between_two_reads_of_a_batch_counts_once(TestDatabase kind) throws Exception {
        AtomicReference<Runnable> beforeBatch = new AtomicReference<>(() -> {});
        AtomicReference<Runnable> beforeScan = new AtomicReference<>(() -> {});
        try (HikariDataSource database = kind.create();
                Connection other = database.getConnection();
                RunningNode server = new RunningNode(
                        before(before(database, LOCK_OPERATION, beforeBatch), "octet_length(data) AS size", beforeScan),
                        "app-1")) {
            Tube tube = server.newTube(connection, TubeDefinition.FIFOTTL);
            Task delayed = tube.put("a", PutOptions.defaults().delay(Duration.ofHours(1)));
            tube.put("b");
            // The first scan reads the DELAYED tasks, the second one the READY tasks
            beforeBatch.set(() -> beforeScan.set(() -> beforeScan.set(() -> update(other, "state = 'r'", delayed))));
            Operation ended =
                    ended(server, start(server, OperationAct.DELETE, "tube:" + tube.name() + " state:delayed,ready"));
            assertThat(tube.peek(delayed.id())).isEmpty();
            assertNumbers(ended, 2, 0);
        }
    }

    /** It is READY before, between and after: it may not pass the operation by. */
    @ParameterizedTest
    @EnumSource
    void a_head_that_a_later_put_blocks_is_changed_too(TestDatabase kind) throws Exception {
        AtomicReference<Runnable> afterBatch = new AtomicReference<>(() -> {});
        try (HikariDataSource database = kind.create();
                RunningNode server = new RunningNode(before(database, "SET looked = looked", afterBatch), "app-1")) {
            Tube tube = server.newTube(connection, TubeDefinition.UTUBETTL);
            tube.putAll(
                    Collections.nCopies(OperationBatch.MAX_SIZE, "more"),
                    PutOptions.defaults().pri(1));
            Task head = tube.put("head", PutOptions.defaults().utube("z").pri(5));
            tube.release(tube.take(Duration.ZERO).orElseThrow());
            // The first batch ends before this head
            afterBatch.set(() -> elsewhere(() -> putUrgent(tube, "z")));
            Operation ended = ended(server, start(server, OperationAct.DELETE, "tube:" + tube.name()));
            assertThat(tube.peek(head.id())).isEmpty();
            Eventually.holds(() -> tube.statistics().ready() == 1, "the effects of the last batch");
            assertNumbers(ended, ended.expected().tasks(), 0);
        }
    }

    /** Puts a task before all others of its sub-queue, and makes it the head. */
    private static void putUrgent(Tube tube, String utube) {
        tube.put("urgent", PutOptions.defaults().utube(utube).pri(0));
        Task first = tube.take(Duration.ZERO).orElseThrow();
        tube.release(first);
        assertThat(first.text()).isEqualTo("urgent");
    }

    @ParameterizedTest
    @EnumSource
    void a_blocked_task_that_is_deferred_counts_once(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create();
                Connection other = database.getConnection();
                RunningNode server = new RunningNode(database, "app-1")) {
            Tube tube = server.newTube(connection, TubeDefinition.UTUBETTL);
            List<Task> tasks = tube.putAll(
                    Collections.nCopies(3, "x"), PutOptions.defaults().utube("a"));
            tube.release(tube.take(Duration.ZERO).orElseThrow());
            other.setAutoCommit(false);
            assertThat(isUnlocked(other, tasks.get(1))).isTrue();
            Operation ended = ended(server, start(server, OperationAct.BURY, "tube:" + tube.name()));
            other.rollback();
            assertThat(ended.expected().tasks()).isEqualTo(3);
            assertNumbers(ended, 2, 1);
        }
    }

    /** Another version of the adapter may have run it. */
    @ParameterizedTest
    @EnumSource
    void an_operation_whose_position_is_of_another_form_begins_anew(TestDatabase kind) throws Exception {
        AtomicReference<Runnable> beforeBatch = new AtomicReference<>(() -> {});
        try (HikariDataSource database = kind.create();
                RunningNode server = new RunningNode(before(database, LOCK_OPERATION, beforeBatch), "app-1")) {
            Tube tube = server.newTube(connection, TubeDefinition.FIFOTTL);
            for (String place : List.of("bt-" + tube.name() + "!0.0.1.", "ball.0.1.", "b", "b3bno position")) {
                tube.putAll(Collections.nCopies(3, "x"), PutOptions.defaults());
                beforeBatch.set(() -> elsewhere(() -> setPlace(database, place)));
                Operation ended = ended(server, start(server, OperationAct.DELETE, "tube:" + tube.name()));
                assertThat(ended.changed()).as(place).isEqualTo(3);
            }
        }
    }

    private static void setPlace(DataSource database, String place) {
        try {
            new Sql(database).execute("UPDATE tasktube_operation SET place = '" + place + "'");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_server_that_hangs_in_a_batch_has_its_operation_locked_for_a_limited_time() throws Exception {
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicReference<Runnable> hang = new AtomicReference<>(() -> {
            hangs.countDown();
            await(goOn);
        });
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                Connection other = database.getConnection();
                RunningNode server = new RunningNode(before(database, "SET looked = looked", hang), "app-1")) {
            Tube tube = server.newTube(connection, TubeDefinition.FIFOTTL);
            Task task = tube.put("a");
            long id = start(server, OperationAct.DELETE, "tube:" + tube.name());
            await(hangs);
            other.setAutoCommit(false);
            assertThat(isUnlocked(other, task)).isFalse();
            Eventually.holds(() -> isUnlocked(other, task), "the end of its transaction");
            other.rollback();
            goOn.countDown();
            assertThat(ended(server, id).changed()).isEqualTo(1);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void putMoreThanABatch(Tube tube) {
        for (int i = 0; i < OperationBatch.MAX_SIZE + 100; i++) {
            tube.put("more");
        }
    }

    private static void assertNumbers(Operation ended, long changed, long skipped) {
        assertThat(List.of(ended.looked(), ended.changed(), ended.skipped()))
                .containsExactly(changed + skipped, changed, skipped);
    }

    private static DataSource before(DataSource database, String statement, AtomicReference<Runnable> once) {
        return HookedDataSource.of(database, each -> {
            if (each.contains(statement)) {
                once.getAndSet(() -> {}).run();
            }
        });
    }

    private static boolean isUnlocked(Connection on, Task task) {
        try (Statement lock = on.createStatement();
                ResultSet row = lock.executeQuery(
                        "SELECT id FROM tasktube_task WHERE id = " + task.id() + " FOR UPDATE SKIP LOCKED")) {
            return row.next();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void update(Connection on, String set, Task task) {
        try (Statement update = on.createStatement()) {
            update.execute("UPDATE tasktube_task SET " + set + " WHERE id = " + task.id());
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void commit(Connection transaction) {
        try {
            transaction.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The calls of an operation's thread share its transaction. */
    private static void elsewhere(Runnable work) {
        CompletableFuture.runAsync(work).join();
    }

    @ParameterizedTest
    @EnumSource
    void a_batch_whose_commit_has_no_answer_is_not_made_twice(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create()) {
            UnreliableDataSource line = new UnreliableDataSource(database);
            try (RunningNode server = new RunningNode(line, "app-1")) {
                Tube tube = server.newTube(connection, TubeDefinition.FIFOTTL);
                for (int i = 0; i < 30; i++) {
                    tube.put("task " + i);
                }
                line.loseAnswerOf("SET looked = looked");
                Operation ended = ended(server, start(server, OperationAct.BURY, "tube:" + tube.name()));
                Eventually.holds(line::hasLost, "the answer is lost");
                assertThat(ended.changed()).isEqualTo(30);
                assertThat(new Sql(database)
                                .number("SELECT count(*) FROM tasktube_task WHERE state = '!' AND buried_count = 1"))
                        .isEqualTo(30);
                Eventually.holds(() -> tube.statistics().buried() == 30, "the tasks are counted");
                line.loseAnswerOf("SET state = 'r', running = true");
                ended(server, start(server, OperationAct.RETRY, "tube:" + tube.name()));
                Eventually.holds(line::hasLost, "the answer is lost");
                ended(server, start(server, OperationAct.BURY, "tube:" + tube.name()));
            }
        }
    }

    /** The heartbeat and the maintenance thread keep two of these connections. */
    @ParameterizedTest
    @EnumSource
    void an_operation_ends_with_one_connection_that_no_thread_keeps(TestDatabase kind) {
        try (HikariDataSource database = kind.create()) {
            database.setMaximumPoolSize(3);
            database.setConnectionTimeout(Duration.ofSeconds(1).toMillis());
            try (RunningNode server = new RunningNode(database, "app-1")) {
                Tube tube = server.newTube(connection, TubeDefinition.FIFOTTL);
                tube.put("a");
                long id = start(server, OperationAct.BURY, "tube:" + tube.name());
                assertThat(ended(server, id).changed()).isEqualTo(1);
            }
        }
    }

    private long start(RunningNode server, OperationAct act, String filter) {
        return OperationStart.of(admin(server), act, TaskFilter.parse(filter), "anna", "test")
                .id();
    }

    private TaskAdmin admin(RunningNode server) {
        return server.node().admin(connection);
    }

    private Operation ended(RunningNode server, long id) {
        Eventually.holds(
                () -> {
                    try {
                        return admin(server).operation(id).state().isEnded();
                    } catch (TaskTubeException e) {
                        return false;
                    }
                },
                "the end of the operation");
        Operation ended = admin(server).operation(id);
        assertThat(ended.error()).isEmpty();
        assertThat(ended.state()).isEqualTo(OperationState.DONE);
        return ended;
    }
}
