package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.OnConflict;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A unique key whose task is over by its ttl, but still in the table: what is put must not be lost with it. */
class KeyOfTaskThatIsOverTest {

    /** Ends all ttls. The tasks stay, because the sweep looks for the time of the next event only. */
    private static void endTtls(HikariDataSource database) {
        try (Connection connection = database.getConnection();
                Statement on = connection.createStatement()) {
            on.execute("UPDATE tasktube_task SET expires_at = TIMESTAMP '2020-01-01 00:00:00', event_at = NULL");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Task put(Tube tube, String data, OnConflict onConflict) {
        return tube.putUnique("key", data, PutOptions.defaults(), onConflict);
    }

    @ParameterizedTest
    @EnumSource
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
    @EnumSource
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
}
