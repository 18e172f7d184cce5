package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.AdapterState;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.ConnectionSource;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.Jta;
import org.tasktube.testing.Proxies;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A call is done in full with all its effects, or its transaction does not commit. */
@Timeout(60)
class HalfDoneCallTest {

    /** The adapter finds that its database is away between the change of a call and the read of the changed tasks. */
    @ParameterizedTest
    @DatabaseSource
    void a_kick_in_a_tube_with_a_listener(TestDatabase kind) throws Exception {
        AtomicReference<Runnable> halt = new AtomicReference<>();
        AtomicBoolean armed = new AtomicBoolean();
        try (HikariDataSource database = kind.create();
                AgroalDataSource pool = Jta.pool(database);
                RunningNode running = new RunningNode(
                        HookedDataSource.of(pool, sql -> {
                            if (sql.contains("UPDATE tasktube_task")
                                    && sql.contains("state = 'r'")
                                    && Thread.currentThread().getName().equals("caller")
                                    && armed.compareAndSet(true, false)) {
                                halt.get().run();
                            }
                        }),
                        Jta.TRANSACTIONS,
                        "one")) {
            Thread.currentThread().setName("caller");
            Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFO);
            tube.onTaskChange(change -> {});
            tube.put("a");
            Task task = tube.take(Duration.ZERO).orElseThrow();
            tube.bury(task);
            halt.set(() -> running.node().parts().access().enter(AdapterState.WAITING, "gone"));
            armed.set(true);
            Jta.MANAGER.begin();
            assertThat(tube.kick(1)).isEqualTo(1);
            running.node().parts().access().enter(AdapterState.RUNNING, "");
            assertThat(Jta.commits()).isTrue();
            assertThat(tube.peek(task.id()).orElseThrow().state()).isEqualTo(TaskState.READY);
            assertThat(tube.statistics().buried()).isZero();
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_put_whose_connection_cannot_be_closed(TestDatabase kind) throws Exception {
        AtomicBoolean armed = new AtomicBoolean();
        Thread caller = Thread.currentThread();
        try (HikariDataSource database = kind.create();
                AgroalDataSource pool = Jta.pool(database)) {
            ConnectionSource source = () -> {
                Connection real = pool.getConnection();
                return Proxies.of(Connection.class, (method, arguments) -> {
                    Object result = Proxies.call(real, method, arguments);
                    if (method.getName().equals("close")
                            && Thread.currentThread() == caller
                            && armed.compareAndSet(true, false)) {
                        throw new SQLException("close failed", "08006");
                    }
                    return result;
                });
            };
            try (RunningNode running = new RunningNode(source, Jta.TRANSACTIONS, "one")) {
                Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFO);
                armed.set(true);
                Jta.MANAGER.begin();
                assertThatThrownBy(() -> tube.put("a")).isInstanceOf(StoreException.class);
                boolean committed = Jta.commits();
                running.awaitState(AdapterState.RUNNING);
                assertThat(tube.tasks(TaskState.READY, 0, 10).size())
                        .as("committed " + committed)
                        .isZero();
            }
        }
    }
}
