package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import jakarta.transaction.Transaction;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.History;
import org.tasktube.OnConflict;
import org.tasktube.PutOptions;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeEvent;
import org.tasktube.TubeMode;
import org.tasktube.admin.TubeChange;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * A call while another transaction has a row that it needs. If that is the caller's outer transaction, as with
 * REQUIRES_NEW, neither can end first: the inner call answers without it, or fails after some seconds and says why.
 */
@Tag("full")
@Timeout(60)
class KeyInTwoTransactionsTest {

    private interface Work {
        void of(RunningNode running, Tube tube) throws Exception;
    }

    private static void with(TestDatabase kind, TubeDefinition definition, Work work) throws Exception {
        try (HikariDataSource database = kind.create();
                AgroalDataSource pool = Jta.pool(database);
                RunningNode running = new RunningNode(pool, Jta.TRANSACTIONS, "one")) {
            work.of(running, running.node().createTube(new ClientConnection(), definition));
        }
    }

    /** Runs a call in a transaction of its own, while that of another work is suspended. The latter commits then. */
    private static void beside(Runnable outer, ThrowingCallable inner) throws Throwable {
        Jta.MANAGER.begin();
        outer.run();
        Transaction open = Jta.MANAGER.suspend();
        Jta.MANAGER.begin();
        try {
            inner.call();
        } finally {
            Jta.MANAGER.rollback();
            Jta.MANAGER.resume(open);
            Jta.MANAGER.commit();
        }
    }

    private static TubeDefinition fifo() {
        return TubeDefinition.fifo(RunningNode.newName());
    }

    private static Task put(Tube tube, String data, OnConflict onConflict) {
        return tube.putUnique("key", data, PutOptions.defaults(), onConflict);
    }

    @ParameterizedTest
    @DatabaseSource
    void a_put_waits_for_the_outer_transaction_for_seconds_and_says_so(TestDatabase kind) throws Exception {
        with(kind, fifo(), (running, tube) -> {
            waits(() -> put(tube, "outer", OnConflict.KEEP), () -> put(tube, "inner", OnConflict.KEEP));
            assertThat(tube.statistics().ready()).isEqualTo(1);
        });
    }

    private static void waits(Runnable outer, ThrowingCallable inner) throws Exception {
        try {
            beside(outer, () -> assertThatThrownBy(inner)
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("unique key 'key'")
                    .hasMessageContaining("REQUIRES_NEW"));
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_put_that_finds_its_key_takes_no_slot_from_others(TestDatabase kind) throws Exception {
        with(kind, TubeDefinition.limfifottl(RunningNode.newName(), 2), (running, tube) -> {
            put(tube, "there", OnConflict.KEEP);
            Jta.MANAGER.begin();
            put(tube, "again", OnConflict.KEEP);
            Transaction open = Jta.MANAGER.suspend();
            assertThat(tube.put("another").text()).isEqualTo("another");
            Jta.MANAGER.resume(open);
            Jta.MANAGER.rollback();
        });
    }

    @ParameterizedTest
    @DatabaseSource
    void a_put_finds_the_task_of_its_key_while_another_transaction_takes_it(TestDatabase kind) throws Exception {
        with(kind, fifo(), (running, tube) -> {
            Task there = put(tube, "there", OnConflict.KEEP);
            Jta.MANAGER.begin();
            Task taken = tube.take(Duration.ZERO).orElseThrow();
            Transaction open = Jta.MANAGER.suspend();
            long begun = System.nanoTime();
            Task kept = put(tube, "again", OnConflict.KEEP);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(8));
            assertThat(kept.id()).isEqualTo(there.id());
            assertThat(kept.state()).isEqualTo(TaskState.READY);
            Jta.MANAGER.resume(open);
            Jta.MANAGER.commit();
            tube.ack(taken);
        });
    }

    @ParameterizedTest
    @DatabaseSource
    void a_replacement_waits_for_a_transaction_that_takes_the_task_for_seconds_and_says_so(TestDatabase kind)
            throws Exception {
        with(kind, TubeDefinition.limfifottl(RunningNode.newName(), 2), (running, tube) -> {
            put(tube, "there", OnConflict.KEEP);
            waits(() -> tube.take(Duration.ZERO), () -> put(tube, "new", OnConflict.REPLACE));
            assertThat(tube.tasks(TaskState.TAKEN, 0, 9)).extracting(Task::text).containsExactly("there");
        });
    }

    /** Each on a thread of its own, so that the test waits once. */
    @ParameterizedTest
    @DatabaseSource
    void a_change_of_a_tube_waits_for_a_transaction_that_changes_it_for_seconds_and_says_so(TestDatabase kind)
            throws Exception {
        with(kind, fifo(), (running, tube) -> {
            Jta.MANAGER.begin();
            tube.pause("held");
            Transaction open = Jta.MANAGER.suspend();
            List<CompletableFuture<Void>> calls = Stream.<Runnable>of(
                            () -> tube.pause("again"), () -> tube.drain("moves"), tube::drop, () -> running.node()
                                    .admin(new ClientConnection())
                                    .changeTube(tube.name(), TubeChange.NONE.history(History.ALL)))
                    .map(CompletableFuture::runAsync)
                    .toList();
            for (CompletableFuture<Void> call : calls) {
                assertThatThrownBy(call::join)
                        .hasCauseInstanceOf(StoreException.class)
                        .hasMessageContaining("tube '" + tube.name() + "' was left as it is");
            }
            Jta.MANAGER.resume(open);
            Jta.MANAGER.commit();
            assertThat(tube.statistics().mode()).isEqualTo(TubeMode.PAUSED);
        });
    }

    @ParameterizedTest
    @DatabaseSource
    void a_replacement_whose_task_is_acked_at_once_is_put_once(TestDatabase kind) throws Exception {
        with(kind, fifo(), (running, tube) -> replaceAndAck(running, tube));
        with(kind, fifo().asTemporary(), (running, tube) -> replaceAndAck(running, tube));
    }

    /** The listener runs between the commit of the replacement and the return of its call. */
    private static void replaceAndAck(RunningNode running, Tube tube) {
        Task there = put(tube, "old", OnConflict.KEEP);
        Tube consumer = running.node().tube(new ClientConnection(), tube.name());
        consumer.onTaskChange(change -> {
            if (change.event() == TubeEvent.PUT) {
                consumer.ack(consumer.take(Duration.ZERO).orElseThrow());
            }
        });
        Task replaced = put(tube, "new", OnConflict.REPLACE);
        consumer.onTaskChange(null);
        assertThat(replaced.id()).isEqualTo(there.id());
        assertThat(replaced.text()).isEqualTo("new");
        assertThat(tube.statistics().total()).isZero();
    }
}
