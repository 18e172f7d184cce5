package org.tasktube.queue;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.RunningQueue;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Two servers on one PostgreSQL. */
class SeveralServersTest {

    private static HikariDataSource database;

    @BeforeAll
    static void start() {
        database = TestDatabase.POSTGRESQL.create();
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @Test
    void a_task_put_on_one_is_taken_by_a_waiter_on_the_other_within_the_poll_interval() throws Exception {
        try (RunningQueue one = new RunningQueue(database, "one");
                RunningQueue two = new RunningQueue(database, "two")) {
            Tube here = one.newTube(new Client(), TubeDefinition.FIFO);
            Tube there = two.queue().tube(new Client(), here.name());
            CompletableFuture<Optional<Task>> take =
                    CompletableFuture.supplyAsync(() -> there.take(Duration.ofSeconds(20)));
            Eventually.holds(
                    () -> two.queue().find(here.name()).orElseThrow().line().length() == 1, "the other waits");
            here.put("a");
            assertThat(take.get(20, TimeUnit.SECONDS).map(Task::text)).contains("a");
            assertThat(there.take(Duration.ZERO)).isEmpty();
        }
    }

    @Test
    void what_a_killed_server_held_is_ready_again_soon() throws Exception {
        RunningQueue killed = new RunningQueue(database, "killed");
        Tube there = killed.newTube(new Client(), TubeDefinition.FIFOTTL);
        there.put("a");
        assertThat(there.take(Duration.ZERO)).isPresent();
        killed.kill();
        try (RunningQueue other = new RunningQueue(database, "other")) {
            Tube here = other.queue().tube(new Client(), there.name());
            assertThat(here.take(Duration.ofSeconds(20)).map(Task::text)).contains("a");
        }
    }

    @Test
    void deadlines_of_a_killed_server_are_kept_by_the_others() throws Exception {
        RunningQueue killed = new RunningQueue(database, "killed");
        try (RunningQueue other = new RunningQueue(database, "other")) {
            Tube there = killed.newTube(new Client(), TubeDefinition.FIFOTTL);
            Tube here = other.queue().tube(new Client(), there.name());
            there.put("a", PutOptions.defaults().delay(Duration.ofSeconds(1)));
            killed.kill();
            assertThat(here.take(Duration.ofSeconds(20)).map(Task::text)).contains("a");
        }
    }
}
