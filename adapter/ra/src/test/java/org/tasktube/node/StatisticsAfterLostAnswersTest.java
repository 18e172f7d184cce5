package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.TaskTubeException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeStatistics;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;
import org.tasktube.testing.UnreliableDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tasks by state are the database's, soon, also when the answer of a change was lost that the database has made. */
@Tag("full")
@Timeout(60)
class StatisticsAfterLostAnswersTest {

    private static final String COUNT = "GROUP BY tube_id, state";

    private interface Scenario {
        void play(Tube tube, UnreliableDataSource line);
    }

    private static void play(TestDatabase kind, long ready, long taken, Scenario scenario) {
        try (HikariDataSource database = kind.create()) {
            UnreliableDataSource line = new UnreliableDataSource(database);
            try (RunningNode running = new RunningNode(line, "one")) {
                Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFO);
                scenario.play(tube, line);
                Eventually.holds(
                        () -> {
                            TubeStatistics now = tube.statistics();
                            return now.ready() == ready && now.taken() == taken;
                        },
                        ready + " READY and " + taken + " TAKEN in " + tube.statistics());
            }
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void of_rows_that_came_by_sql_and_they_are_never_negative(TestDatabase kind) throws SQLException {
        try (HikariDataSource database = kind.create();
                RunningNode running = new RunningNode(database, "one")) {
            Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFO);
            tube.put("by a call");
            new Sql(database)
                    .execute("INSERT INTO tasktube_task (id, ord, tube_id, state, pri, created_at, content_type, data)"
                            + " SELECT id + n, ord + n, tube_id, state, pri, created_at, content_type, data"
                            + " FROM tasktube_task, (VALUES (100000), (100001), (100002)) s (n)");
            for (int i = 0; i < 3; i++) {
                tube.ack(tube.take());
                assertThat(tube.statistics().ready()).isNotNegative();
                assertThat(tube.statistics().total()).isNotNegative();
            }
            Eventually.holds(() -> tube.statistics().ready() == 1, "the one that is left is counted");
            assertThat(tube.statistics().total()).isEqualTo(1);
        }
    }

    private static boolean isReady(Tube tube, Task task) {
        try {
            return tube.peek(task.id())
                    .filter(now -> now.state() == TaskState.READY)
                    .isPresent();
        } catch (TaskTubeException e) {
            return false;
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void of_a_take_that_the_adapter_gave_back(TestDatabase kind) {
        play(kind, 1, 0, (tube, line) -> {
            Task task = tube.put("a");
            line.loseAnswerOf("SET state = 't'");
            assertThatThrownBy(() -> tube.take(Duration.ZERO)).isInstanceOf(StoreException.class);
            Eventually.holds(() -> isReady(tube, task), "it is READY again");
        });
    }

    @ParameterizedTest
    @DatabaseSource
    void of_a_put(TestDatabase kind) {
        play(kind, 1, 0, (tube, line) -> {
            line.loseAnswerOf("INSERT INTO tasktube_task");
            assertThatThrownBy(() -> tube.put("a")).isInstanceOf(StoreException.class);
        });
    }

    @ParameterizedTest
    @DatabaseSource
    void of_an_ack(TestDatabase kind) {
        play(kind, 0, 0, (tube, line) -> {
            tube.put("a");
            Task task = tube.take(Duration.ZERO).orElseThrow();
            line.loseAnswerOf("DELETE FROM tasktube_task");
            assertThatThrownBy(() -> tube.ack(task)).isInstanceOf(StoreException.class);
        });
    }

    @ParameterizedTest
    @DatabaseSource
    void and_a_task_that_is_put_while_a_count_begins_is_counted_once(TestDatabase kind) {
        try (HikariDataSource database = kind.create()) {
            AtomicReference<Runnable> beforeCount = new AtomicReference<>(() -> {});
            DataSource hooked = HookedDataSource.of(database, sql -> {
                if (sql.endsWith(COUNT)) {
                    beforeCount.getAndSet(() -> {}).run();
                }
            });
            try (RunningNode running = new RunningNode(hooked, "one")) {
                Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFO);
                tube.put("a");
                AtomicBoolean isPut = new AtomicBoolean();
                beforeCount.set(() -> isPut.set(tube.put("b") != null));
                Waiting.recount(running.node());
                assertThat(isPut).isTrue();
                assertThat(tube.statistics().ready()).isEqualTo(2);
            }
        }
    }
}
