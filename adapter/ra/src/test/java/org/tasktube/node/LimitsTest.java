package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.PutOptions;
import org.tasktube.TakeLimits.Rate;
import org.tasktube.Task;
import org.tasktube.TaskTubeException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.TubeChange;
import org.tasktube.itest.watchdog.FullRun;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.Transactions;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Limits of takes while many threads of three servers take at once, and servers are killed. */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class LimitsTest {

    private static final int SERVERS = 3;
    private static final int THREADS = FullRun.size(9, 16);
    private static final int TASKS = FullRun.size(600, 10_000);
    private static final int KILLS = FullRun.size(2, 20);

    private final String name = RunningNode.newName();
    private final List<RunningNode> servers = new CopyOnWriteArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HikariDataSource database;

    @BeforeEach
    void start() {
        database = TestDatabase.POSTGRESQL.create();
        for (int i = 0; i < SERVERS; i++) {
            servers.add(server("server-" + i));
        }
    }

    @AfterEach
    void stop() {
        threads.shutdownNow();
        servers.forEach(RunningNode::close);
        database.close();
    }

    private RunningNode server(String server) {
        return new RunningNode(
                database,
                Transactions.NONE,
                new Settings(server, 1 << 20, Duration.ofMillis(100), Duration.ofSeconds(1), Duration.ZERO));
    }

    private Tube create(TubeDefinition definition) {
        ClientConnection first = new ClientConnection();
        Tube tube = servers.get(0).node().createTube(first, definition);
        for (int put = 0; put < TASKS; put += 500) {
            tube.putAll(Collections.nCopies(Math.min(500, TASKS - put), "a"), PutOptions.defaults());
        }
        return tube;
    }

    private void change(TubeChange change) {
        servers.get(0).node().admin(new ClientConnection()).changeTube(name, change);
    }

    private long count(String where) {
        try {
            return new Sql(database).number("SELECT count(*) FROM tasktube_task WHERE " + where);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Takes and acks at a server that is up, until no task is left. */
    private void work(ConcurrentLinkedQueue<Instant> takes) {
        while (count("TRUE") > 0) {
            RunningNode server = servers.get(ThreadLocalRandom.current().nextInt(servers.size()));
            try {
                Tube tube = server.node().tube(new ClientConnection(), name);
                for (Task task : tube.take(2, Duration.ofMillis(50))) {
                    takes.add(tube.meta(task.id()).orElseThrow().takenAt().orElseThrow());
                    tube.ack(task);
                }
            } catch (TaskTubeException | NoSuchElementException e) {
                // The server was killed, and another one has released its task
            }
        }
    }

    private List<CompletableFuture<Void>> workers(ConcurrentLinkedQueue<Instant> takes) {
        List<CompletableFuture<Void>> workers = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            workers.add(CompletableFuture.runAsync(() -> work(takes), threads));
        }
        return workers;
    }

    /** The server stays without its threads: what it holds is released when others take it for dead. */
    private void kill(int number) {
        RunningNode victim = servers.get(1 + number % (SERVERS - 1));
        servers.remove(victim);
        victim.kill();
        servers.add(server("again-" + number));
    }

    @Test
    void no_more_tasks_are_taken_than_the_limit_whatever_is_killed_and_changed() throws Exception {
        create(TubeDefinition.fifo(name).maxTaken(5));
        AtomicBoolean ends = new AtomicBoolean();
        CompletableFuture<Long> most = CompletableFuture.supplyAsync(() -> most(ends), threads);
        List<CompletableFuture<Void>> workers = workers(new ConcurrentLinkedQueue<>());
        for (int i = 0; i < KILLS && count("TRUE") > TASKS / 10; i++) {
            Eventually.holds(() -> count("state = 't'") > 0 || count("TRUE") == 0, "tasks are TAKEN");
            kill(i);
            change(TubeChange.NONE.maxTaken(OptionalInt.of(1 + i % 5)));
        }
        change(TubeChange.NONE.maxTaken(OptionalInt.of(5)));
        for (CompletableFuture<Void> worker : workers) {
            worker.get(FullRun.size(2, 20), TimeUnit.MINUTES);
        }
        ends.set(true);
        assertThat(most.get()).isBetween(1L, 5L);
        // No place is left taken
        Tube tube = servers.get(0).node().tube(new ClientConnection(), name);
        tube.putAll(Collections.nCopies(9, "a"), PutOptions.defaults());
        assertThat(tube.take(9, Duration.ZERO)).hasSize(5);
    }

    private long most(AtomicBoolean ends) {
        long most = 0;
        while (!ends.get()) {
            most = Math.max(most, count("state = 't'"));
        }
        return most;
    }

    @Test
    @Tag("full")
    void no_window_has_more_takes_than_the_limit() throws Exception {
        int inPeriod = FullRun.size(60, 200);
        Duration period = Duration.ofMillis(500);
        create(TubeDefinition.fifo(name).maxRate(inPeriod, period));
        ConcurrentLinkedQueue<Instant> takes = new ConcurrentLinkedQueue<>();
        long begun = System.nanoTime();
        for (CompletableFuture<Void> worker : workers(takes)) {
            worker.get(FullRun.size(2, 20), TimeUnit.MINUTES);
        }
        double periods = (System.nanoTime() - begun) / (double) period.toNanos();
        List<Instant> order = takes.stream().sorted().toList();
        for (int i = inPeriod; i < order.size(); i++) {
            assertThat(Duration.between(order.get(i - inPeriod), order.get(i))).isGreaterThanOrEqualTo(period);
        }
        System.out.printf("%.0f %% of the takes that the limit lets%n", 100 * order.size() / (periods * inPeriod));
        change(TubeChange.NONE.maxRate(Optional.of(new Rate(1, Duration.ofHours(1)))));
        Tube tube = servers.get(0).node().tube(new ClientConnection(), name);
        tube.put("a");
        assertThat(tube.take(Duration.ZERO)).as("the hour has had a take").isEmpty();
    }
}
