package org.tasktube.node.admin;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskNotFoundException;
import org.tasktube.TaskNotTakenException;
import org.tasktube.TaskTakenByAnotherException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeEvent;
import org.tasktube.admin.Operation;
import org.tasktube.admin.OperationAct;
import org.tasktube.admin.OperationPreview;
import org.tasktube.admin.OperationState;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskFilter;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The number of an act that a user confirms, that its row has, and that is done, while consumers work on the tube. */
@Tag("full")
class OperationNumbersTest {

    /** {@code -Doperations.acts=1000} runs more. */
    private static final int ACTS = Integer.getInteger("operations.acts", 100);

    private static final List<OperationAct> ALL = List.of(OperationAct.values());

    private final ClientConnection client = new ClientConnection();

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void the_number_that_is_confirmed_is_stored_and_never_exceeded_beside_consumers(int servers) {
        long seed = Long.getLong("operations.seed", System.nanoTime());
        System.out.println("-Doperations.seed=" + seed);
        Random random = new Random(seed);
        AtomicBoolean over = new AtomicBoolean();
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                RunningNode server = new RunningNode(database, "app-1");
                RunningNode other = servers == 1 ? server : new RunningNode(database, "app-2")) {
            Tube tube = server.newTube(client, TubeDefinition.FIFOTTL);
            AtomicInteger kicked = new AtomicInteger();
            tube.onTaskChange(change -> {
                if (change.event() == TubeEvent.KICK) {
                    kicked.incrementAndGet();
                }
            });
            long seedOfConsumer = random.nextLong();
            CompletableFuture<Void> consumer =
                    CompletableFuture.runAsync(() -> consume(other, tube.name(), new Random(seedOfConsumer), over));
            TaskAdmin admin = server.node().admin(client);
            for (int i = 0; i < ACTS; i++) {
                for (int n = random.nextInt(20); n >= 0; n--) {
                    tube.put("x", random.nextBoolean() ? PutOptions.defaults() : delayed());
                }
                act(admin, tube, random, kicked);
            }
            over.set(true);
            consumer.join();
        } finally {
            over.set(true);
        }
    }

    private static PutOptions delayed() {
        return PutOptions.defaults().delay(Duration.ofHours(1));
    }

    private static void act(TaskAdmin admin, Tube tube, Random random, AtomicInteger kicked) {
        OperationAct act = ALL.get(random.nextInt(ALL.size()));
        // One of the two is counted, and the other one is read
        TaskFilter filter = TaskFilter.parse("tube:" + tube.name() + (random.nextBoolean() ? "" : " attempts>=0"));
        OperationPreview preview = admin.previewOperation(act, filter);
        if (preview.size().tasks() == 0) {
            return;
        }
        int before = kicked.get();
        long id = admin.startOperation(act, filter, "anna", "test", preview.size())
                .id();
        Eventually.holds(() -> admin.operation(id).state().isEnded(), "its end");
        Operation ended = admin.operation(id);
        String what = act + " of " + preview.size() + ": " + ended;
        assertThat(ended.expected()).as(what).isEqualTo(preview.size());
        assertThat(ended.changed()).as(what).isLessThanOrEqualTo(preview.size().tasks());
        assertThat(ended.looked()).as(what).isGreaterThanOrEqualTo(ended.changed() + ended.skipped());
        if (ended.state() == OperationState.STOPPED) {
            assertThat(ended.changed()).as(what).isEqualTo(preview.size().tasks());
        } else {
            assertThat(ended.state()).as(what).isEqualTo(OperationState.DONE);
        }
        if (act == OperationAct.RETRY) {
            Eventually.holds(() -> kicked.get() - before == ended.changed(), "as many were kicked as it says: " + what);
        }
    }

    /** Acks, buries and releases what it takes, as beans do. */
    private static void consume(RunningNode server, String name, Random random, AtomicBoolean over) {
        Tube tube = server.node().tube(new ClientConnection(), name);
        while (!over.get()) {
            Optional<Task> taken = tube.take(Duration.ofMillis(20));
            if (taken.isPresent()) {
                end(tube, taken.get(), random.nextInt(4));
            }
        }
    }

    private static void end(Tube tube, Task task, int how) {
        try {
            if (how == 0) {
                tube.ack(task);
            } else if (how == 1) {
                tube.release(task);
            } else {
                tube.bury(task);
            }
        } catch (TaskNotTakenException | TaskTakenByAnotherException | TaskNotFoundException e) {
            // An operation that releases tasks was faster
            assertThat(e.getMessage()).contains(String.valueOf(task.id()));
        }
    }
}
