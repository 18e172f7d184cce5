package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeInUseException;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A drop that has found no TAKEN task waits for a take that commits then. */
@Timeout(60)
class DropBesideTakeTest {

    @ParameterizedTest
    @DatabaseSource
    void a_drop_is_refused_by_a_take_that_commits_while_it_waits(TestDatabase kind) throws Exception {
        dropBesideTake(kind, Tube::drop, true);
    }

    @ParameterizedTest
    @DatabaseSource
    void a_forced_drop_removes_a_task_whose_take_commits_while_it_waits(TestDatabase kind) throws Exception {
        dropBesideTake(kind, Tube::dropForcibly, false);
    }

    private interface Drop {
        void of(Tube tube);
    }

    private static void dropBesideTake(TestDatabase kind, Drop drop, boolean isRefused) throws Exception {
        CountDownLatch drops = new CountDownLatch(1);
        try (HikariDataSource database = kind.create();
                AgroalDataSource pool = Jta.pool(database);
                RunningNode running = new RunningNode(
                        HookedDataSource.of(pool, sql -> {
                            if (sql.contains("DELETE FROM tasktube_task WHERE")) {
                                drops.countDown();
                            }
                        }),
                        Jta.TRANSACTIONS,
                        "one")) {
            ClientConnection client = new ClientConnection();
            Tube tube = running.newTube(client, TubeDefinition.FIFO);
            Task put = tube.put("a");
            Jta.MANAGER.begin();
            Task task = tube.take(Duration.ZERO).orElseThrow();
            Tube other = running.node().tube(new ClientConnection(), tube.name());
            CompletableFuture<Void> dropped = CompletableFuture.runAsync(() -> drop.of(other));
            assertThat(drops.await(60, TimeUnit.SECONDS)).isTrue();
            Jta.MANAGER.commit();
            if (isRefused) {
                assertThatThrownBy(dropped::join).hasCauseInstanceOf(TubeInUseException.class);
                assertThat(tube.peek(put.id()).orElseThrow().state()).isEqualTo(TaskState.TAKEN);
                tube.ack(task);
                other.drop();
            } else {
                dropped.join();
            }
            assertThat(running.node().tubes()).extracting(TubeDefinition::name).doesNotContain(tube.name());
        }
    }
}
