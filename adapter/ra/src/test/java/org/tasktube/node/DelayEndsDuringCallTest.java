package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.OnConflict;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A delay that ends between the statement for a READY task and the statement for a DELAYED one. */
class DelayEndsDuringCallTest {

    private static final PutOptions DELAYED = PutOptions.defaults().delay(Duration.ofHours(1));

    private final AtomicReference<String> stopAt = new AtomicReference<>("nothing");
    private int seen;

    private RunningNode server(HikariDataSource database) {
        return new RunningNode(
                HookedDataSource.of(database, statement -> {
                    if (statement.contains(stopAt.get()) && ++seen == 2) {
                        endDelay(database);
                    }
                }),
                "one");
    }

    private static void endDelay(HikariDataSource database) {
        try (Connection connection = database.getConnection();
                Statement on = connection.createStatement()) {
            on.execute("UPDATE tasktube_task SET state = 'r', event_at = expires_at WHERE state = '~'");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void a_replacement_is_made_though_the_delay_ends_during_the_call(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode running = server(database)) {
            Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            tube.putUnique("key", "old", DELAYED, OnConflict.KEEP);
            stopAt.set("pri = ?, created_at = ");
            Task replaced = tube.putUnique("key", "new", PutOptions.defaults(), OnConflict.REPLACE);
            assertThat(replaced.text()).isEqualTo("new");
        }
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void a_task_without_a_holder_is_buried_though_its_delay_ends_during_the_call(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode running = server(database)) {
            Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            Task task = tube.put("a", DELAYED);
            stopAt.set("buried_count = buried_count + 1");
            tube.bury(task.id());
            assertThat(tube.peek(task.id())).map(Task::state).contains(TaskState.BURIED);
        }
    }
}
