package org.tasktube.store.memory;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskMeta;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.TransactionNotActiveException;
import org.tasktube.TubeDefinition;
import org.tasktube.spi.Position;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.Holder;
import org.tasktube.store.NewTask;
import org.tasktube.store.OrderKey;
import org.tasktube.store.Put;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Sweep;
import org.tasktube.store.TubeCount;
import org.tasktube.testing.Calls;
import org.tasktube.testing.ManualTransactions;
import org.tasktube.testing.ManualTransactions.Transaction;
import org.tasktube.testing.TaskToPut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What temporary tubes promise beyond the rules of every store: transactions without a database, and bounds of
 * memory.
 */
@Timeout(60)
class MemoryTaskStoreTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int MAX_TASKS = 1_000;
    private static final long MAX_BYTES = 4_000_000;

    private final ManualTransactions transactions = new ManualTransactions();
    private final Holder holder = new Holder(UUID.randomUUID(), 1);
    private final StoredTube tube =
            new StoredTube(1, TubeDefinition.fifottl("a").asTemporary(), false);
    private final StoredTube subQueues =
            new StoredTube(2, TubeDefinition.utubettl("u").asTemporary(), true);
    private final StoredTube limited =
            new StoredTube(3, TubeDefinition.limfifottl("l", 2).asTemporary(), false);

    private Instant now = Instant.parse("2030-01-01T00:00:00.123Z");
    private MemoryTaskStore store;

    @BeforeEach
    void open() {
        store = new MemoryTaskStore(transactions, MAX_TASKS, MAX_BYTES, () -> now);
    }

    private static NewTask task(String text) {
        return TaskToPut.of(text).build();
    }

    private static NewTask inSubQueue(String utube, int pri, Position position) {
        return TaskToPut.of(utube).utube(utube).pri(pri).at(position).build();
    }

    private static NewTask living(Duration ttl, Duration ttr) {
        return TaskToPut.of("x").ttl(ttl).ttr(ttr).build();
    }

    private long put(StoredTube to, NewTask task) {
        Put put = store.put(to, List.of(task));
        assertThat(put.outcome()).isEqualTo(Put.Outcome.DONE);
        return put.id();
    }

    private long put(String text) {
        return put(tube, task(text));
    }

    private List<Task> claim(StoredTube from, int max) {
        return store.claim(from, holder, OrderKey.START, max).stream()
                .map(ClaimedTask::task)
                .toList();
    }

    private Task take(StoredTube from) {
        return claim(from, 1).get(0);
    }

    private List<Long> claimIds(StoredTube from, int max) {
        return claim(from, max).stream().map(Task::id).toList();
    }

    private Transaction open(Supplier<?> work) {
        Transaction opened = transactions.begin();
        assertThat(work.get()).isNotNull();
        transactions.suspend();
        return opened;
    }

    private TaskMeta meta(StoredTube of, long id) {
        return store.reads().meta(of, id).orElseThrow();
    }

    @Test
    void a_task_whose_ttl_is_over_keeps_no_other_one_from_its_key() {
        NewTask task = TaskToPut.of("x").uniqueKey("key").ttl(SECOND).build();
        long over = put(tube, task);
        assertThat(store.put(tube, List.of(task)).id()).isEqualTo(over);
        now = now.plus(SECOND);
        assertThat(put(tube, task)).isNotEqualTo(over);
    }

    // Who sees what

    /** A database shows the first one in its order, whatever others are doing with it. */
    @Test
    void the_first_task_is_one_that_no_other_transaction_has_changed() {
        put("1");
        long second = put("2");
        long third = put("3");
        Transaction other = open(() -> claim(tube, 1));
        Transaction burying = open(() -> Calls.buryUnheld(store, tube, second, TaskState.READY));
        assertThat(store.reads().first(tube, TaskState.READY).orElseThrow().id())
                .isEqualTo(third);
        transactions.rollback(other);
        transactions.rollback(burying);
    }

    // Waiting

    @Test
    void a_put_of_a_key_waits_for_the_transaction_that_removes_it() throws Exception {
        NewTask keyed = TaskToPut.of("k").uniqueKey("k").build();
        long id = put(tube, keyed);
        Transaction removing = open(() -> Calls.delete(store, tube, id));
        CompletableFuture<Put> next = CompletableFuture.supplyAsync(() -> store.put(tube, List.of(keyed)));
        assertThatThrownBy(() -> next.get(100, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        transactions.commit(removing);
        assertThat(next.get().outcome()).isEqualTo(Put.Outcome.DONE);
    }

    @Test
    @Tag("full")
    void a_wait_that_times_out_names_its_task_and_has_changed_nothing() {
        put("x");
        long other = put("y");
        List<Task> held = claim(tube, 2);
        Transaction open = open(() -> Calls.ack(store, tube, holder, held.get(0)));
        assertThatThrownBy(() -> Calls.ackAll(store, tube, holder, held))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("task " + held.get(0).id())
                .hasMessageContaining("5");
        assertThat(meta(tube, other).state()).isEqualTo(TaskState.TAKEN);
        transactions.rollback(open);
        assertThat(Calls.ackAll(store, tube, holder, held)).isTrue();
    }

    @Test
    void a_call_in_a_transaction_that_another_thread_rolled_back_fails() {
        transactions.begin();
        long id = put("x");
        Transaction timedOut = transactions.suspend();
        transactions.rollback(timedOut);
        transactions.resume(timedOut);
        assertThatThrownBy(() -> store.put(tube, List.of(task("y")))).isInstanceOf(TransactionNotActiveException.class);
        transactions.suspend();
        assertThat(store.reads().find(tube, id)).isEmpty();
        assertThat(store.reads().counts()).isEmpty();
    }

    // Bounds

    @Test
    void a_slot_that_an_open_transaction_has_taken_is_not_shown_as_free() {
        put(limited, task("1"));
        Transaction putting = open(() -> put(limited, task("2")));
        assertThat(store.poll(List.of(), List.of(3)).free()).isEmpty();
        transactions.rollback(putting);
        assertThat(store.poll(List.of(), List.of(3)).free()).containsExactly(3);
    }

    @Test
    void all_tubes_share_a_number_of_tasks() {
        List<NewTask> all =
                IntStream.range(0, MAX_TASKS).mapToObj(i -> task("x")).toList();
        assertThat(store.put(tube, all).outcome()).isEqualTo(Put.Outcome.DONE);
        assertThat(store.put(subQueues, List.of(task("x")))).isEqualTo(Put.FULL);
        assertThat(Calls.truncate(store, tube)).containsExactly(new TubeCount(1, TaskState.READY, MAX_TASKS));
        put(subQueues, task("x"));
    }

    @Test
    void all_tubes_share_their_bytes_and_a_result_that_does_not_fit_changes_nothing() {
        String half = "x".repeat((int) MAX_BYTES / 2);
        put(tube, task(half));
        Task held = take(tube);
        assertThatThrownBy(() -> Calls.done(store, tube, holder, held, TaskResult.completed(half)))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("temporaryMaxBytes");
        assertThat(meta(tube, held.id()).state()).isEqualTo(TaskState.TAKEN);
        assertThat(store.put(subQueues, List.of(task(half)))).isEqualTo(Put.FULL);
        assertThat(Calls.ack(store, tube, holder, held)).isTrue();
        put(subQueues, task(half));
    }

    @Test
    void headers_count_among_the_bytes_and_a_replacement_that_does_not_fit_changes_nothing() {
        Map<String, String> large = Map.of("a", "x".repeat(4_000));
        long id = put(tube, task("x"));
        put(tube, task("x".repeat((int) MAX_BYTES - 8_000)));
        NewTask withHeaders = TaskToPut.of("x").headers(large).build();
        assertThat(store.put(subQueues, List.of(withHeaders))).isEqualTo(Put.FULL);
        assertThatThrownBy(() -> store.replace(tube, id, TaskState.READY, withHeaders))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("temporaryMaxBytes");
        assertThat(store.reads().find(tube, id).orElseThrow().headers()).isEmpty();
        Calls.delete(store, tube, id);
        long another = put(subQueues, task("x"));
        Calls.truncate(store, tube);
        assertThat(store.replace(subQueues, another, TaskState.READY, withHeaders))
                .isPresent();
        assertThat(store.reads().find(subQueues, another).orElseThrow().headers())
                .isEqualTo(large);
    }

    // Drop

    @Test
    void a_dropped_tube_takes_no_more_and_its_tasks_are_removed_at_the_commit() {
        long id = put("x");
        transactions.begin();
        store.drop(tube);
        assertThat(store.put(tube, List.of(task("y")))).isEqualTo(Put.NO_TUBE);
        Transaction other = transactions.suspend();
        assertThat(store.reads().find(tube, id)).isPresent();
        long late = put("late");
        transactions.commit(other);
        assertThat(store.reads().find(tube, id)).isEmpty();
        assertThat(store.reads().find(tube, late)).isEmpty();
        assertThat(store.put(tube, List.of(task("y")))).isEqualTo(Put.NO_TUBE);
        assertThat(store.reads().counts()).isEmpty();
        assertThat(store.sweep(Set.of())).isEqualTo(Sweep.none(Optional.empty()));
    }

    @Test
    void tasks_put_into_a_tube_that_is_dropped_before_their_commit_take_no_room() {
        Transaction other = open(() -> put(tube, living(SECOND, SECOND)));
        store.drop(tube);
        transactions.commit(other);
        assertThat(store.sweep(Set.of())).isEqualTo(Sweep.none(Optional.empty()));
        List<NewTask> all =
                IntStream.range(0, MAX_TASKS).mapToObj(i -> task("x")).toList();
        assertThat(store.put(subQueues, all).outcome()).isEqualTo(Put.Outcome.DONE);
    }

    @Test
    void a_forgotten_tube_takes_no_more_and_the_changes_of_open_transactions_to_it_are_dropped() {
        put(tube, task("committed"));
        long kept = put(limited, task("kept"));
        Transaction taking = open(() -> claim(tube, 1));
        Transaction putting = open(() -> put(tube, task("uncommitted")));
        transactions.begin();
        store.forget(List.of(tube.id()));
        transactions.rollback();
        assertThat(store.put(tube, List.of(task("late")))).isEqualTo(Put.NO_TUBE);
        transactions.commit(taking);
        transactions.commit(putting);
        assertThat(store.reads().counts()).containsExactly(new TubeCount(limited.id(), TaskState.READY, 1));
        assertThat(claimIds(limited, 9)).containsExactly(kept);
        fillUp(1);
    }

    private void fillUp(int used) {
        for (int i = used; i < MAX_TASKS; i++) {
            put(subQueues, task("x"));
        }
        assertThat(store.put(subQueues, List.of(task("one too many")))).isEqualTo(Put.FULL);
    }

    @Test
    void a_forgotten_tube_is_no_longer_in_memory() {
        put(tube, task("first"));
        put(limited, task("x"));
        store.forget(List.of(tube.id()));
        assertThat(store.tubes()).containsExactly(limited.id());
    }

    @Test
    @Tag("full")
    void a_drop_waits_before_it_changes_anything_and_not_afterwards() {
        put("x");
        Transaction taking = open(() -> claim(tube, 1));
        assertThatThrownBy(() -> store.awaitIdle(tube)).isInstanceOf(StoreException.class);
        store.drop(tube);
        transactions.commit(taking);
        assertThat(store.reads().counts()).isEmpty();
    }

    // Errors

    /** Each reading of the clock is a point at which an Error can strike. */
    @Test
    void an_error_half_way_undoes_the_whole_operation() {
        Runnable taking = () -> claim(subQueues, 2);
        Runnable putting = () ->
                store.put(subQueues, List.of(inSubQueue("a", 0, Position.last()), inSubQueue("c", 0, Position.last())));
        for (Runnable operation : List.of(taking, putting)) {
            strikeEverywhere(operation, false);
            strikeEverywhere(operation, true);
        }
    }

    private void strikeEverywhere(Runnable operation, boolean inTransaction) {
        boolean struck = true;
        for (int point = 1; struck; point++) {
            AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
            store = new MemoryTaskStore(transactions, MAX_TASKS, MAX_BYTES, () -> {
                if (left.decrementAndGet() == 0) {
                    throw new OutOfMemoryError("as for a test");
                }
                return now;
            });
            List<Long> before = List.of(
                    put(subQueues, inSubQueue("a", 0, Position.last())),
                    put(subQueues, inSubQueue("b", 0, Position.last())));
            left.set(point);
            struck = strikes(operation, inTransaction);
            left.set(Integer.MAX_VALUE);
            if (struck) {
                assertThat(store.reads().counts()).containsExactly(new TubeCount(subQueues.id(), TaskState.READY, 2));
                assertThat(claimIds(subQueues, 9))
                        .as("after an Error at point %d", point)
                        .isEqualTo(before);
                fillUp(2);
            }
        }
    }

    private boolean strikes(Runnable operation, boolean inTransaction) {
        if (inTransaction) {
            transactions.begin();
        }
        try {
            operation.run();
            return false;
        } catch (OutOfMemoryError e) {
            return true;
        } finally {
            if (inTransaction) {
                transactions.commit();
            }
        }
    }

    // Times

    @Test
    void what_is_over_is_never_shown_as_the_first_though_nothing_has_removed_it() {
        put(tube, living(SECOND, SECOND));
        long second = put("y");
        now = now.plus(SECOND);
        assertThat(store.reads().first(tube, TaskState.READY).orElseThrow().id())
                .isEqualTo(second);
        claim(tube, 1);
        assertThat(store.poll(List.of(1, 2), List.of()).ready()).isEmpty();
    }

    @Test
    void the_time_until_a_sweep_is_rounded_up() {
        put(tube, living(SECOND, SECOND));
        now = now.plusNanos(1);
        assertThat(store.sweep(Set.of()).untilNext()).contains(SECOND);
    }

    @Test
    void ids_ascend_and_those_of_a_restart_are_above() {
        long before = put("x");
        now = now.plusMillis(1);
        store = new MemoryTaskStore(transactions, MAX_TASKS, MAX_BYTES, () -> now);
        assertThat(put("y")).isGreaterThan(before);
    }
}
