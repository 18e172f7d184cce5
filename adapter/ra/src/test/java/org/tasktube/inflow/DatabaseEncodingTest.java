package org.tasktube.inflow;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.node.Settings;
import org.tasktube.ra.Containers;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.BoundedWorkManager;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A failed delivery is written in a database of any encoding, whatever characters the exception has. */
@Timeout(60)
class DatabaseEncodingTest {

    private static HikariDataSource latin1(HikariDataSource server) throws Exception {
        String name = "l" + UUID.randomUUID().toString().replace("-", "");
        new Sql(server)
                .execute("CREATE DATABASE " + name
                        + " ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.getJdbcUrl().replaceFirst("/t[0-9a-f]{32}", "/" + name));
        config.setUsername(server.getUsername());
        config.setMinimumIdle(1);
        return new HikariDataSource(config);
    }

    /** Fails a task by a bean; returns the message of its kept failure. */
    private static String fails(String message) throws Exception {
        try (HikariDataSource server = TestDatabase.POSTGRESQL.create();
                HikariDataSource database = latin1(server);
                AgroalDataSource pool = Jta.pool(database, 20);
                BoundedWorkManager threads = new BoundedWorkManager(50, 50);
                RunningNode running = new RunningNode(
                        pool,
                        Jta.TRANSACTIONS,
                        new Settings("test", 1 << 20, RunningNode.POLL, Duration.ofSeconds(30), Duration.ZERO))) {
            Activations activations = new Activations(running.node(), threads, Containers.refusing(thrown -> false));
            Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            TaskActivationSpec spec = new TaskActivationSpec();
            spec.setTube(tube.name());
            spec.setRetryDelay("0");
            spec.setMaxAttempts("2");
            activations.start(
                    new Bean(task -> {
                        throw new IllegalStateException(message);
                    }),
                    spec);
            try {
                Task task = tube.put("x");
                Eventually.holds(
                        () -> tube.peek(task.id())
                                .filter(now -> now.state() == TaskState.BURIED)
                                .isPresent(),
                        "the task that fails is buried");
                return tube.meta(task.id())
                        .orElseThrow()
                        .lastFailure()
                        .orElseThrow()
                        .message();
            } finally {
                activations.stopAll();
            }
        }
    }

    @Test
    void a_character_that_the_encoding_lacks_is_kept_as_a_question_mark() throws Exception {
        assertThat(fails("the price is 5 \u20ac")).isEqualTo("the price is 5 ?");
    }

    @Test
    void a_character_that_the_encoding_has_is_kept() throws Exception {
        assertThat(fails("Gr\u00f6\u00dfe")).isEqualTo("Gr\u00f6\u00dfe");
    }

    @Test
    void a_long_plain_message_is_kept_in_part() throws Exception {
        assertThat(fails("x".repeat(5_000))).startsWith("xxx").hasSize(TaskFailure.MAX_MESSAGE);
    }
}
