package org.tasktube.store.memory;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
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
import org.tasktube.store.Transitioned;
import org.tasktube.store.TubeCount;
import org.tasktube.testing.Calls;
import org.tasktube.testing.ManualTransactions;
import org.tasktube.testing.ManualTransactions.Transaction;
import org.tasktube.testing.TaskToPut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

/** What temporary tubes promise beyond the rules of every store: transactions without a database, and bounds of memory. */
@Timeout(60)
class MemoryTaskStoreTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int MAX_TASKS = 1_000;
    private static final long MAX_BYTES = 4_000_000;

    private final ManualTransactions transactions = new ManualTransactions();
    private final Holder holder = new Holder(UUID.randomUUID(), 1);
    private final StoredTube tube =
            new StoredTube(1, TubeDefinition.fifottl("a").asTemporary(), false);
    private final StoredTube lanes =
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

    private static NewTask keyed(String key) {
        return TaskToPut.of(key).uniqueKey(key).build();
    }

    private static NewTask inLane(String utube, int pri, Position position) {
        return TaskToPut.of(utube).utube(utube).pri(pri).at(position).build();
    }

    private static NewTask living(Duration ttl, Duration ttr) {
        return TaskToPut.of("x").ttl(ttl).ttr(ttr).build();
    }

    private static NewTask delayed(Duration delay) {
        return TaskToPut.of("x").delay(delay).build();
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

    private <T> T inOther(Transaction transaction, Supplier<T> work) {
        return transactions.in(transaction, work::get);
    }

    private Transaction open(Supplier<?> work) {
        Transaction opened = transactions.begin();
        assertThat(work.get()).isNotNull();
        transactions.suspend();
        return opened;
    }

    private TaskMeta meta(StoredTube of, long id) {
        return store.meta(of, id).orElseThrow();
    }

    // Who sees what

    @Test
    void what_a_transaction_puts_it_sees_and_takes_and_others_see_at_its_commit() {
        transactions.begin();
        long id = put("x");
        assertThat(store.find(tube, id)).isPresent();
        assertThat(store.first(tube, TaskState.READY)).isPresent();
        assertThat(store.page(tube, TaskState.READY, 0, 10)).hasSize(1);
        Transaction other = transactions.suspend();
        assertThat(store.find(tube, id)).isEmpty();
        assertThat(store.states(List.of(id))).isEmpty();
        assertThat(store.first(tube, TaskState.READY)).isEmpty();
        assertThat(store.counts()).isEmpty();
        assertThat(Calls.delete(store, tube, id)).isEmpty();
        assertThat(claim(tube, 9)).isEmpty();
        assertThat(inOther(other, () -> claimIds(tube, 9))).containsExactly(id);
        transactions.commit(other);
        assertThat(meta(tube, id).state()).isEqualTo(TaskState.TAKEN);
        assertThat(store.counts()).containsExactly(new TubeCount(1, TaskState.TAKEN, 1));
    }

    @Test
    void a_rollback_undoes_put_take_ack_release_bury_kick_delete_and_replace() {
        long ready = put("ready");
        long acked = put("acked");
        long released = put("released");
        long buried = put("buried");
        claim(tube, 4);
        List<Task> held = store.page(tube, TaskState.TAKEN, 0, 9);
        Calls.release(store, tube, holder, held.get(0));
        Calls.bury(store, tube, holder, held.get(3));
        long deleted = put("deleted");
        List<TaskMeta> before = metas(ready, acked, released, buried, deleted);
        transactions.begin();
        put("new");
        assertThat(store.replace(tube, ready, TaskState.READY, task("other"))).isPresent();
        assertThat(claimIds(tube, 1)).containsExactly(ready);
        assertThat(Calls.ack(store, tube, holder, held.get(1))).isTrue();
        assertThat(Calls.release(store, tube, holder, held.get(2))).isPresent();
        assertThat(Calls.kick(store, tube, 5)).containsExactly(buried);
        assertThat(Calls.delete(store, tube, deleted)).contains(TaskState.READY);
        transactions.rollback();
        assertThat(metas(ready, acked, released, buried, deleted)).isEqualTo(before);
        assertThat(store.find(tube, ready).orElseThrow().text()).isEqualTo("ready");
        assertThat(claimIds(tube, 9)).containsExactly(ready, deleted);
        assertThat(Calls.ack(store, tube, holder, held.get(1))).isTrue();
    }

    private List<TaskMeta> metas(long... ids) {
        return Arrays.stream(ids).mapToObj(id -> meta(tube, id)).toList();
    }

    @Test
    void a_claim_passes_over_what_another_transaction_has_changed() {
        long first = put("1");
        long second = put("2");
        long third = put("3");
        Transaction other = open(() -> claim(tube, 1));
        Transaction burying = open(() -> Calls.buryUnheld(store, tube, second, TaskState.READY));
        assertThat(store.first(tube, TaskState.READY).orElseThrow().id()).isEqualTo(third);
        assertThat(claimIds(tube, 9)).containsExactly(third);
        transactions.rollback(other);
        assertThat(claimIds(tube, 9)).containsExactly(first);
        transactions.commit(burying);
        assertThat(Calls.kick(store, tube, 1)).containsExactly(second);
    }

    @Test
    void what_a_transaction_gave_back_it_can_take_again() {
        long id = put("x");
        Task held = take(tube);
        transactions.begin();
        Calls.release(store, tube, holder, held);
        assertThat(claimIds(tube, 1)).containsExactly(id);
        Transaction other = transactions.suspend();
        assertThat(claim(tube, 1)).isEmpty();
        transactions.commit(other);
        assertThat(meta(tube, id).attempts()).isEqualTo(2);
    }

    // Waiting

    @Test
    void a_change_of_what_another_transaction_has_changed_waits_and_looks_again() throws Exception {
        put("x");
        Task held = take(tube);
        Transaction other = open(() -> Calls.ack(store, tube, holder, held));
        CompletableFuture<Optional<TaskState>> delete =
                CompletableFuture.supplyAsync(() -> Calls.delete(store, tube, held.id()));
        assertWaits(delete);
        transactions.commit(other);
        assertThat(delete.get(5, TimeUnit.SECONDS)).isEmpty();
    }

    @Test
    void after_a_rollback_who_waited_finds_the_task_as_it_was() throws Exception {
        put("x");
        Task held = take(tube);
        Transaction other = open(() -> Calls.bury(store, tube, holder, held));
        CompletableFuture<Boolean> ack = CompletableFuture.supplyAsync(() -> Calls.ack(store, tube, holder, held));
        assertWaits(ack);
        transactions.rollback(other);
        assertThat(ack.get(5, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void a_put_of_a_key_waits_for_the_transaction_that_decides_about_it() throws Exception {
        Transaction first = open(() -> store.put(tube, List.of(keyed("k"))));
        CompletableFuture<Put> loser = CompletableFuture.supplyAsync(() -> store.put(tube, List.of(keyed("k"))));
        assertWaits(loser);
        transactions.commit(first);
        Put exists = loser.get(5, TimeUnit.SECONDS);
        assertThat(exists.outcome()).isEqualTo(Put.Outcome.EXISTS);

        Transaction second = open(() -> Calls.delete(store, tube, exists.id()));
        CompletableFuture<Put> winner = CompletableFuture.supplyAsync(() -> store.put(tube, List.of(keyed("k"))));
        assertWaits(winner);
        transactions.commit(second);
        assertThat(winner.get(5, TimeUnit.SECONDS).outcome()).isEqualTo(Put.Outcome.DONE);
    }

    @Test
    void a_rollback_of_the_put_of_a_key_lets_the_next_one_put() throws Exception {
        Transaction first = open(() -> store.put(tube, List.of(keyed("k"))));
        CompletableFuture<Put> next = CompletableFuture.supplyAsync(() -> store.put(tube, List.of(keyed("k"))));
        assertWaits(next);
        transactions.rollback(first);
        assertThat(next.get(5, TimeUnit.SECONDS).outcome()).isEqualTo(Put.Outcome.DONE);
    }

    private static void assertWaits(CompletableFuture<?> change) {
        assertThatThrownBy(() -> change.get(100, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
    }

    @Test
    void who_waits_too_long_is_told_for_which_task_and_has_changed_nothing() {
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
    void a_transaction_never_waits_for_itself() {
        transactions.begin();
        long id = put(tube, keyed("k"));
        assertThat(store.put(tube, List.of(keyed("k")))).isEqualTo(Put.exists(id));
        Task held = take(tube);
        assertThat(Calls.touch(store, tube, holder, held, SECOND)).isPresent();
        assertThat(Calls.done(store, tube, holder, held, TaskResult.completed("r")))
                .isPresent();
        assertThat(store.put(tube, List.of(keyed("k"))).outcome()).isEqualTo(Put.Outcome.DONE);
        assertThat(Calls.delete(store, tube, id)).contains(TaskState.DONE);
        assertThat(Calls.truncate(store, tube)).containsExactly(new TubeCount(1, TaskState.READY, 1));
        transactions.commit();
        assertThat(store.counts()).isEmpty();
    }

    @Test
    void what_was_not_as_a_change_needs_it_is_not_waited_for() {
        long id = put("x");
        Transaction other = open(() -> claim(tube, 1));
        assertThat(Calls.dig(store, tube, id)).isEmpty();
        transactions.rollback(other);
    }

    @Test
    void who_goes_on_in_a_transaction_that_was_rolled_back_under_it_is_told() {
        transactions.begin();
        long id = put("x");
        Transaction timedOut = transactions.suspend();
        transactions.rollback(timedOut);
        transactions.resume(timedOut);
        assertThatThrownBy(() -> store.put(tube, List.of(task("y")))).isInstanceOf(TransactionNotActiveException.class);
        transactions.suspend();
        assertThat(store.find(tube, id)).isEmpty();
        assertThat(store.counts()).isEmpty();
    }

    // Sub-queues

    @Test
    void of_a_sub_queue_one_is_taken_and_what_lets_it_go_does_so_at_its_commit() {
        long first = put(lanes, inLane("a", 0, Position.last()));
        long second = put(lanes, inLane("a", 0, Position.last()));
        long elsewhere = put(lanes, inLane("b", 0, Position.last()));
        List<Task> taken = claim(lanes, 9);
        assertThat(taken).extracting(Task::id).containsExactly(first, elsewhere);
        Transaction other = open(() -> Calls.ack(store, lanes, holder, taken.get(0)));
        assertThat(claim(lanes, 9)).isEmpty();
        assertThat(inOther(other, () -> claim(lanes, 9))).isEmpty();
        transactions.commit(other);
        assertThat(claimIds(lanes, 9)).containsExactly(second);
    }

    @Test
    void an_uncommitted_take_holds_its_sub_queue() {
        long first = put(lanes, inLane("a", 0, Position.last()));
        put(lanes, inLane("a", 0, Position.last()));
        Transaction other = open(() -> claim(lanes, 9));
        assertThat(claim(lanes, 9)).isEmpty();
        put(lanes, inLane("a", 0, Position.first()));
        assertThat(claim(lanes, 9)).isEmpty();
        transactions.rollback(other);
        assertThat(claim(lanes, 9)).hasSize(1).noneMatch(task -> task.id() == first);
    }

    @Test
    void what_a_transaction_put_into_a_sub_queue_nobody_takes_before_its_commit() {
        transactions.begin();
        long id = put(lanes, inLane("a", 0, Position.last()));
        store.promoteHeads(lanes);
        assertThat(claim(lanes, 9)).isEmpty();
        transactions.commit();
        assertThat(claimIds(lanes, 9)).containsExactly(id);
    }

    @Test
    void a_task_that_a_transaction_takes_and_gives_back_still_holds_its_sub_queue() {
        put(lanes, inLane("a", 1, Position.last()));
        Transaction other = open(() -> Calls.release(store, lanes, holder, take(lanes)));
        long ahead = put(lanes, inLane("a", 0, Position.last()));
        assertThat(claim(lanes, 9)).isEmpty();
        assertThat(inOther(other, () -> claim(lanes, 9))).hasSize(1);
        transactions.rollback(other);
        assertThat(claimIds(lanes, 9)).containsExactly(ahead);
    }

    @Test
    void plain_release_and_ttr_hand_out_the_same_one_again_and_bury_the_next() {
        long first = put(lanes, inLane("a", 0, Position.last()));
        long second = put(lanes, inLane("a", 0, Position.last()));
        Calls.release(store, lanes, holder, take(lanes));
        assertThat(claimIds(lanes, 1)).containsExactly(first);
        Calls.releaseAll(store, lanes);
        Task again = take(lanes);
        assertThat(again.id()).isEqualTo(first);
        Calls.bury(store, lanes, holder, again);
        assertThat(claimIds(lanes, 9)).containsExactly(second);
    }

    @Test
    void a_replacement_moves_to_its_new_sub_queue() {
        long first = put(lanes, inLane("a", 0, Position.last()));
        long second = put(lanes, inLane("a", 0, Position.last()));
        store.replace(lanes, first, TaskState.READY, inLane("b", 0, Position.last()));
        assertThat(claimIds(lanes, 9)).containsExactlyInAnyOrder(first, second);
    }

    @Test
    void a_head_whose_ttl_is_over_does_not_hold_its_sub_queue() {
        NewTask mortal = TaskToPut.of("x").ttl(SECOND).utube("a").build();
        put(lanes, mortal);
        long second = put(lanes, inLane("a", 0, Position.last()));
        now = now.plus(SECOND);
        assertThat(claimIds(lanes, 9)).containsExactly(second);
    }

    // Bounds

    @Test
    void a_capacity_counts_uncommitted_puts_and_uncommitted_removals() {
        put(limited, task("1"));
        Transaction putting = open(() -> put(limited, task("2")));
        assertThat(store.put(limited, List.of(task("3")))).isEqualTo(Put.FULL);
        assertThat(store.freeTubes(List.of(3))).isEmpty();
        transactions.rollback(putting);
        assertThat(store.freeTubes(List.of(3))).containsExactly(3);
        put(limited, task("2"));
        Task held = take(limited);
        Transaction acking = open(() -> Calls.ack(store, limited, holder, held));
        assertThat(store.put(limited, List.of(task("3")))).isEqualTo(Put.FULL);
        transactions.commit(acking);
        assertThat(store.put(limited, List.of(task("3"), task("4")))).isEqualTo(Put.FULL);
        put(limited, task("3"));
    }

    @Test
    void a_done_task_keeps_its_place_but_not_its_key() {
        put(limited, keyed("k"));
        Task held = take(limited);
        Calls.done(store, limited, holder, held, TaskResult.completed("r"));
        assertThat(store.result(limited, held.id())).isPresent();
        put(limited, keyed("k"));
        assertThat(store.put(limited, List.of(task("x")))).isEqualTo(Put.FULL);
        assertThat(store.put(limited, List.of(keyed("k"))).outcome()).isEqualTo(Put.Outcome.EXISTS);
    }

    @Test
    void a_transaction_may_put_where_it_has_removed() {
        put(limited, task("1"));
        put(limited, task("2"));
        transactions.begin();
        assertThat(Calls.ack(store, limited, holder, take(limited))).isTrue();
        put(limited, task("3"));
        assertThat(store.put(limited, List.of(task("4")))).isEqualTo(Put.FULL);
        transactions.rollback();
        assertThat(store.put(limited, List.of(task("4")))).isEqualTo(Put.FULL);
        assertThat(claim(limited, 9)).hasSize(2);
    }

    @Test
    void producers_at_once_never_overfill() throws Exception {
        StoredTube ten = new StoredTube(9, TubeDefinition.limfifottl("t", 10).asTemporary(), false);
        List<CompletableFuture<Long>> producers = IntStream.range(0, 8)
                .mapToObj(i -> CompletableFuture.supplyAsync(() -> IntStream.range(0, 50)
                        .filter(j -> putAndEnd(ten, j % 3 == 0))
                        .count()))
                .toList();
        long kept = 0;
        for (CompletableFuture<Long> producer : producers) {
            kept += producer.get();
        }
        assertThat(kept).isEqualTo(10);
        assertThat(store.page(ten, TaskState.READY, 0, 100)).hasSize(10);
    }

    private boolean putAndEnd(StoredTube to, boolean rollback) {
        transactions.begin();
        boolean done = store.put(to, List.of(task("x"))).outcome() == Put.Outcome.DONE;
        if (rollback) {
            transactions.rollback();
        } else {
            transactions.commit();
        }
        return done && !rollback;
    }

    @Test
    void all_tubes_share_a_number_of_tasks() {
        List<NewTask> all =
                IntStream.range(0, MAX_TASKS).mapToObj(i -> task("x")).toList();
        assertThat(store.put(tube, all).outcome()).isEqualTo(Put.Outcome.DONE);
        assertThat(store.put(lanes, List.of(task("x")))).isEqualTo(Put.FULL);
        assertThat(Calls.truncate(store, tube)).containsExactly(new TubeCount(1, TaskState.READY, MAX_TASKS));
        put(lanes, task("x"));
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
        assertThat(store.put(lanes, List.of(task(half)))).isEqualTo(Put.FULL);
        assertThat(Calls.ack(store, tube, holder, held)).isTrue();
        put(lanes, task(half));
    }

    // Drop

    @Test
    void a_dropped_tube_takes_no_more_and_its_tasks_are_gone_at_the_commit() {
        long id = put("x");
        transactions.begin();
        store.drop(tube);
        assertThat(store.put(tube, List.of(task("y")))).isEqualTo(Put.NO_TUBE);
        Transaction other = transactions.suspend();
        assertThat(store.find(tube, id)).isPresent();
        long late = put("late");
        transactions.commit(other);
        assertThat(store.find(tube, id)).isEmpty();
        assertThat(store.find(tube, late)).isEmpty();
        assertThat(store.put(tube, List.of(task("y")))).isEqualTo(Put.NO_TUBE);
        assertThat(store.counts()).isEmpty();
        assertThat(store.sweep(Set.of())).isEqualTo(new Sweep(List.of(), Optional.empty()));
    }

    @Test
    void a_drop_that_is_rolled_back_leaves_the_tube_as_it_was() {
        long id = put("x");
        transactions.begin();
        store.drop(tube);
        transactions.rollback();
        put("y");
        assertThat(claimIds(tube, 1)).containsExactly(id);
    }

    @Test
    void what_was_put_into_a_tube_that_was_dropped_meanwhile_takes_no_room() {
        Transaction other = open(() -> put(tube, living(SECOND, SECOND)));
        store.drop(tube);
        transactions.commit(other);
        assertThat(store.sweep(Set.of())).isEqualTo(new Sweep(List.of(), Optional.empty()));
        List<NewTask> all =
                IntStream.range(0, MAX_TASKS).mapToObj(i -> task("x")).toList();
        assertThat(store.put(lanes, all).outcome()).isEqualTo(Put.Outcome.DONE);
    }

    @Test
    void a_forgotten_tube_takes_no_more_and_what_open_transactions_made_of_it_is_gone() {
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
        assertThat(store.counts()).containsExactly(new TubeCount(limited.id(), TaskState.READY, 1));
        assertThat(claimIds(limited, 9)).containsExactly(kept);
        fillUp(1);
    }

    private void fillUp(int used) {
        for (int i = used; i < MAX_TASKS; i++) {
            put(lanes, task("x"));
        }
        assertThat(store.put(lanes, List.of(task("one too many")))).isEqualTo(Put.FULL);
    }

    @Test
    void a_tube_whose_creation_may_not_have_committed_does_not_count_as_registered() {
        Transaction creating = open(() -> put(tube, task("first")));
        put(limited, task("x"));
        assertThat(store.tubes()).containsExactly(limited.id());
        transactions.commit(creating);
        assertThat(store.tubes()).containsExactlyInAnyOrder(tube.id(), limited.id());
    }

    @Test
    void a_tube_whose_creation_was_rolled_back_is_not_kept() {
        Transaction creating = open(() -> put(tube, task("first")));
        transactions.rollback(creating);
        assertThat(store.tubes()).containsExactly(tube.id());
        store.forget(store.tubes());
        assertThat(store.tubes()).isEmpty();
    }

    @Test
    void a_drop_waits_before_it_changes_anything_and_not_afterwards() {
        put("x");
        Transaction taking = open(() -> claim(tube, 1));
        assertThatThrownBy(() -> store.awaitIdle(tube)).isInstanceOf(StoreException.class);
        store.drop(tube);
        transactions.commit(taking);
        assertThat(store.counts()).isEmpty();
    }

    // Errors

    /** Each reading of the clock is a place where an Error can strike. */
    @Test
    void an_error_half_way_undoes_the_whole_operation() {
        Runnable taking = () -> claim(lanes, 2);
        Runnable putting =
                () -> store.put(lanes, List.of(inLane("a", 0, Position.last()), inLane("c", 0, Position.last())));
        for (Runnable operation : List.of(taking, putting)) {
            strikeEverywhere(operation, false);
            strikeEverywhere(operation, true);
        }
    }

    private void strikeEverywhere(Runnable operation, boolean inTransaction) {
        boolean struck = true;
        for (int place = 1; struck; place++) {
            AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
            store = new MemoryTaskStore(transactions, MAX_TASKS, MAX_BYTES, () -> {
                if (left.decrementAndGet() == 0) {
                    throw new OutOfMemoryError("as for a test");
                }
                return now;
            });
            List<Long> before =
                    List.of(put(lanes, inLane("a", 0, Position.last())), put(lanes, inLane("b", 0, Position.last())));
            left.set(place);
            struck = strikes(operation, inTransaction);
            left.set(Integer.MAX_VALUE);
            if (struck) {
                assertThat(store.counts()).containsExactly(new TubeCount(lanes.id(), TaskState.READY, 2));
                assertThat(claimIds(lanes, 9))
                        .as("after an Error at place %d", place)
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
    void what_is_over_is_never_handed_out_though_nothing_has_removed_it() {
        put(tube, living(SECOND, SECOND));
        long second = put("y");
        now = now.plus(SECOND);
        assertThat(store.first(tube, TaskState.READY).orElseThrow().id()).isEqualTo(second);
        assertThat(claimIds(tube, 9)).containsExactly(second);
        assertThat(store.readyTubes(List.of(1, 2))).isEmpty();
    }

    @Test
    void a_sweep_ends_ttr_delay_and_ttl_and_says_when_to_come_again() {
        long taken = put(tube, living(SECOND.multipliedBy(5), SECOND));
        long late = put(tube, delayed(SECOND));
        take(tube);
        assertThat(store.sweep(Set.of()).untilNext()).contains(SECOND);
        now = now.plusNanos(1);
        assertThat(store.sweep(Set.of()).untilNext()).contains(SECOND);
        now = now.plus(SECOND);
        Sweep sweep = store.sweep(Set.of(1));
        assertThat(sweep.untilNext()).contains(Duration.ZERO);
        assertThat(sweep.swept())
                .extracting(swept -> swept.done().from(), swept -> swept.done().ids())
                .containsExactlyInAnyOrder(
                        tuple(TaskState.TAKEN, List.of(taken)), tuple(TaskState.DELAYED, List.of(late)));
        assertThat(meta(tube, taken).session()).isEmpty();
        assertThat(store.sweep(Set.of()).untilNext().orElseThrow())
                .isBetween(SECOND.multipliedBy(3), SECOND.multipliedBy(4));
        now = now.plus(SECOND.multipliedBy(4));
        Sweep ttl = store.sweep(Set.of(1));
        assertThat(ttl.swept()).hasSize(1);
        assertThat(ttl.swept().get(0).done().tasks()).extracting(Task::id).containsExactly(taken);
        assertThat(store.find(tube, taken)).isEmpty();
    }

    @Test
    void a_sweep_passes_over_what_a_transaction_is_changing_and_comes_again_soon() {
        long id = put(tube, living(SECOND, SECOND));
        Transaction other = open(() -> take(tube));
        now = now.plus(SECOND);
        Sweep sweep = store.sweep(Set.of());
        assertThat(sweep.swept()).isEmpty();
        assertThat(sweep.untilNext().orElseThrow()).isBetween(Duration.ofMillis(1), SECOND);
        transactions.rollback(other);
        assertThat(store.sweep(Set.of()).swept()).hasSize(1);
        assertThat(store.find(tube, id)).isEmpty();
    }

    @Test
    void a_deadline_that_a_transaction_is_moving_stays_known_until_it_commits() {
        put(tube, living(SECOND, SECOND.multipliedBy(9)));
        Transaction other = open(() -> take(tube));
        assertThat(store.sweep(Set.of()).untilNext().orElseThrow()).isLessThanOrEqualTo(SECOND);
        transactions.commit(other);
        assertThat(store.sweep(Set.of()).untilNext()).contains(SECOND.multipliedBy(9));
    }

    // Moves, field by field as in the database

    @Test
    void release_with_delay_prolongs_and_with_ttl_sets_the_life_anew() {
        long id = put(tube, living(SECOND.multipliedBy(10), SECOND));
        Optional<Transitioned> moved = Calls.release(store, tube, holder, take(tube), SECOND, Optional.empty());
        assertThat(moved.orElseThrow().untilDeadline()).contains(SECOND);
        assertThat(meta(tube, id).state()).isEqualTo(TaskState.DELAYED);
        assertThat(meta(tube, id).ttl()).contains(SECOND.multipliedBy(11));
        now = now.plus(SECOND);
        store.sweep(Set.of());
        Calls.release(store, tube, holder, take(tube), SECOND, Optional.of(SECOND.multipliedBy(2)));
        assertThat(meta(tube, id).ttl()).contains(SECOND.multipliedBy(4));
        now = now.plus(SECOND);
        store.sweep(Set.of());
        Calls.release(store, tube, holder, take(tube), Duration.ZERO, Optional.of(SECOND));
        assertThat(meta(tube, id).state()).isEqualTo(TaskState.READY);
        assertThat(meta(tube, id).event()).contains(now.plus(SECOND));
        assertThat(meta(tube, id).attempts()).isEqualTo(3);
    }

    @Test
    void counts_are_kept_by_bury_and_reset_by_kick_and_not_counted_by_give_back() {
        long id = put("x");
        Calls.returnUnstarted(store, tube, holder, List.of(take(tube)));
        assertThat(meta(tube, id).attempts()).isZero();
        assertThat(meta(tube, id).takenCount()).isEqualTo(1);
        TaskFailure failure = TaskFailure.of(new IllegalStateException("no"));
        assertThat(Calls.fail(store, tube, holder, take(tube), failure, Optional.empty()))
                .isPresent();
        assertThat(meta(tube, id).state()).isEqualTo(TaskState.BURIED);
        assertThat(meta(tube, id).lastFailure()).contains(failure);
        assertThat(meta(tube, id).attempts()).isEqualTo(1);
        assertThat(meta(tube, id).buriedCount()).isEqualTo(1);
        assertThat(Calls.dig(store, tube, id)).isPresent();
        assertThat(meta(tube, id).attempts()).isZero();
        assertThat(meta(tube, id).takenCount()).isEqualTo(2);
    }

    @Test
    void touch_and_heartbeat_move_the_deadline() {
        long id = put(tube, living(SECOND.multipliedBy(10), SECOND));
        Task held = take(tube);
        assertThat(Calls.touch(store, tube, holder, held, SECOND).orElseThrow().untilDeadline())
                .contains(SECOND.multipliedBy(2));
        assertThat(meta(tube, id).ttl()).contains(SECOND.multipliedBy(11));
        assertThat(Calls.heartbeat(store, tube, holder, held).orElseThrow().untilDeadline())
                .contains(SECOND);
        assertThat(Calls.touch(store, tube, new Holder(UUID.randomUUID(), 1), held, SECOND))
                .isEmpty();
    }

    @Test
    void order_is_pri_then_place_and_requeue_goes_to_its_end() {
        long first = put("1");
        long second = put("2");
        long urgent = put(tube, TaskToPut.of("u").at(Position.first()).build());
        Task head = take(tube);
        assertThat(head.id()).isEqualTo(urgent);
        Calls.requeue(store, tube, holder, head);
        List<ClaimedTask> claimed = store.claim(tube, holder, OrderKey.START, 2);
        assertThat(claimed).extracting(one -> one.task().id()).containsExactly(first, second);
        assertThat(store.claim(tube, holder, claimed.get(1).key(), 9))
                .extracting(one -> one.task().id())
                .containsExactly(urgent);
    }

    @Test
    void ids_ascend_and_those_of_a_restart_are_above() {
        long before = put("x");
        now = now.plusMillis(1);
        store = new MemoryTaskStore(transactions, MAX_TASKS, MAX_BYTES, () -> now);
        assertThat(put("y")).isGreaterThan(before);
    }

    @Test
    void many_consumers_take_each_task_once() throws ExecutionException, InterruptedException {
        int tasks = 500;
        store.put(tube, IntStream.range(0, tasks).mapToObj(i -> task("x")).toList());
        List<CompletableFuture<Long>> consumers = IntStream.range(0, 4)
                .mapToObj(i -> CompletableFuture.supplyAsync(this::consumeAll))
                .toList();
        long acked = 0;
        for (CompletableFuture<Long> consumer : consumers) {
            acked += consumer.get();
        }
        assertThat(acked).isEqualTo(tasks);
    }

    private long consumeAll() {
        long acked = 0;
        boolean more = true;
        for (int i = 0; more; i++) {
            transactions.begin();
            List<Task> taken = claim(tube, 3);
            more = !taken.isEmpty();
            boolean kept = Calls.ackAll(store, tube, holder, taken) && i % 3 != 0;
            acked += kept ? taken.size() : 0;
            if (kept) {
                transactions.commit();
            } else {
                transactions.rollback();
            }
        }
        return acked;
    }
}
