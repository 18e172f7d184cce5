package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tasktube.PutOptions;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.Jta;
import org.tasktube.testing.JtaNode;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What a transaction sees, and what others have locked. */
@Timeout(60)
class SnapshotTest {

    @ParameterizedTest
    @CsvSource({
        "H2, SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ",
        "POSTGRESQL, SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"
    })
    void a_put_into_a_tube_that_its_snapshot_does_not_have_says_so(TestDatabase kind, String isolation)
            throws Exception {
        try (JtaNode server = new JtaNode(kind.create())) {
            Jta.MANAGER.begin();
            try (Connection connection = server.pool().getConnection();
                    Statement on = connection.createStatement()) {
                on.execute(isolation);
                on.executeQuery("SELECT count(*) FROM tasktube_tube").close();
            }
            Tube tube = server.node().createTubeIfNotExists(new ClientConnection(), TubeDefinition.fifo("late"));
            assertThatThrownBy(() -> tube.put("x"))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("REPEATABLE READ")
                    .hasMessageContaining("late");
            Jta.MANAGER.rollback();
        }
    }

    @Test
    void a_change_that_its_snapshot_cannot_follow_says_what_to_do() throws Exception {
        try (JtaNode server = new JtaNode(TestDatabase.POSTGRESQL.create())) {
            Tube tube = server.running().newTube(new ClientConnection(), TubeDefinition.FIFO);
            Task task = tube.put("x");
            Jta.MANAGER.begin();
            try (Connection connection = server.pool().getConnection();
                    Statement on = connection.createStatement()) {
                on.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
                on.executeQuery("SELECT count(*) FROM tasktube_task").close();
            }
            CompletableFuture.runAsync(() -> tube.delete(task.id())).join();
            assertThatThrownBy(() -> tube.delete(task.id()))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("40001")
                    .hasMessageContaining("do its work again in a new one");
            Jta.MANAGER.rollback();
        }
    }

    /** Rows that several transactions had locked together have numbers that are not those of transactions. */
    @Test
    void a_lock_that_was_shared_in_the_past_is_none() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                RunningNode running = new RunningNode(database)) {
            ClientConnection client = new ClientConnection();
            Tube tube = running.newTube(client, TubeDefinition.FIFO);
            List<Task> tasks = tube.putAll(Collections.nCopies(200, "x"), PutOptions.defaults());
            List<Connection> open = new ArrayList<>();
            // Each task is locked by another set of transactions, so that each has a number of its own
            for (int bit = 1; bit <= tasks.size(); bit *= 2) {
                Connection connection = database.getConnection();
                open.add(connection);
                connection.setAutoCommit(false);
                try (Statement on = connection.createStatement()) {
                    on.execute("SELECT id FROM tasktube_task WHERE id IN (" + withBit(tasks, bit) + ") FOR KEY SHARE");
                }
            }
            for (Connection connection : open) {
                connection.rollback();
                connection.setAutoCommit(true);
                connection.close();
            }
            TaskAdmin admin = running.node().admin(client);
            for (int n = 0; n < tasks.size(); n += 4) {
                assertThat(admin.whyWaiting(tube.name(), tasks.get(n).id())
                                .reason()
                                .name())
                        .isNotEqualTo("LOCKED");
            }
        }
    }

    private static String withBit(List<Task> tasks, int bit) {
        return tasks.stream()
                .filter(task -> ((tasks.indexOf(task) + 1) & bit) != 0)
                .map(task -> String.valueOf(task.id()))
                .collect(Collectors.joining(","));
    }
}
