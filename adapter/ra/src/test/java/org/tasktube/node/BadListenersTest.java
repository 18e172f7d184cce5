package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.AdapterState;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeEvent;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.Transactions;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Jta;
import org.tasktube.testing.Outage;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A listener of one application ends nothing of the adapter, and holds up nothing of others, whatever it does. */
@Tag("full")
@Timeout(90)
class BadListenersTest {

    private static final PutOptions SOON = PutOptions.defaults().delay(Duration.ofMillis(50));

    private final CountDownLatch release = new CountDownLatch(1);
    private final CountDownLatch called = new CountDownLatch(1);

    @AfterEach
    void release() {
        release.countDown();
    }

    private static RunningNode server(javax.sql.DataSource database, Transactions transactions) {
        return new RunningNode(database, transactions, "one");
    }

    private static Tube tube(RunningNode server) {
        return server.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
    }

    private void block() {
        called.countDown();
        boolean interrupted = false;
        while (release.getCount() > 0) {
            try {
                release.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void blockAtDelay(Tube tube) throws Exception {
        tube.onTaskChange(change -> {
            if (change.event() == TubeEvent.DELAY) {
                block();
            }
        });
        tube.put("blocks", SOON);
        assertThat(called.await(60, TimeUnit.SECONDS)).isTrue();
    }

    private static TaskState state(Tube tube, Task task) {
        return tube.peek(task.id()).orElseThrow().state();
    }

    @Test
    void a_listener_that_blocks_keeps_the_adapter_from_no_return_after_an_outage() throws Exception {
        try (HikariDataSource database = TestDatabase.H2.create()) {
            Outage outage = new Outage(database);
            try (RunningNode server = server(outage.source(), Transactions.NONE)) {
                blockAtDelay(tube(server));
                outage.begin(true);
                // The adapter's own connections are not the pool's any more: they have to be lost as well
                database.getHikariPoolMXBean().softEvictConnections();
                closeOwn(server);
                server.awaitState(AdapterState.WAITING);
                outage.begin(false);
                server.awaitState(AdapterState.RUNNING);
            }
        }
    }

    /** As a heartbeat that fails twice. */
    private static void closeOwn(RunningNode server) {
        StoreConnector connector = server.node().connector();
        connector.failed(connector.registration(), "an outage");
    }

    @Test
    void a_listener_that_blocks_holds_up_no_waiter_of_another_listened_tube() throws Exception {
        try (HikariDataSource database = TestDatabase.H2.create();
                RunningNode server = server(database, Transactions.NONE)) {
            blockAtDelay(tube(server));
            Tube other = server.withTemporary().newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            other.onTaskChange(change -> {});
            other.put("soon", SOON);
            long start = System.nanoTime();
            assertThat(other.take(Duration.ofMinutes(2))).isPresent();
            // At the end of its time each take tries once more
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
        }
    }

    @Test
    void a_listener_that_leaves_an_interrupt_keeps_the_adapter_from_no_return_after_an_outage() throws Exception {
        try (HikariDataSource database = TestDatabase.H2.create();
                RunningNode server = server(database, Transactions.NONE)) {
            Tube tube = tube(server);
            tube.onTaskChange(change -> {
                if (change.event() == TubeEvent.DELAY) {
                    called.countDown();
                    Thread.currentThread().interrupt();
                }
            });
            tube.put("a", SOON);
            assertThat(called.await(60, TimeUnit.SECONDS)).isTrue();
            AtomicInteger notified = new AtomicInteger();
            tube.onTaskChange(change -> notified.addAndGet(change.event() == TubeEvent.DELAY ? 1 : 0));
            tube.put("b", SOON);
            Eventually.holds(() -> notified.get() > 0, "the listener is notified of later changes");
            closeOwn(server);
            server.awaitState(AdapterState.RUNNING);
        }
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void a_listener_that_leaves_an_interrupt_fails_no_later_call_of_its_caller(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode server = server(database, Transactions.NONE)) {
            Tube tube = tube(server);
            tube.onTaskChange(change -> Thread.currentThread().interrupt());
            tube.put("a");
            assertThat(Thread.interrupted()).as("an interrupt after the put").isFalse();
            assertThat(tube.take(Duration.ZERO)).isPresent();
            assertThat(tube.take(Duration.ZERO)).as("a take that finds nothing").isEmpty();
            assertThat(Thread.interrupted()).as("an interrupt after the takes").isFalse();
        } finally {
            Thread.interrupted();
        }
    }

    @Test
    void an_interrupt_of_the_caller_outlives_a_listener_that_clears_it() throws Exception {
        try (HikariDataSource database = TestDatabase.H2.create();
                AgroalDataSource pool = Jta.pool(database);
                RunningNode server = server(pool, Jta.TRANSACTIONS)) {
            Tube tube = tube(server);
            tube.onTaskChange(change -> {
                called.countDown();
                Thread.interrupted();
            });
            Jta.MANAGER.begin();
            tube.put("a");
            // From here on no pool has to wait for a connection, which an interrupt would end
            Thread.currentThread().interrupt();
            Jta.MANAGER.commit();
            assertThat(Thread.interrupted()).as("the caller's interrupt").isTrue();
            assertThat(called.getCount()).isZero();
        } finally {
            Thread.interrupted();
        }
    }

    @Test
    void a_listener_that_blocks_at_the_end_of_a_session_holds_up_no_deadline() throws Exception {
        try (HikariDataSource database = TestDatabase.H2.create();
                AgroalDataSource pool = Jta.pool(database);
                RunningNode server = server(pool, Jta.TRANSACTIONS)) {
            Tube listened = tube(server);
            Tube other = tube(server);
            listened.onTaskChange(change -> {
                if (change.event() == TubeEvent.RELEASED_BY_SESSION) {
                    block();
                }
            });
            takeAndCloseInTransaction(server, listened);
            assertThat(called.await(60, TimeUnit.SECONDS)).isTrue();
            Task delayed = other.put("soon", SOON);
            Eventually.holds(() -> state(other, delayed) == TaskState.READY, "its delay is over");
        }
    }

    @Test
    void a_listener_that_leaves_an_interrupt_at_the_end_of_a_session_ends_no_adapter() throws Exception {
        try (HikariDataSource database = TestDatabase.H2.create();
                AgroalDataSource pool = Jta.pool(database);
                RunningNode server = server(pool, Jta.TRANSACTIONS)) {
            Tube listened = tube(server);
            Tube other = tube(server);
            listened.onTaskChange(change -> {
                if (change.event() == TubeEvent.RELEASED_BY_SESSION) {
                    called.countDown();
                    Thread.currentThread().interrupt();
                }
            });
            takeAndCloseInTransaction(server, listened);
            assertThat(called.await(60, TimeUnit.SECONDS)).isTrue();
            server.awaitState(AdapterState.RUNNING);
            Task delayed = other.put("soon", SOON);
            Eventually.holds(() -> state(other, delayed) == TaskState.READY, "its delay is over");
        }
    }

    private static void takeAndCloseInTransaction(RunningNode server, Tube tube) throws Exception {
        tube.put("held");
        ClientConnection client = new ClientConnection();
        Jta.MANAGER.begin();
        assertThat(server.node().tube(client, tube.name()).take(Duration.ZERO)).isPresent();
        server.node().close(client);
        Jta.MANAGER.commit();
    }

    @Test
    void a_listener_that_sweeps_does_not_wait_for_itself() throws Exception {
        try (HikariDataSource database = TestDatabase.H2.create();
                RunningNode server = server(database, Transactions.NONE)) {
            Tube tube = tube(server);
            AtomicReference<Duration> sweep = new AtomicReference<>();
            tube.onTaskChange(change -> {
                if (change.event() == TubeEvent.DELAY) {
                    long start = System.nanoTime();
                    server.node().sweep();
                    sweep.set(Duration.ofNanos(System.nanoTime() - start));
                }
            });
            tube.put("soon", SOON);
            Eventually.holds(() -> sweep.get() != null, "the sweep has returned");
            assertThat(sweep.get()).isLessThan(Duration.ofSeconds(4));
        }
    }
}
