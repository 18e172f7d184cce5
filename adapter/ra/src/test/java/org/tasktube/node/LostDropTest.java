package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.StoreException;
import org.tasktube.TaskTubeException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeNotFoundException;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.ConnectionSource;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Proxies;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;
import org.tasktube.testing.UnreliableDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A drop that was done and whose answer was lost is a drop: soon the server knows that the tube is gone. */
@Tag("full")
@Timeout(60)
class LostDropTest {

    private static void lose(UnreliableDataSource line, Tube tube) {
        line.loseAnswerOf("DELETE FROM tasktube_tube");
        assertThatThrownBy(tube::drop).isInstanceOf(StoreException.class);
        assertThat(line.hasLost()).isTrue();
    }

    private static boolean isRefused(Runnable call) {
        try {
            call.run();
            return false;
        } catch (TubeNotFoundException e) {
            return true;
        } catch (TaskTubeException e) {
            // The lost connection may have the adapter WAITING for a moment
            return false;
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_temporary_tube_takes_no_tasks_any_more(TestDatabase kind) {
        try (HikariDataSource database = kind.create()) {
            UnreliableDataSource line = new UnreliableDataSource(database);
            try (RunningNode running = new RunningNode(line, "one").withTemporary()) {
                Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFO);
                lose(line, tube);
                assertThat(running.node().tubes()).isEmpty();
                Eventually.holds(() -> isRefused(() -> tube.put("x")), "the put is refused");
            }
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_take_from_a_tube_that_is_gone_fails(TestDatabase kind) {
        try (HikariDataSource database = kind.create()) {
            UnreliableDataSource line = new UnreliableDataSource(database);
            try (RunningNode running = new RunningNode(line, "one")) {
                Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFO);
                lose(line, tube);
                assertThat(running.node().tubes()).isEmpty();
                Eventually.holds(() -> isRefused(() -> tube.take(Duration.ofMillis(300))), "the take is refused");
            }
        }
    }

    /** All connections break with the one whose answer is lost, as at a failover. */
    @ParameterizedTest
    @DatabaseSource
    void a_temporary_tube_takes_no_tasks_after_all_connections_were_lost(TestDatabase kind) {
        try (HikariDataSource database = kind.create()) {
            AtomicInteger generation = new AtomicInteger();
            UnreliableDataSource[] line = new UnreliableDataSource[1];
            AtomicInteger armed = new AtomicInteger();
            ConnectionSource breaking = () -> {
                Connection real = database.getConnection();
                int born = generation.get();
                return Proxies.of(Connection.class, (method, arguments) -> {
                    String name = method.getName();
                    if (name.equals("close") && armed.get() == 1 && line[0].hasLost()) {
                        armed.set(2);
                        generation.incrementAndGet();
                    }
                    boolean broken = born < generation.get();
                    if (broken && name.equals("isValid")) {
                        return false;
                    }
                    if (broken && !name.equals("close") && !name.equals("isClosed")) {
                        throw new SQLException("the connection was lost", "08006");
                    }
                    return Proxies.call(real, method, arguments);
                });
            };
            line[0] = new UnreliableDataSource(breaking);
            try (RunningNode running = new RunningNode(line[0], "one").withTemporary()) {
                Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFO);
                line[0].loseAnswerOf("DELETE FROM tasktube_tube");
                armed.set(1);
                assertThatThrownBy(tube::drop).isInstanceOf(StoreException.class);
                assertThat(armed.get()).isEqualTo(2);
                Eventually.holds(() -> isRefused(() -> tube.put("x")), "the put is refused");
            }
        }
    }
}
