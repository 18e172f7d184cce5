package org.tasktube.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.spi.Position;
import org.tasktube.testing.Calls;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestStore;
import org.tasktube.testing.TestTransaction;

import static org.assertj.core.api.Assertions.assertThat;

/** The rules of sub-queues that every store keeps beside open transactions. */
class SubQueueContractTest {

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

        @Test
        void a_head_whose_ttl_is_over_is_not_taken_and_holds_its_sub_queue_until_the_sweep_removes_it() {
            put(
                    subQueues,
                    TaskToPut.of("x").ttl(Duration.ofSeconds(1)).utube("a").build());
            long second = put(subQueues, inSubQueue("a", 0));
            pass(Duration.ofSeconds(2));
            assertThat(claimIds(subQueues, 9)).isEmpty();
            store.sweep(any -> false);
            assertThat(claimIds(subQueues, 9)).containsExactly(second);
        }

        /** A promotion ends when enough tasks are ready, and these are not. */
        @Test
        void heads_whose_ttl_is_over_do_not_hide_a_living_one() {
            List<NewTask> mortal = new ArrayList<>();
            for (int i = 0; i < 1_500; i++) {
                mortal.add(TaskToPut.of("x")
                        .ttl(Duration.ofSeconds(1))
                        .utube("sub-queue " + i)
                        .build());
            }
            store.put(subQueues, mortal);
            long living = put(subQueues, inSubQueue("living", 0));
            pass(Duration.ofSeconds(2));
            assertThat(claimIds(subQueues, 1)).containsExactly(living);
        }

        /** As after a virtual machine was resumed, or a wrong server of time was asked. */
        @Test
        void a_step_of_the_clock_forward_and_back_leaves_no_sub_queue_without_a_head() {
            for (boolean isAlone : List.of(true, false)) {
                String utube = "after " + isAlone;
                if (!isAlone) {
                    put(subQueues, inSubQueue(utube, 0));
                }
                long last = put(
                        subQueues,
                        TaskToPut.of("x").utube(utube).ttl(Duration.ofDays(30)).build());
                pass(Duration.ofDays(365));
                List<Task> claimed = claim(subQueues, 9);
                assertThat(claimed).hasSize(isAlone ? 0 : 1);
                pass(Duration.ofDays(-365));
                claimed.forEach(task -> Calls.ack(store, subQueues, holder, task));
                Task taken = take(subQueues);
                assertThat(taken.id()).isEqualTo(last);
                Calls.ack(store, subQueues, holder, taken);
            }
        }

        Rules(TestStore.Kind kind) {
            super(kind);
        }

        private static NewTask task(String text, String utube) {
            return TaskToPut.of(text).utube(utube).build();
        }

        /** Begins a transaction that sees the heads, and does something in it. */
        private TestTransaction openAtHeads(Supplier<?> work) {
            store.promoteHeads(subQueues);
            return open(work);
        }

        @Test
        void a_put_while_the_only_task_of_the_sub_queue_is_acked_is_next_after_that_commit() {
            put(subQueues, task("a", "a"));
            Task only = take(subQueues);
            TestTransaction other = open(() -> Calls.ack(store, subQueues, holder, only));
            put(subQueues, task("b", "a"));
            assertThat(promoteAndClaim()).isEmpty();
            assertThat(promoteAndClaim()).isEmpty();
            other.commit();
            assertThat(promoteAndClaim()).containsExactly("b");
        }

        @Test
        void an_uncommitted_put_while_the_only_task_is_acked_is_next_after_its_commit() {
            put(subQueues, task("a", "a"));
            Task only = take(subQueues);
            TestTransaction other = open(() -> put(subQueues, task("b", "a")));
            assertThat(Calls.ack(store, subQueues, holder, only)).isTrue();
            assertThat(promoteAndClaim()).isEmpty();
            other.commit();
            assertThat(promoteAndClaim()).containsExactly("b");
        }

        @Test
        void a_put_after_the_only_task_was_taken_is_next_after_the_ack() {
            put(subQueues, task("a", "a"));
            Task only = take(subQueues);
            put(subQueues, task("b", "a"));
            assertThat(promoteAndClaim()).isEmpty();
            assertThat(Calls.ack(store, subQueues, holder, only)).isTrue();
            assertThat(promoteAndClaim()).containsExactly("b");
        }

        private List<String> promoteAndClaim() {
            store.promoteHeads(subQueues);
            return claimTexts(subQueues, 5);
        }

        @Test
        void of_a_sub_queue_one_task_is_taken_and_an_ack_unblocks_the_next_at_its_commit() {
            long first = put(subQueues, inSubQueue("a", 0));
            long second = put(subQueues, inSubQueue("a", 0));
            long elsewhere = put(subQueues, inSubQueue("b", 0));
            List<Task> taken = claim(subQueues, 9);
            assertThat(taken).extracting(Task::id).containsExactly(first, elsewhere);
            TestTransaction other = open(() -> Calls.ack(store, subQueues, holder, taken.get(0)));
            assertThat(claim(subQueues, 9)).isEmpty();
            assertThat(other.in(() -> claim(subQueues, 9))).isEmpty();
            other.commit();
            assertThat(claimIds(subQueues, 9)).containsExactly(second);
        }

        @Test
        void an_uncommitted_take_blocks_its_sub_queue() {
            long first = put(subQueues, inSubQueue("a", 0));
            put(subQueues, inSubQueue("a", 0));
            TestTransaction other = openAtHeads(() -> claim(subQueues, 9));
            assertThat(claim(subQueues, 9)).isEmpty();
            long ahead = put(
                    subQueues, TaskToPut.of("a").utube("a").at(Position.first()).build());
            assertThat(claim(subQueues, 9)).isEmpty();
            other.rollback();
            assertThat(claimIds(subQueues, 9)).containsExactly(ahead).doesNotContain(first);
        }

        @Test
        void a_put_into_a_sub_queue_is_not_claimable_before_its_commit_even_in_its_transaction() {
            TestTransaction other = begin();
            long id = other.in(() -> put(subQueues, inSubQueue("a", 0)));
            store.promoteHeads(subQueues);
            assertThat(other.in(() -> claim(subQueues, 9))).isEmpty();
            other.commit();
            assertThat(claimIds(subQueues, 9)).containsExactly(id);
        }

        @Test
        void a_task_that_a_transaction_takes_and_releases_still_blocks_its_sub_queue() {
            put(subQueues, inSubQueue("a", 1));
            TestTransaction other = openAtHeads(() -> Calls.release(store, subQueues, holder, take(subQueues)));
            long ahead = put(subQueues, inSubQueue("a", 0));
            assertThat(claim(subQueues, 9)).isEmpty();
            assertThat(other.in(() -> claim(subQueues, 9))).hasSize(1);
            other.rollback();
            assertThat(claimIds(subQueues, 9)).containsExactly(ahead);
        }

        @Test
        void after_release_the_same_task_is_next_and_after_bury_the_one_after_it() {
            long first = put(subQueues, inSubQueue("a", 0));
            long second = put(subQueues, inSubQueue("a", 0));
            Calls.release(store, subQueues, holder, take(subQueues));
            assertThat(claimIds(subQueues, 1)).containsExactly(first);
            Calls.releaseAll(store, subQueues);
            Task again = take(subQueues);
            assertThat(again.id()).isEqualTo(first);
            Calls.bury(store, subQueues, holder, again);
            assertThat(claimIds(subQueues, 9)).containsExactly(second);
        }

        @Test
        void a_replacement_moves_to_its_new_sub_queue() {
            long first = put(subQueues, inSubQueue("a", 0));
            long second = put(subQueues, inSubQueue("a", 0));
            store.replace(subQueues, first, TaskState.READY, inSubQueue("b", 0));
            assertThat(claimIds(subQueues, 9)).containsExactlyInAnyOrder(first, second);
        }

        @Test
        void a_drop_that_has_not_ended_does_not_hold_takes() throws Exception {
            long id = put(subQueues, inSubQueue("a", 0));
            TestTransaction other = open(() -> {
                drop(subQueues);
                return true;
            });
            // Longer than promotion waits for another promoter, and shorter than for ever
            CompletableFuture<List<Long>> taken = CompletableFuture.supplyAsync(() -> claimIds(subQueues, 1));
            assertThat(taken.get(60, TimeUnit.SECONDS)).isEmpty();
            other.rollback();
            assertThat(claimIds(subQueues, 1)).containsExactly(id);
        }
    }
}
