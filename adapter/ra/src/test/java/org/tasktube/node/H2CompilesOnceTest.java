package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.PutOptions;
import org.tasktube.ReleaseOptions;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskFilter;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.sql.OpenStore;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * After a SET, of a variable too, H2 compiles the prepared statements of all sessions anew. That costs more than they
 * do, and each time a session keeps the indexes of the derived tables in it.
 */
@Timeout(120)
class H2CompilesOnceTest {

    private static final Duration LIMIT = Duration.ofSeconds(1);

    private final ClientConnection connection = new ClientConnection();

    @Test
    void no_call_of_an_application_and_none_of_the_console_has_h2_compile_again() throws Exception {
        // Each new connection has a SET for each setting of the URL
        try (HikariDataSource database = TestDatabase.connect("jdbc:h2:mem:" + RunningNode.newName(), "sa");
                RunningNode one = new RunningNode(database)) {
            Tube tube = one.newTube(connection, TubeDefinition.UTUBETTL);
            work(one, tube);
            long before = compilations(database);
            for (int i = 0; i < 5; i++) {
                work(one, tube);
            }
            assertThat(compilations(database)).isEqualTo(before);
        }
    }

    private void work(RunningNode one, Tube tube) {
        PutOptions minute = PutOptions.defaults().ttl(Duration.ofMinutes(1)).utube("a");
        tube.putAll(List.of("a", "b"), minute);
        tube.put("delayed", minute.delay(Duration.ofMinutes(1)));
        tube.release(
                tube.take(Duration.ZERO).orElseThrow(),
                ReleaseOptions.defaults().delay(Duration.ofMinutes(1)));
        tube.ack(tube.take(Duration.ZERO).orElseThrow());
        tube.bury(tube.put("buried").id());
        tube.kick(1);
        TaskAdmin admin = one.node().admin(connection);
        admin.tubeDetails();
        admin.servers();
        for (TaskState state : List.of(TaskState.READY, TaskState.DELAYED, TaskState.BURIED)) {
            admin.search(TaskFilter.parse("state:" + state), Optional.empty(), 10);
        }
        try (OpenStore own = one.node().parts().access().store().onOwnConnection(LIMIT, LIMIT)) {
            own.tasks().reads().counts();
        }
        tube.truncate();
    }

    private static long compilations(HikariDataSource database) throws SQLException {
        try (Connection some = database.getConnection()) {
            SessionLocal session =
                    (SessionLocal) some.unwrap(JdbcConnection.class).getSession();
            return session.getDatabase().getModificationMetaId();
        }
    }
}
