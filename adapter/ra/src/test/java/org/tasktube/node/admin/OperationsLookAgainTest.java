package org.tasktube.node.admin;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.Task;
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

import static org.assertj.core.api.Assertions.assertThat;

/** An operation that waits behind another one runs, however that one ends. Nobody calls the server a second time. */
@Tag("full")
@Timeout(120)
class OperationsLookAgainTest {

    private static final String TAKE = "SET state = 'r', running = true";
    private static final String READ_TAKEN = "SELECT id FROM tasktube_operation WHERE running";
    private static final String PROGRESS = "SET looked = looked";
    private static final String CANCEL = "UPDATE tasktube_operation SET state = 'c', running = NULL,"
            + " ended_at = CURRENT_TIMESTAMP, cancelled_by = 'bert' WHERE id = ";

    private final AtomicReference<Runnable> beforeTake = new AtomicReference<>(() -> {});
    private final AtomicReference<Runnable> beforeReadOfTaken = new AtomicReference<>(() -> {});
    private final AtomicReference<Runnable> beforeProgress = new AtomicReference<>(() -> {});
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch go = new CountDownLatch(1);

    private DataSource hooked(DataSource database) {
        return HookedDataSource.of(database, statement -> {
            if (statement.contains(TAKE)) {
                beforeTake.getAndSet(() -> {}).run();
            } else if (statement.contains(READ_TAKEN)) {
                beforeReadOfTaken.getAndSet(() -> {}).run();
            } else if (statement.contains(PROGRESS)) {
                beforeProgress.getAndSet(() -> {}).run();
            }
        });
    }

    private void hold() {
        begun.countDown();
        await(go);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static TaskAdmin admin(RunningNode server) {
        return server.node().admin(new ClientConnection());
    }

    private static long delete(RunningNode server, Tube tube) {
        Task task = tube.put("x");
        return OperationStart.of(
                        admin(server), OperationAct.DELETE, TaskFilter.parse("id:" + task.id()), "anna", "test")
                .id();
    }

    private static void isDone(RunningNode server, long id) {
        Eventually.holds(
                () -> admin(server).operation(id).state() == OperationState.DONE, "operation " + id + " is done");
    }

    private static Tube tube(RunningNode server) {
        return server.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
    }

    @ParameterizedTest
    @EnumSource
    void behind_one_that_is_cancelled_while_the_look_waits_for_its_row(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create();
                Connection other = database.getConnection();
                RunningNode server = new RunningNode(hooked(database), "app-1")) {
            Tube tube = tube(server);
            beforeProgress.set(this::hold);
            delete(server, tube);
            await(begun);
            long cancelled = delete(server, tube);
            long next = delete(server, tube);
            other.setAutoCommit(false);
            try (Statement cancel = other.createStatement()) {
                cancel.executeUpdate(CANCEL + cancelled);
                CountDownLatch looks = new CountDownLatch(1);
                beforeTake.set(looks::countDown);
                go.countDown();
                await(looks);
                // The look waits up to a second for the lock; whether it waits yet or not, it finds the next one
                other.commit();
            }
            isDone(server, next);
            assertThat(admin(server).operation(cancelled).state()).isEqualTo(OperationState.CANCELLED);
        }
    }

    @ParameterizedTest
    @EnumSource
    void behind_one_that_is_cancelled_right_after_it_was_taken(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create();
                RunningNode server = new RunningNode(hooked(database), "app-1")) {
            Tube tube = tube(server);
            beforeProgress.set(this::hold);
            delete(server, tube);
            await(begun);
            long cancelled = delete(server, tube);
            long next = delete(server, tube);
            beforeReadOfTaken.set(
                    () -> CompletableFuture.runAsync(() -> admin(server).cancelOperation(cancelled, "bert", "too many"))
                            .join());
            go.countDown();
            isDone(server, next);
            assertThat(admin(server).operation(cancelled).state()).isEqualTo(OperationState.CANCELLED);
        }
    }

    @Test
    void behind_one_that_ends_while_its_server_stops() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                RunningNode other = new RunningNode(database, "other")) {
            RunningNode stopped = new RunningNode(hooked(database), "stopped");
            Tube tube = tube(stopped);
            beforeProgress.set(this::hold);
            long last = delete(stopped, tube);
            await(begun);
            long next = delete(stopped, tube);
            stopped.close();
            Eventually.holds(() -> isTakeWaiting(database), "the other server waits for its row");
            go.countDown();
            isDone(other, last);
            isDone(other, next);
        }
    }

    private static boolean isTakeWaiting(HikariDataSource database) {
        try {
            return new Sql(database)
                            .number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                    + " AND wait_event_type = 'Lock' AND query LIKE '%running = true%'")
                    > 0;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** As a row that a newer adapter has written. */
    @Tag("large")
    @ParameterizedTest
    @EnumSource
    void behind_one_that_cannot_be_read(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create();
                RunningNode server = new RunningNode(hooked(database), "app-1")) {
            Tube tube = tube(server);
            beforeTake.set(this::hold);
            long unreadable = delete(server, tube);
            await(begun);
            new Sql(database).execute("UPDATE tasktube_operation SET filter = 'nonsense:::' WHERE id = " + unreadable);
            long next = delete(server, tube);
            go.countDown();
            Eventually.holds(
                    () -> admin(server).operation(next).state() == OperationState.DONE, "the next operation is done");
            assertThat(new Sql(database).number("SELECT count(*) FROM tasktube_operation WHERE state = 'f'"))
                    .isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void listeners_learn_of_the_last_batch_though_the_end_cannot_be_logged(TestDatabase kind) throws Exception {
        AtomicInteger reads = new AtomicInteger();
        try (HikariDataSource database = kind.create();
                RunningNode server = new RunningNode(
                        HookedDataSource.of(database, statement -> {
                            if (Thread.currentThread().getName().startsWith("BackgroundThread")
                                    && statement.trim().endsWith("FROM tasktube_operation WHERE id = ?")
                                    && reads.incrementAndGet() == 1) {
                                throw new IllegalStateException("no answer");
                            }
                        }),
                        "app-1")) {
            Tube tube = tube(server);
            AtomicInteger told = new AtomicInteger();
            Task task = tube.put("x");
            tube.onTaskChange(change -> told.incrementAndGet());
            Operation bury = OperationStart.of(
                    admin(server), OperationAct.BURY, TaskFilter.parse("id:" + task.id()), "anna", "test");
            isDone(server, bury.id());
            Eventually.holds(() -> told.get() == 1 && tube.statistics().buried() == 1, "the effects");
            assertThat(reads).hasValueGreaterThan(0);
        }
    }
}
