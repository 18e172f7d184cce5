package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.ConnectionSource;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Jta;
import org.tasktube.testing.Proxies;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A StackOverflowError strikes in the driver, after it has sent a statement. */
@Tag("full")
class ErrorInStatementTest {

    private static final int OVERFLOWS = 30;

    /** The server's own threads send statements meanwhile. */
    private final Thread caller = Thread.currentThread();

    private final AtomicBoolean strikes = new AtomicBoolean();
    private final AtomicInteger aborted = new AtomicInteger();
    private final AtomicInteger rolledBack = new AtomicInteger();

    @ParameterizedTest
    @DatabaseSource
    void its_connection_is_aborted_and_never_used_again(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create();
                RunningNode running = new RunningNode(struck(database), "one")) {
            ClientConnection client = new ClientConnection();
            for (String type : new String[] {TubeDefinition.FIFO, TubeDefinition.UTUBE}) {
                Tube tube = running.newTube(client, type);
                strikes.set(true);
                assertThatThrownBy(() -> tube.put("lost", options(type))).isInstanceOf(StackOverflowError.class);
                assertThat(aborted.getAndSet(0)).isOne();
                if (kind == TestDatabase.POSTGRESQL) {
                    assertThat(rolledBack)
                            .as("asked of a connection whose answers are of another statement")
                            .hasValue(0);
                }
                assertThat(tube.put("next", options(type)).text()).isEqualTo("next");
            }
        }
    }

    /** An aborted connection is no longer the transaction's, and H2's stays, for the transaction manager to roll back. */
    @ParameterizedTest
    @DatabaseSource
    void in_the_transaction_of_the_caller_all_of_that_is_rolled_back(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create();
                AgroalDataSource pool = Jta.pool(database);
                RunningNode running = new RunningNode(struck(pool), Jta.TRANSACTIONS, "one")) {
            Tube tube = running.newTube(new ClientConnection(), TubeDefinition.UTUBE);
            Jta.MANAGER.begin();
            tube.put("before", PutOptions.defaults().utube("u"));
            strikes.set(true);
            assertThatThrownBy(() -> tube.put("lost", PutOptions.defaults().utube("u")))
                    .isInstanceOf(StackOverflowError.class);
            assertThat(Jta.commits()).isFalse();
            assertThat(tube.put("next", PutOptions.defaults().utube("u")).text())
                    .isEqualTo("next");
            assertThat(tube.take(Duration.ZERO).orElseThrow().text()).isEqualTo("next");
        }
    }

    /** Each thread calls at each seventh depth of its stack until that is used up, where an Error can strike anywhere. */
    @ParameterizedTest
    @DatabaseSource
    void an_overflow_of_the_stack_leaves_the_connections_of_others_whole(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create();
                RunningNode running = new RunningNode(database, "one")) {
            ClientConnection client = new ClientConnection();
            Tube tube = running.newTube(client, TubeDefinition.FIFO);
            Task there = tube.put("there");
            AtomicInteger overflows = new AtomicInteger();
            for (int i = 0; i < OVERFLOWS; i++) {
                Runnable call = i % 2 == 0 ? () -> tube.put("deep") : () -> tube.peek(there.id());
                Thread deep = new Thread(null, () -> overflow(call, overflows), "deep", 180_000 + i * 997L);
                deep.start();
                deep.join();
                assertThat(tube.put("next").text()).isEqualTo("next");
                assertThat(tube.peek(there.id()).orElseThrow().text()).isEqualTo("there");
            }
            assertThat(overflows).hasValue(OVERFLOWS);
        }
    }

    private static void overflow(Runnable call, AtomicInteger overflows) {
        try {
            deeper(1, call);
        } catch (StackOverflowError e) {
            overflows.incrementAndGet();
        }
    }

    private static int deeper(int depth, Runnable call) {
        if (depth % 7 == 0) {
            call.run();
        }
        return depth == Integer.MAX_VALUE ? 0 : deeper(depth + 1, call) + 1;
    }

    private static PutOptions options(String type) {
        return type.equals(TubeDefinition.UTUBE) ? PutOptions.defaults().utube("u") : PutOptions.defaults();
    }

    private DataSource struck(DataSource real) {
        return (ConnectionSource) () -> {
            Connection connection = real.getConnection();
            AtomicBoolean struck = new AtomicBoolean();
            return Proxies.of(Connection.class, (method, arguments) -> {
                if (method.getName().equals("abort")) {
                    aborted.incrementAndGet();
                } else if (method.getName().equals("rollback") && struck.get()) {
                    rolledBack.incrementAndGet();
                }
                Object result = Proxies.call(connection, method, arguments);
                return result instanceof PreparedStatement statement && isPut(arguments)
                        ? striking(statement, struck)
                        : result;
            });
        };
    }

    private static boolean isPut(Object[] arguments) {
        return arguments[0].toString().contains("INSERT INTO")
                && arguments[0].toString().contains("tasktube_task ");
    }

    private PreparedStatement striking(PreparedStatement statement, AtomicBoolean struck) {
        return Proxies.of(PreparedStatement.class, (method, arguments) -> {
            Object result = Proxies.call(statement, method, arguments);
            boolean mine = Thread.currentThread() == caller && method.getName().startsWith("execute");
            if (mine && strikes.compareAndSet(true, false)) {
                struck.set(true);
                throw new StackOverflowError("of the test");
            }
            return result;
        });
    }
}
