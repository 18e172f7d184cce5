package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.AdapterState;
import org.tasktube.History;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskTubeException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.Operation;
import org.tasktube.admin.OperationAct;
import org.tasktube.admin.OperationState;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskEvent;
import org.tasktube.admin.TaskFilter;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Outage;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The database was away for so long that the adapter has opened its store anew. */
@Tag("full")
@Timeout(120)
class AfterOutageTest {

    private static final int TASKS = 1_200;

    private final ClientConnection connection = new ClientConnection();

    private static void isAwayForLong(Outage outage, RunningNode server) {
        outage.begin(true);
        server.awaitState(AdapterState.WAITING);
        Eventually.holds(() -> server.node().parts().access().own() == null, "the store is closed");
        outage.begin(false);
        server.awaitState(AdapterState.RUNNING);
    }

    @ParameterizedTest
    @DatabaseSource
    void an_act_on_many_tasks_goes_on(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create()) {
            Outage outage = new Outage(database);
            try (RunningNode server = new RunningNode(outage.source(), "app-1")) {
                Tube tube = server.newTube(connection, TubeDefinition.FIFOTTL);
                List<String> data =
                        IntStream.range(0, TASKS / 2).mapToObj(String::valueOf).toList();
                tube.putAll(data, PutOptions.defaults());
                tube.putAll(data, PutOptions.defaults());
                CountDownLatch firstBatch = new CountDownLatch(1);
                CountDownLatch goOn = new CountDownLatch(1);
                tube.onTaskChange(change -> {
                    firstBatch.countDown();
                    await(goOn);
                });
                TaskAdmin admin = server.node().admin(connection);
                long id = OperationStart.of(
                                admin, OperationAct.BURY, TaskFilter.parse("tube:" + tube.name()), "anna", "test")
                        .id();
                await(firstBatch);
                isAwayForLong(outage, server);
                goOn.countDown();
                Eventually.holds(() -> hasEnded(admin, id), "the end of the operation");
                Operation ended = admin.operation(id);
                assertThat(ended.error()).isEmpty();
                assertThat(ended.state()).isEqualTo(OperationState.DONE);
                assertThat(ended.changed()).isEqualTo(TASKS);
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean hasEnded(TaskAdmin admin, long id) {
        try {
            return admin.operation(id).state().isEnded();
        } catch (TaskTubeException e) {
            return false;
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void moves_in_histories_name_the_server(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create()) {
            Outage outage = new Outage(database);
            try (RunningNode server = new RunningNode(outage.source(), "app-1")) {
                TubeDefinition definition =
                        TubeDefinition.fifottl(RunningNode.newName()).history(History.ALL);
                Tube tube = server.node().createTube(connection, definition);
                isAwayForLong(outage, server);
                Task task = tube.put("a");
                tube.ack(tube.take(Duration.ZERO).orElseThrow());
                assertThat(server.node()
                                .admin(connection)
                                .history(tube.name(), task.id(), Optional.empty(), 10)
                                .events())
                        .hasSize(3)
                        .extracting(TaskEvent::server)
                        .containsOnly(Optional.of("app-1"));
            }
        }
    }
}
