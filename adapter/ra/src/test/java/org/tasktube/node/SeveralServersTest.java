package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeNotFoundException;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.Transactions;
import org.tasktube.store.TubeCount;
import org.tasktube.store.sql.TaskStore;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;
import org.tasktube.tube.TubeEngine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
        try (RunningNode one = new RunningNode(database, "one");
                RunningNode two = new RunningNode(database, "two")) {
            Tube here = one.newTube(new ClientConnection(), TubeDefinition.FIFO);
            Tube there = two.node().tube(new ClientConnection(), here.name());
            CompletableFuture<Optional<Task>> take =
                    CompletableFuture.supplyAsync(() -> there.take(Duration.ofMinutes(2)));
            Eventually.holds(
                    () -> two.node().find(here.name()).orElseThrow().takers().length() == 1, "the other waits");
            here.put("a");
            assertThat(take.get(60, TimeUnit.SECONDS).map(Task::text)).contains("a");
            assertThat(there.take(Duration.ZERO)).isEmpty();
        }
    }

    @Test
    void the_check_of_one_for_tasks_without_a_holder_leaves_those_that_the_other_holds() {
        try (RunningNode one = new RunningNode(database, "one");
                RunningNode two = new RunningNode(database, "two")) {
            Tube there = two.newTube(new ClientConnection(), TubeDefinition.FIFO);
            there.put("a");
            Task taken = there.take(Duration.ZERO).orElseThrow();
            one.node()
                    .parts()
                    .holderCheck()
                    .check(one.node().registry(), one.node().number());
            assertThat(there.peek(taken.id()).orElseThrow().state()).isEqualTo(TaskState.TAKEN);
            there.ack(taken);
        }
    }

    @Test
    @Tag("full")
    void tasks_put_together_on_one_are_taken_by_all_waiters_on_the_other_at_one_poll() throws Exception {
        Duration poll = Duration.ofSeconds(2);
        int waiters = 5;
        ExecutorService threads = Executors.newFixedThreadPool(waiters);
        try (RunningNode one = new RunningNode(database, "one");
                RunningNode two = new RunningNode(
                        database,
                        Transactions.NONE,
                        new Settings("two", 1 << 20, poll, Duration.ofMinutes(1), Duration.ZERO))) {
            Tube here = one.newTube(new ClientConnection(), TubeDefinition.FIFO);
            List<CompletableFuture<Boolean>> takes = IntStream.range(0, waiters)
                    .mapToObj(i -> CompletableFuture.supplyAsync(
                            () -> two.node()
                                    .tube(new ClientConnection(), here.name())
                                    .take(Duration.ofMinutes(2))
                                    .isPresent(),
                            threads))
                    .toList();
            Waiting.forTasks(two.node(), here.name(), waiters);
            here.putAll(List.of("a", "b", "c", "d", "e"), PutOptions.defaults());
            long put = System.nanoTime();
            for (CompletableFuture<Boolean> take : takes) {
                assertThat(take.get(60, TimeUnit.SECONDS)).isTrue();
            }
            // With a poll for each of them it would be five
            assertThat(Duration.ofNanos(System.nanoTime() - put)).isLessThan(poll.multipliedBy(2));
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void what_a_killed_server_held_is_ready_again_soon() throws Exception {
        RunningNode killed = new RunningNode(database, "killed");
        Tube there = killed.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
        there.put("a");
        assertThat(there.take(Duration.ZERO)).isPresent();
        killed.kill();
        try (RunningNode other = new RunningNode(database, "other")) {
            Tube here = other.node().tube(new ClientConnection(), there.name());
            assertThat(here.take(Duration.ofMinutes(2)).map(Task::text)).contains("a");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_server_that_is_left_alone_counts_what_the_other_did_last(boolean killed) {
        RunningNode leaving = new RunningNode(database, "leaving");
        try (RunningNode other = new RunningNode(database, "other")) {
            Tube there = leaving.newTube(new ClientConnection(), TubeDefinition.FIFO);
            Tube here = other.node().tube(new ClientConnection(), there.name());
            there.putAll(List.of("a", "b", "c"), PutOptions.defaults());
            assertThat(there.take(Duration.ZERO)).isPresent();
            if (killed) {
                leaving.kill();
            } else {
                leaving.close();
            }
            Eventually.holds(
                    () -> here.statistics().ready() == 3 && here.statistics().total() == 3,
                    "all tasks are counted, and READY");
        }
    }

    @Test
    void a_server_counts_what_another_did_that_came_and_went_between_two_looks() {
        Semaphore looks = new Semaphore(1);
        DataSource looking = HookedDataSource.of(database, statement -> {
            if (statement.contains("CASE WHEN name = ?")) {
                looks.acquireUninterruptibly();
                looks.release();
            }
        });
        try (RunningNode one = new RunningNode(looking, "one")) {
            Tube here = one.newTube(new ClientConnection(), TubeDefinition.FIFO);
            looks.acquireUninterruptibly();
            try (RunningNode two = new RunningNode(database, "two")) {
                Tube there = two.node().tube(new ClientConnection(), here.name());
                there.putAll(List.of("a", "b", "c"), PutOptions.defaults());
            } finally {
                looks.release();
            }
            Eventually.holds(() -> here.statistics().ready() == 3, "all tasks are counted");
        }
    }

    @Test
    @Tag("full")
    void deadlines_of_a_killed_server_are_kept_by_the_others() throws Exception {
        RunningNode killed = new RunningNode(database, "killed");
        try (RunningNode other = new RunningNode(database, "other")) {
            Tube there = killed.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            Tube here = other.node().tube(new ClientConnection(), there.name());
            there.put("a", PutOptions.defaults().delay(Duration.ofSeconds(1)));
            killed.kill();
            assertThat(here.take(Duration.ofMinutes(2)).map(Task::text)).contains("a");
        }
    }

    @Test
    void of_a_temporary_tube_that_another_server_dropped_nothing_stays_in_memory() {
        try (RunningNode one = new RunningNode(database, "one").withTemporary();
                RunningNode two = new RunningNode(database, "two").withTemporary()) {
            Tube here = one.newTube(new ClientConnection(), TubeDefinition.FIFO);
            Tube there = two.node().tube(new ClientConnection(), here.name());
            Tube kept = two.newTube(new ClientConnection(), TubeDefinition.FIFO);
            TubeEngine dropped = two.node().find(here.name()).orElseThrow();
            there.put("a");
            kept.put("b");
            here.drop();
            two.node().recount().now();
            TaskStore memory = two.node().parts().tasks(dropped.stored());
            assertThat(memory.reads().counts())
                    .extracting(TubeCount::tube)
                    .containsExactly(
                            two.node().find(kept.name()).orElseThrow().stored().id());
            assertThatThrownBy(() -> there.put("too late")).isInstanceOf(TubeNotFoundException.class);
            assertThat(kept.take(Duration.ZERO)).isPresent();
        }
    }

    @Test
    void a_temporary_tube_that_another_server_dropped_takes_no_tasks_soon_after() {
        try (RunningNode one = new RunningNode(database, "one");
                RunningNode two = new RunningNode(database, "two")) {
            Tube here = one.withTemporary().newTube(new ClientConnection(), TubeDefinition.FIFO);
            Tube there = two.node().tube(new ClientConnection(), here.name());
            there.put("a");
            there.ack(there.take());
            here.drop();
            Eventually.holds(() -> refusesPut(there), "the other server knows of the drop");
        }
    }

    private static boolean refusesPut(Tube tube) {
        try {
            tube.put("b");
            return false;
        } catch (TubeNotFoundException e) {
            return true;
        }
    }
}
