package org.tasktube.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.TaskMeta;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.spi.Position;
import org.tasktube.testing.Calls;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestStore;
import org.tasktube.testing.TestTransaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

/** The rules of tasks that every store keeps, beyond those that RulesTest and StateTableTest show through tubes. */
class TaskStoreContractTest {

    @Nested
    class OnH2 extends Rules {
        OnH2() {
            super(TestStore.Kind.H2);
        }
    }

    @Nested
    class OnPostgreSql extends Rules {
        OnPostgreSql() {
            super(TestStore.Kind.POSTGRESQL);
        }
    }

    @Nested
    class Temporary extends Rules {
        Temporary() {
            super(TestStore.Kind.TEMPORARY);
        }
    }

    abstract static class Rules extends StoreContract {

        Rules(TestStore.Kind kind) {
            super(kind);
        }

        private long tokens;

        // Order

        @Test
        void a_claim_after_a_key_takes_the_tasks_after_it() {
            put("a");
            put("b");
            put("c");
            OrderKey first = store.claim(tube, holder, OrderKey.START, 1).get(0).key();
            OrderKey second = store.claim(tube, holder, first, 1).get(0).key();
            assertThat(first).isLessThan(second);
            put("d");
            assertThat(store.claim(tube, holder, second, 5)).hasSize(2);
            assertThat(store.claim(tube, holder, OrderKey.START, 5)).isEmpty();
        }

        @Test
        void claims_go_by_pri_then_position_and_requeue_moves_to_the_end() {
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
        void tasks_with_the_same_number_come_by_their_ids_and_no_page_leaves_one_out() {
            List<Long> ids = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                ids.add(put(tube, TaskToPut.of("x").at(Position.at(i / 10)).build()));
            }
            List<Long> scanned = new ArrayList<>();
            OrderKey after = OrderKey.START;
            for (int page = 0; page < 7; page++) {
                for (ScannedTask task : store.scan(
                                new Scan.InOrder(tube, TaskState.READY, after, 3), Map.of(tube.id(), tube.name()))
                        .tasks()) {
                    scanned.add(task.meta().id());
                    after = task.place();
                }
            }
            assertThat(scanned).isEqualTo(ids);
            List<ClaimedTask> claimed = store.claim(tube, holder, OrderKey.START, 3);
            assertThat(store.claim(tube, holder, claimed.get(2).key(), 20))
                    .extracting(task -> task.task().id())
                    .isEqualTo(ids.subList(3, 20));
        }

        @Test
        void members_of_a_sub_queue_with_the_same_number_come_by_their_ids() {
            List<Long> ids = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                ids.add(put(
                        subQueues,
                        TaskToPut.of("x").utube("one").at(Position.at(7)).build()));
            }
            for (Long id : ids) {
                Task taken = take(subQueues);
                assertThat(taken.id()).isEqualTo(id);
                Calls.ack(store, subQueues, holder, taken);
            }
        }

        @Test
        void a_claim_takes_no_more_after_so_many_bytes_but_a_first_task_of_any_size() {
            List<Long> ids = new ArrayList<>();
            for (int size : List.of(1_000, 10, 10, 10, 2_000, 10)) {
                ids.add(put("x".repeat(size)));
            }
            assertThat(claimIds(100)).isEqualTo(ids.subList(0, 1));
            assertThat(claimIds(25)).isEqualTo(ids.subList(1, 4));
            assertThat(claimIds(1)).isEqualTo(ids.subList(4, 5));
            assertThat(claimIds(1)).isEqualTo(ids.subList(5, 6));
        }

        private List<Long> claimIds(long maxBytes) {
            return store.claim(tube, holder, ++tokens, new ClaimRange(OrderKey.START, 10, maxBytes)).stream()
                    .map(claimed -> claimed.task().id())
                    .toList();
        }

        @Test
        void many_consumers_take_each_task_once() throws Exception {
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
            int claimed = 1;
            for (int i = 0; claimed > 0; i++) {
                boolean commit = i % 3 != 0;
                claimed = committing(commit, this::claimAndAck);
                acked += commit ? claimed : 0;
            }
            return acked;
        }

        private int claimAndAck() {
            List<Task> taken = claim(tube, 3);
            assertThat(taken.isEmpty() || Calls.ackAll(store, tube, holder, taken))
                    .isTrue();
            return taken.size();
        }

        // Visibility

        @Test
        void a_transaction_sees_and_takes_its_own_puts_and_others_see_them_after_its_commit() {
            TestTransaction other = begin();
            long id = other.in(() -> put("x"));
            other.in(() -> {
                assertThat(store.reads().find(tube, id)).isPresent();
                assertThat(store.reads().first(tube, TaskState.READY)).isPresent();
                return assertThat(store.reads().page(tube, TaskState.READY, 0, 10))
                        .hasSize(1);
            });
            assertThat(store.reads().find(tube, id)).isEmpty();
            assertThat(store.reads().states(List.of(id))).isEmpty();
            assertThat(store.reads().first(tube, TaskState.READY)).isEmpty();
            assertThat(counts(tube)).isEmpty();
            assertThat(Calls.delete(store, tube, id)).isEmpty();
            assertThat(claim(tube, 9)).isEmpty();
            assertThat(other.in(() -> claimIds(tube, 9))).containsExactly(id);
            other.commit();
            assertThat(meta(tube, id).state()).isEqualTo(TaskState.TAKEN);
            assertThat(counts(tube)).isEqualTo(count(TaskState.TAKEN, 1));
        }

        @Test
        void uncommitted_puts_are_invisible_and_keep_their_position() {
            TestTransaction other = open(() -> put("a"));
            assertThat(claim(tube, 5)).isEmpty();
            put("b");
            other.commit();
            assertThat(claimTexts(tube, 5)).containsExactly("a", "b");
        }

        @Test
        void a_rollback_undoes_put_take_ack_release_bury_kick_delete_and_replace() {
            long ready = put("ready");
            long acked = put("acked");
            long released = put("released");
            long buried = put("buried");
            claim(tube, 4);
            List<Task> held = store.reads().page(tube, TaskState.TAKEN, 0, 9);
            Calls.release(store, tube, holder, held.get(0));
            Calls.bury(store, tube, holder, held.get(3));
            long deleted = put("deleted");
            List<TaskMeta> before = metas(ready, acked, released, buried, deleted);
            TestTransaction transaction = open(() -> {
                put("new");
                assertThat(store.replace(tube, ready, TaskState.READY, task("other")))
                        .isPresent();
                assertThat(claimIds(tube, 1)).containsExactly(ready);
                assertThat(Calls.ack(store, tube, holder, held.get(1))).isTrue();
                assertThat(Calls.release(store, tube, holder, held.get(2))).isPresent();
                assertThat(Calls.kick(store, tube, 5)).containsExactly(buried);
                return assertThat(Calls.delete(store, tube, deleted)).contains(TaskState.READY);
            });
            transaction.rollback();
            assertThat(metas(ready, acked, released, buried, deleted)).isEqualTo(before);
            assertThat(store.reads().find(tube, ready).orElseThrow().text()).isEqualTo("ready");
            assertThat(claimIds(tube, 9)).containsExactly(ready, deleted);
            assertThat(Calls.ack(store, tube, holder, held.get(1))).isTrue();
        }

        @Test
        void a_claim_inside_a_transaction_is_undone_by_its_rollback() {
            long id = put("a");
            TestTransaction other = open(() -> take(tube));
            other.rollback();
            TaskMeta meta = meta(tube, id);
            assertThat(meta.state()).isEqualTo(TaskState.READY);
            assertThat(meta.attempts()).isZero();
        }

        @Test
        void a_claim_skips_tasks_that_another_transaction_has_claimed() {
            put("a");
            put("b");
            put("c");
            TestTransaction other = begin();
            assertThat(other.in(() -> claimTexts(tube, 2))).containsExactly("a", "b");
            assertThat(claimTexts(tube, 2)).containsExactly("c");
            other.rollback();
            assertThat(claimTexts(tube, 5)).containsExactly("a", "b");
        }

        @Test
        void a_claim_skips_tasks_that_another_transaction_has_changed() {
            long first = put("1");
            long second = put("2");
            long third = put("3");
            TestTransaction other = open(() -> claim(tube, 1));
            TestTransaction burying = open(() -> Calls.buryUnheld(store, tube, second, TaskState.READY));
            assertThat(claimIds(tube, 9)).containsExactly(third);
            other.rollback();
            assertThat(claimIds(tube, 9)).containsExactly(first);
            burying.commit();
            assertThat(Calls.kick(store, tube, 1)).containsExactly(second);
        }

        @Test
        void a_transaction_can_take_again_what_it_released() {
            long id = put("x");
            Task held = take(tube);
            TestTransaction other = open(() -> Calls.release(store, tube, holder, held));
            assertThat(other.in(() -> claimIds(tube, 1))).containsExactly(id);
            assertThat(claim(tube, 1)).isEmpty();
            other.commit();
            assertThat(meta(tube, id).attempts()).isEqualTo(2);
        }

        // Headers

        @Test
        void each_answer_with_a_task_has_its_headers() {
            Map<String, String> headers = new LinkedHashMap<>(Map.of("b", "2"));
            headers.put("a", "1");
            NewTask task = TaskToPut.of("x").ttl(SECOND).headers(headers).build();
            long id = put(tube, task);
            long second = store.put(tube, List.of(task("y"), task)).ids().get(1);
            assertThat(store.reads().tasks(tube, List.of(id, second)))
                    .allSatisfy(one -> assertThat(one.headers()).containsExactlyEntriesOf(headers));
            Task taken = take(tube);
            assertThat(List.of(
                            taken,
                            store.reads().find(tube, second).orElseThrow(),
                            store.reads().first(tube, TaskState.TAKEN).orElseThrow(),
                            store.reads().page(tube, TaskState.READY, 0, 9).get(1)))
                    .allSatisfy(one -> assertThat(one.headers()).containsExactlyEntriesOf(headers));
            pass(SECOND);
            assertThat(store.sweep(any -> any == tube.id()).swept())
                    .flatExtracting(swept -> swept.done().tasks())
                    .extracting(Task::headers)
                    .containsExactly(headers);
            List<Task> truncated = store.applyToAll(tube, Change.of(Transition.TRUNCATE), true).stream()
                    .flatMap(done -> done.tasks().stream())
                    .toList();
            assertThat(truncated).extracting(Task::headers).containsExactlyInAnyOrder(headers, Map.of());
        }

        @Test
        void a_replacement_sets_the_headers_and_its_rollback_the_former_ones() {
            Map<String, String> before = Map.of("a", "1");
            long id = put(tube, TaskToPut.of("x").headers(before).build());
            NewTask other = TaskToPut.of("x").headers(Map.of("b", "2")).build();
            open(() -> store.replace(tube, id, TaskState.READY, other)).rollback();
            assertThat(store.reads().find(tube, id).orElseThrow().headers()).isEqualTo(before);
            assertThat(store.replace(tube, id, TaskState.READY, other)).isPresent();
            assertThat(take(tube).headers()).isEqualTo(Map.of("b", "2"));
        }

        // Waiting

        @Test
        void a_change_waits_for_the_transaction_that_has_changed_the_task() throws Exception {
            put("x");
            Task held = take(tube);
            TestTransaction other = open(() -> Calls.ack(store, tube, holder, held));
            CompletableFuture<Optional<TaskState>> delete =
                    CompletableFuture.supplyAsync(() -> Calls.delete(store, tube, held.id()));
            assertWaits(delete);
            other.commit();
            assertThat(delete.get()).isEmpty();
        }

        @Test
        void after_a_rollback_a_waiting_change_finds_the_task_as_it_was() throws Exception {
            put("x");
            Task held = take(tube);
            TestTransaction other = open(() -> Calls.bury(store, tube, holder, held));
            CompletableFuture<Boolean> ack = CompletableFuture.supplyAsync(() -> Calls.ack(store, tube, holder, held));
            assertWaits(ack);
            other.rollback();
            assertThat(ack.get()).isTrue();
        }

        @Test
        void a_put_of_a_key_waits_for_the_transaction_that_puts_it() throws Exception {
            TestTransaction first = open(() -> putKeyed("k"));
            CompletableFuture<Put> loser = CompletableFuture.supplyAsync(() -> putKeyed("k"));
            assertWaits(loser);
            first.commit();
            assertThat(loser.get().outcome()).isEqualTo(Put.Outcome.EXISTS);
        }

        @Test
        void a_rollback_of_the_put_of_a_key_lets_the_next_one_put() throws Exception {
            TestTransaction first = open(() -> putKeyed("k"));
            CompletableFuture<Put> next = CompletableFuture.supplyAsync(() -> putKeyed("k"));
            assertWaits(next);
            first.rollback();
            assertThat(next.get().outcome()).isEqualTo(Put.Outcome.DONE);
        }

        private Put putKeyed(String key) {
            return store.put(tube, List.of(TaskToPut.of(key).uniqueKey(key).build()));
        }

        @Test
        void a_transaction_never_waits_for_itself() {
            TestTransaction transaction = open(() -> {
                long id = putKeyed("k").id();
                assertThat(putKeyed("k")).isEqualTo(Put.exists(id));
                Task held = take(tube);
                assertThat(Calls.touch(store, tube, holder, held, SECOND)).isPresent();
                assertThat(Calls.done(store, tube, holder, held, TaskResult.completed("r")))
                        .isPresent();
                assertThat(putKeyed("k").outcome()).isEqualTo(Put.Outcome.DONE);
                assertThat(Calls.delete(store, tube, id)).contains(TaskState.DONE);
                return assertThat(Calls.truncate(store, tube)).isEqualTo(count(TaskState.READY, 1));
            });
            transaction.commit();
            assertThat(counts(tube)).isEmpty();
        }

        @Test
        void a_change_does_not_wait_for_a_task_that_is_in_another_state() {
            long id = put("x");
            TestTransaction other = open(() -> claim(tube, 1));
            assertThat(Calls.dig(store, tube, id)).isEmpty();
            other.rollback();
        }

        /** PostgreSQL gets them in parts. */
        @Test
        void many_large_tasks_are_put_in_their_order_with_the_data_of_each() {
            int count = 23;
            List<NewTask> large = IntStream.range(0, count)
                    .mapToObj(i -> task(String.valueOf((char) ('a' + i)).repeat(1 << 20)))
                    .toList();
            List<Long> ids = store.put(tube, large).ids();
            assertThat(ids).hasSize(count).isSorted().doesNotHaveDuplicates();
            assertThat(claimIds(tube, count)).isEqualTo(ids);
            for (int i = 0; i < count; i++) {
                assertThat(store.reads().find(tube, ids.get(i)).orElseThrow().data())
                        .isEqualTo(large.get(i).data());
            }
        }

        // Drop

        @Test
        void nothing_is_put_into_a_tube_that_was_dropped() {
            StoredTube dropped = create(TubeDefinition.fifo(RunningNode.newName()));
            drop(dropped);
            assertThat(store.put(dropped, List.of(task("a")))).isEqualTo(Put.NO_TUBE);
            assertThat(store.put(dropped, List.of(task("a"), task("b")))).isEqualTo(Put.NO_TUBE);
        }

        @Test
        void a_put_beside_a_drop_that_is_rolled_back_is_done() throws Exception {
            long before = put("before");
            TestTransaction other = open(() -> {
                drop(tube);
                return true;
            });
            CompletableFuture<Long> put = CompletableFuture.supplyAsync(() -> put("a"));
            other.rollback();
            long after = put.get();
            assertThat(claimIds(tube, 5)).containsExactly(before, after);
        }

        // Deliveries

        @Test
        void a_failure_is_kept_and_the_task_is_delayed() {
            put("a");
            Task task = take(tube);
            TaskFailure failure = TaskFailure.of(new IllegalStateException("why\0not"));
            assertThat(Calls.fail(store, tube, holder, task, failure, Optional.of(Duration.ofMinutes(1))))
                    .isPresent();
            TaskMeta meta = meta(tube, task.id());
            assertThat(meta.state()).isEqualTo(TaskState.DELAYED);
            assertThat(meta.lastFailure()).contains(failure);
            assertThat(Calls.fail(store, tube, holder, task, failure, Optional.empty()))
                    .as("it is not held any more")
                    .isEmpty();
        }

        @Test
        void a_returned_task_does_not_count_as_an_attempt() {
            put("a");
            put("b");
            List<Task> tasks = claim(tube, 2);
            assertThat(Calls.returnUnstarted(store, tube, holder, tasks)).hasSize(2);
            assertThat(Calls.returnUnstarted(store, tube, holder, tasks)).isEmpty();
            assertThat(claim(tube, 2)).extracting(Task::attempts).containsExactly(1, 1);
        }

        @Test
        void bury_keeps_attempts_dig_resets_them_and_a_return_undoes_one() {
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
        void a_read_together_with_a_change_returns_what_the_change_made() {
            long id = put("a");
            assertThat(Calls.buryUnheld(store, tube, id, TaskState.READY)).isPresent();
            List<Task> kicked = store.together(() -> store.reads().tasks(tube, Calls.kick(store, tube, 1)));
            assertThat(kicked).singleElement().satisfies(task -> {
                assertThat(task.state()).isEqualTo(TaskState.READY);
                assertThat(task.text()).isEqualTo("a");
                assertThat(task.tube()).isEqualTo(tube.name());
                assertThat(task.token()).isZero();
            });
        }

        @Test
        void a_failure_undoes_all_calls_that_are_made_together() {
            long id = put("a");
            assertThatThrownBy(() -> store.together(() -> {
                        assertThat(Calls.delete(store, tube, id)).contains(TaskState.READY);
                        assertThat(store.reads().tasks(tube, List.of(id))).isEmpty();
                        throw new IllegalStateException("thrown on purpose");
                    }))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(store.reads().find(tube, id)).isPresent();
        }

        @Test
        void truncate_returns_the_tasks_as_they_were() {
            put("a");
            put("b");
            claim(tube, 1);
            assertThat(Calls.truncateReturningTasks(store, tube))
                    .extracting(task -> task.text() + " " + task.state())
                    .containsExactlyInAnyOrder("a TAKEN", "b READY");
            assertThat(counts(tube)).isEmpty();
            assertThat(Calls.truncateReturningTasks(store, tube)).isEmpty();
        }

        @Test
        void truncate_counts_the_tasks_of_each_state() {
            put("a");
            put("b");
            put("c");
            claim(tube, 1);
            assertThat(Calls.truncate(store, tube))
                    .containsExactlyInAnyOrder(
                            new TubeCount(tube.id(), TaskState.TAKEN, 1), new TubeCount(tube.id(), TaskState.READY, 2));
            assertThat(counts(tube)).isEmpty();
        }

        // Times

        @Test
        void release_with_delay_prolongs_and_with_ttl_sets_the_life_anew() {
            long id = put(tube, living(SECOND.multipliedBy(10), SECOND));
            Optional<Transitioned> released = Calls.release(store, tube, holder, take(tube), SECOND, Optional.empty());
            assertThat(released.orElseThrow().untilDeadline()).contains(SECOND);
            assertThat(meta(tube, id).state()).isEqualTo(TaskState.DELAYED);
            assertThat(meta(tube, id).ttl()).contains(SECOND.multipliedBy(11));
            pass(SECOND);
            store.sweep(any -> false);
            Calls.release(store, tube, holder, take(tube), SECOND, Optional.of(SECOND.multipliedBy(2)));
            assertThat(meta(tube, id).ttl()).contains(SECOND.multipliedBy(4));
            pass(SECOND);
            store.sweep(any -> false);
            Calls.release(store, tube, holder, take(tube), Duration.ZERO, Optional.of(SECOND));
            assertThat(meta(tube, id).state()).isEqualTo(TaskState.READY);
            assertThat(meta(tube, id).event())
                    .contains(TestStore.START.plus(SECOND).plus(SECOND).plus(SECOND));
            assertThat(meta(tube, id).attempts()).isEqualTo(3);
        }

        @Test
        void touch_and_heartbeat_move_the_deadline() {
            long id = put(tube, living(SECOND.multipliedBy(10), SECOND));
            Task held = take(tube);
            assertThat(Calls.touch(store, tube, holder, held, SECOND)
                            .orElseThrow()
                            .untilDeadline())
                    .contains(SECOND.multipliedBy(2));
            assertThat(meta(tube, id).ttl()).contains(SECOND.multipliedBy(11));
            assertThat(Calls.heartbeat(store, tube, holder, held).orElseThrow().untilDeadline())
                    .contains(SECOND);
            assertThat(Calls.touch(store, tube, new Holder(UUID.randomUUID(), 1), held, SECOND))
                    .isEmpty();
        }

        @Test
        void an_expired_task_is_not_claimed_even_before_a_sweep_removes_it() {
            put(tube, living(SECOND, SECOND));
            long second = put("y");
            pass(SECOND);
            assertThat(claimIds(tube, 9)).containsExactly(second);
        }

        @Test
        void a_sweep_ends_ttr_delay_and_ttl_and_returns_the_time_until_the_next() {
            long taken = put(tube, living(SECOND.multipliedBy(5), SECOND));
            long late = put(tube, TaskToPut.of("x").delay(SECOND).build());
            take(tube);
            assertThat(store.sweep(any -> false).untilNext()).contains(SECOND);
            pass(SECOND);
            Sweep sweep = store.sweep(any -> any == tube.id());
            assertThat(sweep.untilNext()).contains(Duration.ZERO);
            assertThat(sweep.swept())
                    .extracting(
                            swept -> swept.done().from(), swept -> swept.done().ids())
                    .containsExactlyInAnyOrder(
                            tuple(TaskState.TAKEN, List.of(taken)), tuple(TaskState.DELAYED, List.of(late)));
            assertThat(meta(tube, taken).session()).isEmpty();
            assertThat(store.sweep(any -> false).untilNext()).contains(SECOND.multipliedBy(4));
            pass(SECOND.multipliedBy(4));
            Sweep ttl = store.sweep(any -> any == tube.id());
            assertThat(ttl.swept()).hasSize(1);
            assertThat(ttl.swept().get(0).done().tasks()).extracting(Task::id).containsExactly(taken);
            assertThat(store.reads().find(tube, taken)).isEmpty();
        }

        @Test
        void a_sweep_skips_a_task_that_its_holder_is_acking() {
            put(tube, TaskToPut.of("a").ttr(SECOND).build());
            Task task = take(tube);
            TestTransaction other = begin();
            assertThat(other.in(() -> Calls.ack(store, tube, holder, task))).isTrue();
            pass(SECOND);
            assertSweepsNothingButSoonAgain();
            other.commit();
            assertThat(store.reads().find(tube, task.id())).isEmpty();
        }

        @Test
        void a_sweep_skips_tasks_that_a_transaction_has_changed_and_is_due_again_soon() {
            long id = put(tube, living(SECOND, SECOND));
            TestTransaction other = open(() -> take(tube));
            pass(SECOND);
            assertSweepsNothingButSoonAgain();
            other.rollback();
            assertThat(store.sweep(any -> false).swept()).hasSize(1);
            assertThat(store.reads().find(tube, id)).isEmpty();
        }

        private void assertSweepsNothingButSoonAgain() {
            Sweep sweep = store.sweep(any -> false);
            assertThat(sweep.swept()).isEmpty();
            assertThat(sweep.untilNext().orElseThrow()).as("no busy loop").isBetween(Duration.ofMillis(1), SECOND);
        }

        @Test
        void a_sweep_skips_any_number_of_locked_deadlines() {
            store.put(
                    tube,
                    IntStream.range(0, 7_000)
                            .mapToObj(i -> living(SECOND, SECOND))
                            .toList());
            TestTransaction other = open(() -> Calls.truncate(store, tube));
            long last = put(tube, living(SECOND, SECOND));
            pass(SECOND);
            boolean removed = false;
            for (int i = 0; i < 100 && !removed; i++) {
                removed = store.sweep(any -> false).swept().stream()
                        .anyMatch(swept -> swept.done().ids().contains(last));
            }
            assertThat(removed)
                    .as("a task that is due after 7,000 locked ones is removed")
                    .isTrue();
            for (int i = 0; i < 5; i++) {
                assertSweepsNothingButSoonAgain();
            }
            other.rollback();
            Optional<Duration> untilNext = Optional.of(Duration.ZERO);
            for (int i = 0; i < 1_000 && untilNext.isPresent(); i++) {
                untilNext = store.sweep(any -> false).untilNext();
            }
            assertThat(untilNext).as("then all of them are").isEmpty();
            assertThat(counts(tube)).isEmpty();
        }

        @Test
        void a_deadline_that_a_transaction_moves_counts_until_its_commit() {
            put(tube, living(SECOND, SECOND.multipliedBy(9)));
            TestTransaction other = open(() -> take(tube));
            assertThat(store.sweep(any -> false).untilNext().orElseThrow()).isLessThanOrEqualTo(SECOND);
            other.commit();
            assertThat(store.sweep(any -> false).untilNext()).contains(SECOND.multipliedBy(9));
        }
    }
}
