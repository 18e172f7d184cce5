package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import jakarta.transaction.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.OnConflict;
import org.tasktube.PutOptions;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A unique key whose task is over by its ttl, but still in the table: what is put must not be lost with it. */
@Tag("full")
class KeyOfTaskThatIsOverTest {

    private static final String END_TTLS =
            "UPDATE tasktube_task SET expires_at = TIMESTAMP '2020-01-01 00:00:00', event_at = NULL";

    /** Ends all ttls. The tasks stay, because the sweep looks for the time of the next event only. */
    private static void endTtls(HikariDataSource database) {
        run(database, END_TTLS);
    }

    private static void run(HikariDataSource database, String change) {
        try (Connection connection = database.getConnection();
                Statement on = connection.createStatement()) {
            on.execute(change);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Runs a change of the database before the first statement with a text. */
    private static RunningNode server(HikariDataSource database, String text, String change) {
        AtomicBoolean done = new AtomicBoolean();
        return new RunningNode(
                HookedDataSource.of(database, statement -> {
                    if (statement.contains(text) && done.compareAndSet(false, true)) {
                        run(database, change);
                    }
                }),
                "one");
    }

    private static Task put(Tube tube, String data, OnConflict onConflict) {
        return tube.putUnique("key", data, PutOptions.defaults(), onConflict);
    }

    @ParameterizedTest
    @DatabaseSource
    void a_put_of_its_key_puts_a_task_also_if_the_old_one_is_buried(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode running = new RunningNode(database, "one")) {
            Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            for (OnConflict onConflict : OnConflict.values()) {
                Task over = put(tube, "over", OnConflict.KEEP);
                tube.bury(over.id());
                endTtls(database);
                Task task = put(tube, "new", onConflict);
                assertThat(task.id()).as("the task by %s", onConflict).isNotEqualTo(over.id());
                Task taken = tube.take();
                assertThat(taken.text()).isEqualTo("new");
                assertThat(put(tube, "again", OnConflict.KEEP).id())
                        .as("a task that is TAKEN keeps its key")
                        .isEqualTo(task.id());
                endTtls(database);
                assertThat(put(tube, "again", OnConflict.KEEP).id())
                        .as("also when its ttl is over")
                        .isEqualTo(task.id());
                tube.ack(taken);
            }
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_bounded_tube_needs_a_slot_for_the_new_task(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode running = new RunningNode(database, "one")) {
            Tube tube = running.node().createTube(new ClientConnection(), TubeDefinition.limfifottl("bounded", 2));
            Task over = put(tube, "over", OnConflict.KEEP);
            endTtls(database);
            Task task = put(tube, "new", OnConflict.KEEP);
            assertThat(task.id()).isNotEqualTo(over.id());
            assertThat(tube.statistics().ready()).isEqualTo(2);
            assertThat(tube.peek(task.id())).map(Task::state).contains(TaskState.READY);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    @Timeout(60)
    void a_put_waits_for_a_transaction_that_has_locked_the_old_task_for_seconds_and_says_so(TestDatabase kind)
            throws Exception {
        try (HikariDataSource database = kind.create();
                AgroalDataSource pool = Jta.pool(database);
                RunningNode running = new RunningNode(pool, Jta.TRANSACTIONS, "one")) {
            Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            Task over = put(tube, "over", OnConflict.KEEP);
            endTtls(database);
            Jta.MANAGER.begin();
            tube.bury(over.id());
            Transaction open = Jta.MANAGER.suspend();
            assertThatThrownBy(() -> put(tube, "new", OnConflict.KEEP))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("unique key 'key'");
            Jta.MANAGER.resume(open);
            Jta.MANAGER.rollback();
            assertThat(put(tube, "new", OnConflict.KEEP).id()).isNotEqualTo(over.id());
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_replacement_of_a_task_that_loses_its_key_during_the_call_is_a_put(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode running = server(database, "pri = ?, created_at = ", END_TTLS + ", live_key = NULL")) {
            Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            Task over = put(tube, "over", OnConflict.KEEP);
            assertThat(put(tube, "new", OnConflict.REPLACE).id()).isNotEqualTo(over.id());
            assertThat(tube.take().text()).isEqualTo("new");
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_bounded_tube_with_a_slot_is_not_full_though_the_old_task_goes_during_the_call(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode running = server(database, "SET live_key = NULL", "DELETE FROM tasktube_task")) {
            Tube tube = running.node()
                    .createTube(new ClientConnection(), TubeDefinition.limfifottl(RunningNode.newName(), 2));
            put(tube, "over", OnConflict.KEEP);
            endTtls(database);
            assertThat(put(tube, "new", OnConflict.KEEP).text()).isEqualTo("new");
        }
    }
}
