package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import jakarta.transaction.Transaction;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tasktube.OnConflict;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskNotFoundException;
import org.tasktube.TaskProgress;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Jta;
import org.tasktube.testing.JtaNode;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Calls to cancel a task, and its ends, in transactions that do not see each other. */
class CancelBesideTransactionsTest {

    private static Tube tube(JtaNode one) {
        return one.running().newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
    }

    private static void assertRemoved(Tube tube, Task task) {
        assertThat(tube.take(Duration.ofMillis(500)))
                .as("it is not taken again")
                .isEmpty();
        Eventually.holds(() -> tube.peek(task.id()).isEmpty(), "it is removed");
    }

    @ParameterizedTest
    @DatabaseSource
    void a_release_that_commits_after_the_call_is_no_retry(TestDatabase kind) throws Exception {
        try (JtaNode one = new JtaNode(kind.create())) {
            Tube tube = tube(one);
            tube.put("a");
            Task task = tube.take();
            Jta.MANAGER.begin();
            tube.release(task);
            Transaction release = Jta.MANAGER.suspend();
            assertThat(tube.cancel(task.id(), "late")).as("it is deleted").isFalse();
            Jta.MANAGER.resume(release);
            Jta.MANAGER.commit();
            assertRemoved(tube, task);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "H2, SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ",
        "POSTGRESQL, SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"
    })
    @Tag("full")
    void nor_is_one_that_reads_by_a_snapshot_from_before_the_call(TestDatabase kind, String isolation)
            throws Exception {
        try (JtaNode one = new JtaNode(kind.create())) {
            Tube tube = tube(one);
            tube.put("a");
            Task task = tube.take();
            Jta.MANAGER.begin();
            try (Connection connection = one.pool().getConnection();
                    Statement on = connection.createStatement()) {
                on.execute(isolation);
                on.executeQuery("SELECT count(*) FROM tasktube_task").close();
            }
            CompletableFuture.runAsync(() -> tube.cancel(task.id(), "late")).join();
            tube.release(task);
            Jta.MANAGER.commit();
            assertRemoved(tube, task);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_holder_that_asks_once_knows_of_a_call_that_has_committed(TestDatabase kind) throws Exception {
        try (JtaNode one = new JtaNode(kind.create())) {
            Tube tube = tube(one);
            tube.put("a");
            Task task = tube.take();
            tube.cancel(task.id(), "late");
            assertThat(tube.isCancelled(task)).isTrue();
        }
    }

    @ParameterizedTest
    @DatabaseSource
    @Tag("full")
    void a_task_that_an_open_transaction_has_locked_holds_up_no_progress(TestDatabase kind) throws Exception {
        try (JtaNode one = new JtaNode(kind.create())) {
            Tube tube = tube(one);
            tube.put("a");
            tube.put("b");
            Task cancelled = tube.take();
            Task working = tube.take();
            Jta.MANAGER.begin();
            tube.cancel(cancelled.id(), "late");
            Transaction call = Jta.MANAGER.suspend();
            tube.release(cancelled);
            Jta.MANAGER.begin();
            assertThat(tube.take(Duration.ZERO).map(Task::id)).contains(cancelled.id());
            Transaction take = Jta.MANAGER.suspend();
            Jta.MANAGER.resume(call);
            Jta.MANAGER.commit();
            tube.progress(working, 1, 2, "half");
            try {
                Eventually.holds(() -> tube.progress(working.id()).isPresent(), "others see the progress");
            } finally {
                Jta.MANAGER.resume(take);
                Jta.MANAGER.rollback();
            }
            assertRemoved(tube, cancelled);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    @Tag("full")
    void a_call_beside_a_delete_asks_nobody(TestDatabase kind) throws Exception {
        try (JtaNode one = new JtaNode(kind.create())) {
            Tube tube = tube(one);
            Task task = tube.put("a");
            Jta.MANAGER.begin();
            tube.delete(task.id());
            CompletableFuture<Boolean> found = CompletableFuture.supplyAsync(() -> {
                try {
                    return tube.cancel(task.id(), "late");
                } catch (TaskNotFoundException e) {
                    return true;
                }
            });
            Jta.MANAGER.commit();
            assertThat(found.get()).as("deleted, or not found").isTrue();
        }
    }

    @ParameterizedTest
    @DatabaseSource
    @Tag("full")
    void a_task_that_replaces_a_cancelled_one_is_not_cancelled(TestDatabase kind) throws Exception {
        try (JtaNode one = new JtaNode(kind.create())) {
            Tube tube = tube(one);
            tube.putUnique("key", "old", PutOptions.defaults(), OnConflict.REPLACE);
            Task task = tube.take();
            Jta.MANAGER.begin();
            tube.cancel(task.id(), "late");
            Transaction call = Jta.MANAGER.suspend();
            tube.release(task);
            tube.putUnique("key", "new", PutOptions.defaults(), OnConflict.REPLACE);
            Task taken = tube.take();
            Jta.MANAGER.resume(call);
            Jta.MANAGER.commit();
            assertThat(tube.isCancelled(taken)).isFalse();
            tube.release(taken);
            Task again = tube.take(Duration.ofSeconds(10)).orElseThrow();
            assertThat(again.text()).isEqualTo("new");
            assertThat(tube.progress(again.id())).isEmpty();
            tube.cancel(again.id(), "later");
            Eventually.holds(() -> tube.isCancelled(again), "it is cancelled anew");
            assertThat(tube.progress(again.id()).flatMap(TaskProgress::cancel))
                    .map(TaskProgress.Cancel::reason)
                    .contains("later");
        }
    }

    @Test
    @Tag("full")
    void a_note_that_the_database_cannot_store_loses_no_progress() throws Exception {
        try (HikariDataSource database = TestDatabase.createLatin1();
                RunningNode one = new RunningNode(database)) {
            Tube tube = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            tube.put("a");
            Task task = tube.take();
            tube.progress(task, 1, 2, "page \u2192 2");
            Eventually.holds(
                    () -> tube.progress(task.id())
                            .filter(progress -> progress.note().equals("page ? 2"))
                            .isPresent(),
                    "it is written in ASCII");
        }
    }
}
