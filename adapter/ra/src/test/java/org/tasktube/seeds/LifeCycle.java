package org.tasktube.seeds;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.TaskWatch;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.node.Node;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A queue on a database and two connections to it, for documents that describe queues by examples. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class LifeCycle {

    static final Duration SOON = Duration.ofSeconds(20);
    static final Duration SESSION_TTR = Duration.ofMinutes(1);

    final TestDatabase kind = TestDatabase.of(this);
    HikariDataSource database;
    RunningNode running;
    Node node;
    ClientConnection client;
    ClientConnection other;

    @BeforeAll
    void start() {
        database = kind.create();
        running = new RunningNode(database, "test", SESSION_TTR);
        node = running.node();
    }

    @AfterAll
    void stop() {
        running.close();
        database.close();
    }

    @BeforeEach
    void connect() {
        client = new ClientConnection();
        other = new ClientConnection();
    }

    @AfterEach
    void disconnect() {
        node.close(client);
        node.close(other);
    }

    /** A tube that does not outlive the test; its name is the document's. */
    Tube tube(TubeDefinition definition) {
        return node.createTube(client, definition);
    }

    static PutOptions with() {
        return PutOptions.defaults();
    }

    static Task take(Tube tube) {
        return tube.take(Duration.ZERO).orElseThrow();
    }

    static Optional<TaskState> state(Tube tube, Task task) {
        return tube.peek(task.id()).map(Task::state);
    }

    /** Waits until a watched task has gone through these states, by itself. */
    static void passes(Tube tube, Task task, TaskState... states) {
        try (TaskWatch watch = tube.watch(task.id())) {
            for (TaskState state : states) {
                assertThat(watch.next(SOON)).contains(state);
            }
        }
    }

    /** Begins something on a thread of its own, and returns when that waits. */
    static <T> CompletableFuture<T> waiting(Supplier<T> something) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                result.complete(something.get());
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        });
        thread.start();
        Eventually.holds(
                () -> thread.getState() == Thread.State.TIMED_WAITING || result.isDone(), "a thread that waits");
        assertThat(result).isNotDone();
        return result;
    }

    static <T> T got(CompletableFuture<T> result) throws Exception {
        return result.get(SOON.toSeconds(), TimeUnit.SECONDS);
    }
}
