package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.Transactions;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RefusingDataSource;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A server whose next poll is an hour off, and which no timer wakes, so that only the event itself can. */
class WakesWithoutPollsTest {

    private static final Settings SETTINGS =
            new Settings("one", 1 << 20, Duration.ofHours(1), Duration.ofHours(1), Duration.ZERO);

    private final ClientConnection client = new ClientConnection();

    @ParameterizedTest
    @DatabaseSource
    void a_rollback_wakes_the_put_that_waits_for_its_slot(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create();
                AgroalDataSource pool = Jta.pool(database);
                RunningNode running = new RunningNode(pool, Jta.TRANSACTIONS, SETTINGS)) {
            Tube tube = running.node().createTube(client, TubeDefinition.limfifottl(RunningNode.newName(), 1));
            Jta.MANAGER.begin();
            tube.put("rolled back");
            CompletableFuture<Optional<Task>> waiting = CompletableFuture.supplyAsync(() -> running.node()
                    .tube(new ClientConnection(), tube.name())
                    .put("waits", PutOptions.defaults(), Duration.ofMinutes(5)));
            Waiting.forSlots(running.node(), tube.name(), 1);
            Jta.MANAGER.rollback();
            assertThat(waiting.get(60, TimeUnit.SECONDS)).isPresent();
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_put_wakes_the_take_that_waits(TestDatabase kind) throws Exception {
        assertThatTheTakeWakes(kind, tube -> () -> tube.put("x"));
    }

    @ParameterizedTest
    @DatabaseSource
    void a_put_of_several_tasks_wakes_the_take_that_waits(TestDatabase kind) throws Exception {
        assertThatTheTakeWakes(kind, tube -> () -> tube.putAll(List.of("x", "y"), PutOptions.defaults()));
    }

    @ParameterizedTest
    @DatabaseSource
    void a_release_wakes_the_take_that_waits(TestDatabase kind) throws Exception {
        assertThatTheTakeWakes(kind, tube -> {
            tube.put("x");
            Task taken = tube.take(Duration.ZERO).orElseThrow();
            return () -> tube.release(taken);
        });
    }

    @ParameterizedTest
    @DatabaseSource
    void a_kick_wakes_the_take_that_waits(TestDatabase kind) throws Exception {
        assertThatTheTakeWakes(kind, tube -> {
            tube.put("x");
            tube.bury(tube.take(Duration.ZERO).orElseThrow());
            return tube::kick;
        });
    }

    private void assertThatTheTakeWakes(TestDatabase kind, Function<Tube, Runnable> prepared) throws Exception {
        try (HikariDataSource database = kind.create();
                RunningNode running = new RunningNode(database, Transactions.NONE, SETTINGS)) {
            Tube tube = running.newTube(client, TubeDefinition.FIFO);
            Runnable event = prepared.apply(tube);
            CompletableFuture<Optional<Task>> waiting = CompletableFuture.supplyAsync(() ->
                    running.node().tube(new ClientConnection(), tube.name()).take(Duration.ofMinutes(5)));
            Waiting.forTasks(running.node(), tube.name(), 1);
            event.run();
            assertThat(waiting.get(60, TimeUnit.SECONDS)).isPresent();
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_close_whose_release_the_database_refuses_releases_the_task_a_little_later(TestDatabase kind) {
        try (HikariDataSource database = kind.create()) {
            RefusingDataSource refusing = new RefusingDataSource(database);
            try (RunningNode running = new RunningNode(refusing, Transactions.NONE, SETTINGS)) {
                Tube tube = running.newTube(client, TubeDefinition.FIFO);
                tube.put("x");
                ClientConnection holder = new ClientConnection();
                Task taken = running.node()
                        .tube(holder, tube.name())
                        .take(Duration.ZERO)
                        .orElseThrow();
                refusing.refuse("tasktube_task");
                running.node().close(holder);
                refusing.refuse(null);
                assertThat(refusing.refused()).as("refused releases").isPositive();
                Eventually.holds(
                        () -> tube.peek(taken.id()).orElseThrow().state() == TaskState.READY, "the task is READY");
            }
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_take_arms_the_timer_for_its_ttr(TestDatabase kind) {
        List<Duration> armed = new CopyOnWriteArrayList<>();
        try (HikariDataSource database = kind.create();
                AgroalDataSource pool = Jta.pool(database);
                RunningNode running = new RunningNode(pool, Jta.TRANSACTIONS, SETTINGS)) {
            Tube tube = running.newTube(client, TubeDefinition.FIFOTTL);
            tube.put("x", PutOptions.defaults().ttr(Duration.ofSeconds(2)));
            running.node().fallBackTo((delay, sweep) -> armed.add(delay));
            // The next sweep is as far off as any
            running.node().sweep();
            armed.clear();
            assertThat(tube.take(Duration.ZERO)).isPresent();
            Eventually.holds(
                    () -> armed.stream().anyMatch(delay -> delay.compareTo(Duration.ofSeconds(2)) <= 0),
                    "the timer is armed for the ttr");
        }
    }
}
