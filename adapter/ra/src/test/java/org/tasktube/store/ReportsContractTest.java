package org.tasktube.store;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.spi.Position;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestStore;
import org.tasktube.testing.TestTransaction;

import static org.assertj.core.api.Assertions.assertThat;

/** The rules of the reads for those who operate TaskTube that every store keeps. */
class ReportsContractTest {

    @Nested
    class OnH2 extends Rules {
        OnH2() {
            super(TestStore.Kind.H2, false);
        }
    }

    @Nested
    class OnPostgreSql extends Rules {
        OnPostgreSql() {
            super(TestStore.Kind.POSTGRESQL, true);
        }
    }

    @Nested
    class Temporary extends Rules {
        Temporary() {
            super(TestStore.Kind.TEMPORARY, true);
        }
    }

    abstract static class Rules extends StoreContract {

        private static final int MOST = 10;

        private final boolean knowsLocks;

        Rules(TestStore.Kind kind, boolean knowsLocks) {
            super(kind);
            this.knowsLocks = knowsLocks;
        }

        private Situation situation(StoredTube of, long id) {
            return store.reports().situation(of, id, MOST).orElseThrow();
        }

        private Situation situation(long id) {
            return situation(tube, id);
        }

        private long put(StoredTube to, String utube) {
            return put(to, inSubQueue(utube, 0));
        }

        private Optional<Long> oldest(StoredTube of) {
            return oldest(of, MOST);
        }

        private Optional<Long> oldest(StoredTube of, int priorities) {
            return store.reports().oldestReady(priorities).stream()
                    .filter(task -> task.tube().equals(of.name()))
                    .map(OldestTask::id)
                    .findFirst();
        }

        @Test
        void a_task_of_another_tube_has_no_situation() {
            long id = put("x");
            assertThat(store.reports().situation(limited, id, MOST)).isEmpty();
            assertThat(store.reports().situation(tube, id + 1, MOST)).isEmpty();
        }

        @Test
        void the_tasks_before_a_ready_one_are_those_that_a_claim_prefers_in_order() {
            long late = put(tube, TaskToPut.of("late").pri(5).build());
            long one = put("one");
            long urgent = put(tube, TaskToPut.of("urgent").at(Position.first()).build());
            long delayed = put(tube, TaskToPut.of("x").delay(SECOND).build());
            put(tube, TaskToPut.of("after").pri(6).build());
            assertThat(situation(late).before()).containsExactly(urgent, one);
            assertThat(situation(urgent).before()).isEmpty();
            assertThat(situation(delayed).before()).isEmpty();
            assertThat(situation(delayed).task().task().meta().state()).isEqualTo(TaskState.DELAYED);
        }

        @Test
        void no_more_tasks_before_it_are_read_than_wanted() {
            for (int i = 0; i < MOST + 2; i++) {
                put("x");
            }
            long last = put("last");
            assertThat(store.reports().situation(tube, last, MOST).orElseThrow().before())
                    .hasSize(MOST);
        }

        @Test
        void a_task_whose_ttl_is_over_is_not_before_others() {
            long brief = put(tube, living(SECOND, SECOND));
            long other = put("other");
            pass(SECOND);
            assertThat(situation(brief).isOver()).isTrue();
            assertThat(situation(other).isOver()).isFalse();
            assertThat(situation(other).before()).isEmpty();
        }

        @Test
        void a_taken_task_has_its_session_and_the_tube_its_holder() {
            long id = put("x");
            long other = put("y");
            assertThat(situation(other).holders()).isEmpty();
            Task taken = take(tube);
            ScannedTask seen = situation(id).task().task();
            assertThat(taken.id()).isEqualTo(id);
            assertThat(seen.meta().session()).contains(holder.session());
            assertThat(seen.node()).isEqualTo(holder.node());
            assertThat(situation(other).holders()).containsExactly(holder.node());
            assertThat(situation(other).before()).isEmpty();
        }

        @Test
        void a_task_is_blocked_behind_the_taken_task_of_its_sub_queue() {
            long first = put(subQueues, "a");
            long second = put(subQueues, "a");
            long third = put(subQueues, "a");
            long elsewhere = put(subQueues, "b");
            assertThat(claimIds(subQueues, 1)).containsExactly(first);
            Situation waiting = situation(subQueues, third);
            assertThat(waiting.isBlocked()).isTrue();
            assertThat(waiting.head().orElseThrow().task().meta().id()).isEqualTo(first);
            assertThat(waiting.head().orElseThrow().task().meta().state()).isEqualTo(TaskState.TAKEN);
            assertThat(waiting.before()).containsExactly(second);
            store.promoteHeads(subQueues);
            assertThat(situation(subQueues, elsewhere).isBlocked()).isFalse();
            assertThat(situation(subQueues, elsewhere).head()).isEmpty();
        }

        @Test
        void a_task_is_blocked_behind_the_ready_task_of_its_sub_queue() {
            long first = put(subQueues, "a");
            long second = put(subQueues, "a");
            store.promoteHeads(subQueues);
            assertThat(situation(subQueues, first).isBlocked()).isFalse();
            Situation waiting = situation(subQueues, second);
            assertThat(waiting.head().orElseThrow().task().meta().id()).isEqualTo(first);
            assertThat(waiting.head().orElseThrow().task().meta().state()).isEqualTo(TaskState.READY);
        }

        @Test
        void a_task_that_an_open_transaction_has_taken_is_locked_for_others_only() {
            long id = put("x");
            assertThat(situation(id).task().isLocked()).isFalse();
            TestTransaction open = open(() -> take(tube));
            assertThat(situation(id).task().isLocked()).isEqualTo(knowsLocks);
            assertThat(situation(id).task().task().meta().state()).isEqualTo(TaskState.READY);
            Situation own = open.in(() -> situation(id));
            assertThat(own.task().isLocked()).isFalse();
            assertThat(own.task().task().meta().state()).isEqualTo(TaskState.TAKEN);
            open.close();
            assertThat(situation(id).task().isLocked()).isFalse();
        }

        @Test
        void a_task_that_was_changed_in_the_past_is_not_locked() {
            long id = put("x");
            Task taken = take(tube);
            store.apply(tube, Change.of(Transition.RELEASE), holder, taken);
            committing(false, () -> take(tube));
            assertThat(situation(id).task().isLocked()).isFalse();
        }

        @Test
        void the_oldest_ready_task_is_the_earliest_put_of_all_priorities() {
            assertThat(oldest(tube)).isEmpty();
            long old = put(tube, TaskToPut.of("x").pri(5).build());
            pass(SECOND);
            long young = put(tube, TaskToPut.of("y").pri(1).build());
            assertThat(oldest(tube)).contains(old);
            assertThat(oldest(tube, 1)).contains(young);
        }

        @Test
        void the_oldest_ready_task_has_its_age_by_the_clock_of_the_store() {
            put("x");
            pass(Duration.ofMinutes(3));
            OldestTask oldest = store.reports().oldestReady(MOST).stream()
                    .filter(task -> task.tube().equals(tube.name()))
                    .findFirst()
                    .orElseThrow();
            assertThat(Duration.between(oldest.created(), oldest.now())).isEqualTo(Duration.ofMinutes(3));
        }

        @Test
        void urgent_tasks_do_not_hide_older_ones() {
            long old = put("old");
            pass(SECOND);
            long urgent = put(tube, TaskToPut.of("x").at(Position.first()).build());
            pass(SECOND);
            put(tube, TaskToPut.of("x").at(Position.first()).build());
            assertThat(oldest(tube)).contains(old);
            store.apply(tube, Change.of(Transition.DELETE), old);
            assertThat(oldest(tube)).contains(urgent);
        }

        @Test
        void tasks_that_no_claim_gets_are_not_the_oldest() {
            put(tube, living(SECOND, SECOND));
            put(tube, TaskToPut.of("x").delay(Duration.ofHours(1)).build());
            put("taken");
            pass(SECOND);
            take(tube);
            assertThat(oldest(tube)).isEmpty();
            long ready = put("ready");
            assertThat(oldest(tube)).contains(ready);
        }

        @Test
        void a_requeued_task_is_the_oldest_when_it_is_the_first_again() {
            long requeued = put("x");
            pass(SECOND);
            long other = put("y");
            Task taken = take(tube);
            store.apply(tube, Change.of(Transition.REQUEUE), holder, taken);
            assertThat(oldest(tube)).contains(other);
            assertThat(claimIds(tube, 1)).containsExactly(other);
            assertThat(oldest(tube)).contains(requeued);
        }

        @Test
        void the_first_task_of_a_sub_queue_is_the_oldest_also_while_the_one_before_it_is_taken() {
            long first = put(subQueues, "a");
            pass(SECOND);
            long second = put(subQueues, "a");
            pass(SECOND);
            put(subQueues, "a");
            long other = put(subQueues, "b");
            store.promoteHeads(subQueues);
            assertThat(oldest(subQueues)).contains(first);
            assertThat(claimIds(subQueues, 1)).containsExactly(first);
            assertThat(oldest(subQueues)).contains(second);
            assertThat(claimIds(subQueues, 1)).containsExactly(other);
            assertThat(oldest(subQueues)).contains(second);
        }

        @Test
        void a_transaction_sees_its_own_tasks() {
            try (TestTransaction transaction = begin()) {
                long id = transaction.in(() -> put("x"));
                assertThat(transaction.in(() -> oldest(tube))).contains(id);
                assertThat(transaction.in(() -> situation(id).before())).isEmpty();
                assertThat(oldest(tube)).isEmpty();
                assertThat(store.reports().situation(tube, id, MOST)).isEmpty();
            }
        }
    }
}
