package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskResult;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.Histogram;
import org.tasktube.admin.ServerTimings;
import org.tasktube.admin.TubeTimings;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The times that a server measures: waits and runs of each tube, and how late deadlines are. */
@Tag("full")
@Timeout(60)
class TimingsTest {

    @Nested
    class OnH2 extends Rules {
        OnH2() {
            super(TestDatabase.H2, false);
        }
    }

    @Nested
    class OnPostgreSql extends Rules {
        OnPostgreSql() {
            super(TestDatabase.POSTGRESQL, false);
        }
    }

    @Nested
    class Temporary extends Rules {
        Temporary() {
            super(TestDatabase.H2, true);
        }
    }

    abstract static class Rules {

        private static final Duration LONG = Duration.ofMillis(200);

        private final TestDatabase kind;
        private final boolean inMemory;
        private final List<String> sent = new CopyOnWriteArrayList<>();
        private final ClientConnection connection = new ClientConnection();
        private HikariDataSource database;
        private RunningNode running;
        private Tube tube;

        Rules(TestDatabase kind, boolean inMemory) {
            this.kind = kind;
            this.inMemory = inMemory;
        }

        @BeforeEach
        void start() {
            database = kind.create();
            running = new RunningNode(HookedDataSource.of(database, sent::add), "one");
            if (inMemory) {
                running.withTemporary();
            }
            tube = running.newTube(connection, TubeDefinition.FIFOTTL);
        }

        @AfterEach
        void stop() {
            running.close();
            database.close();
        }

        private ServerTimings timings() {
            return running.node().admin(connection).timings();
        }

        private TubeTimings ofTube() {
            List<TubeTimings> tubes = timings().tubes();
            assertThat(tubes).hasSize(1);
            assertThat(tubes.get(0).tube()).isEqualTo(tube.name());
            return tubes.get(0);
        }

        private Task take() {
            return tube.take(Duration.ofMinutes(2)).orElseThrow();
        }

        @Test
        void a_wait_is_the_time_from_the_put_to_the_first_take_with_the_delay() {
            tube.put("x", PutOptions.defaults().delay(LONG));
            take();
            Histogram waits = ofTube().waits();
            assertThat(waits.total()).isEqualTo(1);
            assertThat(waits.sum()).isBetween(LONG, Duration.ofMinutes(5));
        }

        @Test
        void a_later_take_of_the_same_task_is_no_wait() {
            tube.put("x");
            tube.release(take());
            tube.bury(take());
            tube.kick();
            take();
            assertThat(ofTube().waits().total()).isEqualTo(1);
        }

        @Test
        void a_run_is_the_time_from_the_take_to_the_ack() {
            tube.put("x");
            tube.put("y");
            Task task = take();
            Task next = take();
            long taken = System.nanoTime();
            Eventually.holds(() -> System.nanoTime() - taken > LONG.toNanos(), "the work takes a while");
            tube.ack(task);
            tube.ack(next, TaskResult.completed("done"));
            Histogram runs = ofTube().runs();
            assertThat(runs.total()).isEqualTo(2);
            assertThat(runs.sum()).isBetween(LONG.multipliedBy(2), Duration.ofMinutes(5));
            assertThat(runs.counts().subList(0, 4)).containsOnly(0L);
        }

        @Test
        void a_take_that_ends_without_an_ack_is_no_run() {
            tube.put("x");
            tube.release(take());
            tube.bury(take());
            tube.kick();
            tube.delete(take().id());
            assertThat(ofTube().runs().total()).isZero();
        }

        @Test
        void the_acks_of_several_tasks_are_a_run_each() {
            tube.put("x");
            tube.put("y");
            tube.ackAll(List.of(take(), take()));
            assertThat(ofTube().runs().total()).isEqualTo(2);
        }

        @Test
        void each_deadline_that_was_applied_has_a_lag() {
            tube.put("x", PutOptions.defaults().delay(Duration.ofMillis(30)));
            tube.put("y", PutOptions.defaults().ttl(Duration.ofMillis(30)));
            Eventually.holds(
                    () -> tube.statistics().ready() == 1 && tube.statistics().endedSinceStart() == 1, "both are over");
            Histogram lag = timings().deadlineLag();
            assertThat(lag.total()).isEqualTo(2);
            assertThat(lag.sum()).isLessThan(Duration.ofMinutes(5));
        }

        @Test
        void a_deadline_to_come_is_not_overdue() {
            tube.put("x", PutOptions.defaults().delay(Duration.ofMinutes(1)));
            Eventually.holds(() -> timings().overdue().isZero(), "nothing is overdue");
        }

        @Test
        void each_statement_is_a_round_trip() {
            long before = timings().roundTrips();
            sent.clear();
            for (int i = 0; i < 50; i++) {
                tube.put("x");
            }
            tube.ack(take());
            long statements =
                    sent.stream().filter(text -> !text.equals("CLOSE")).count();
            // A statement under way is counted when its answer is there.
            Eventually.holds(() -> timings().roundTrips() - before >= statements, "each is counted");
            assertThat(statements).isGreaterThanOrEqualTo(inMemory ? 0 : 52);
        }

        @Test
        void a_tube_that_was_dropped_has_no_timings() {
            Tube other = running.newTube(connection, TubeDefinition.FIFOTTL);
            assertThat(timings().tubes()).hasSize(2);
            other.drop();
            assertThat(ofTube().waits().total()).isZero();
        }
    }
}
