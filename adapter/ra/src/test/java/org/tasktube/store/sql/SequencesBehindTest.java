package org.tasktube.store.sql;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.LogLines;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The rows were copied, by a logical replication or a dump of the data, and the sequences were not. */
@Timeout(120)
class SequencesBehindTest {

    private static final PutOptions IN_A = PutOptions.defaults().utube("a");

    @Test
    void tasks_of_sub_queues_are_found_and_no_number_comes_twice() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                LogLines log = new LogLines("org.tasktube")) {
            String name = work(database);
            Sql sql = new Sql(database);
            sql.execute("SELECT setval(pg_get_serial_sequence('tasktube_dirty', 'id'), 1),"
                    + " setval(pg_get_serial_sequence('tasktube_tube', 'id'), 1),"
                    + " setval(pg_get_serial_sequence('tasktube_node', 'id'), 1), setval('tasktube_task_seq', 1)");
            sql.execute("SELECT setval(pg_get_serial_sequence('tasktube_tube', 'id'), 1, false)");
            try (RunningNode running = new RunningNode(database, "second")) {
                Tube tube = running.node().tube(new ClientConnection(), name);
                Task left = tube.take(Duration.ZERO).orElseThrow();
                Task put = tube.put("new", IN_A);
                assertThat(put.id()).isGreaterThan(left.id());
                assertThat(tube.take(Duration.ofMinutes(1)).map(Task::id)).contains(put.id());
                assertThat(running.newTube(new ClientConnection(), TubeDefinition.FIFO)
                                .put("x")
                                .id())
                        .isGreaterThan(put.id());
            }
            assertThat(log.of("TASKTUBE0183")).isNotEmpty();
        }
    }

    /** Leaves one task without a sub-queue. */
    private static String work(HikariDataSource database) {
        try (RunningNode running = new RunningNode(database, "first")) {
            ClientConnection connection = new ClientConnection();
            Tube tube = running.newTube(connection, TubeDefinition.UTUBETTL);
            for (int i = 0; i < 40; i++) {
                tube.put("x", IN_A);
                tube.ack(tube.take(Duration.ofMinutes(1)).orElseThrow());
            }
            tube.put("left");
            return tube.name();
        }
    }
}
