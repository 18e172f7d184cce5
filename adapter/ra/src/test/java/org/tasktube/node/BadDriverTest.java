package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.Transactions;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A driver whose module was redeployed: its old connections fail by Errors, whatever they are asked; new ones work. */
@Timeout(90)
class BadDriverTest {

    private final AtomicInteger generation = new AtomicInteger();

    private DataSource redeployable(DataSource real) {
        return proxy(DataSource.class, real, () -> {});
    }

    private <T> T proxy(Class<T> type, Object real, Runnable check) {
        return type.cast(Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (!method.getName().equals("close")) {
                        check.run();
                    }
                    try {
                        Object result = method.invoke(real, arguments);
                        return result instanceof Connection ? proxy(Connection.class, result, check()) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private Runnable check() {
        int mine = generation.get();
        return () -> {
            if (mine != generation.get()) {
                throw new NoClassDefFoundError("of a driver that was redeployed");
            }
        };
    }

    private static String seenAt(HikariDataSource database) {
        try (Connection reading = database.getConnection();
                Statement on = reading.createStatement();
                var row = on.executeQuery("SELECT seen_at FROM tasktube_node")) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void heartbeats_and_deadlines_continue_by_new_connections_when_old_ones_fail_by_errors() {
        try (HikariDataSource database = TestDatabase.H2.create();
                RunningNode server = new RunningNode(redeployable(database), "one")) {
            Tube tube = server.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            generation.incrementAndGet();
            String before = seenAt(database);
            Task task = tube.put("soon", PutOptions.defaults().delay(Duration.ofMillis(50)));
            Eventually.holds(() -> tube.peek(task.id()).orElseThrow().state() == TaskState.READY, "its delay is over");
            Eventually.holds(() -> !seenAt(database).equals(before), "heartbeats go on");
        }
    }

    /** The next heartbeat of its own would be in minutes. */
    @Test
    void a_statement_that_fails_by_an_error_makes_the_adapter_check_the_database() {
        AtomicBoolean bad = new AtomicBoolean();
        Thread caller = Thread.currentThread();
        try (HikariDataSource database = TestDatabase.H2.create();
                RunningNode server = new RunningNode(
                        HookedDataSource.of(database, sql -> {
                            if (Thread.currentThread() == caller && bad.getAndSet(false)) {
                                throw new NoClassDefFoundError("of a driver that was redeployed");
                            }
                        }),
                        Transactions.NONE,
                        new Settings("one", 1 << 20, Duration.ofMinutes(1), Duration.ofMinutes(30), Duration.ZERO))) {
            Tube tube = server.newTube(new ClientConnection(), TubeDefinition.FIFO);
            String before = seenAt(database);
            bad.set(true);
            assertThatThrownBy(() -> tube.put("a")).isInstanceOf(NoClassDefFoundError.class);
            Eventually.holds(() -> !seenAt(database).equals(before), "a heartbeat");
        }
    }
}
