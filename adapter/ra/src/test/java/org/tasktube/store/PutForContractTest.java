package org.tasktube.store;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.tasktube.History;
import org.tasktube.Task;
import org.tasktube.TaskMeta;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.TaskEvent;
import org.tasktube.testing.Calls;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestStore;

import static org.assertj.core.api.Assertions.assertThat;

/** A task that is put for a holder is as one that it has taken. */
class PutForContractTest {

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

    abstract static class Rules extends StoreContract {

        private static final long TOKEN = 7;

        Rules(TestStore.Kind kind) {
            super(kind);
        }

        private Put putFor(StoredTube into, NewTask task) {
            return store.putFor(into, task, holder, TOKEN, () -> ClaimRange.of(OrderKey.START, 0));
        }

        private List<TaskEvent> moves(StoredTube of, long id) {
            return store.histories().of(of, id, 0, 500, 100).moves().stream()
                    .map(TaskLog.Move::event)
                    .toList();
        }

        private Put putFor(NewTask task) {
            return putFor(tube, task);
        }

        @Test
        void a_task_that_is_put_for_a_holder_is_as_one_that_it_has_taken() {
            NewTask task = living(SECOND.multipliedBy(5), SECOND);
            long taken = put(tube, task);
            Task byClaim = take(tube);
            Put put = putFor(task);
            assertThat(put.outcome()).isEqualTo(Put.Outcome.TAKEN);
            TaskMeta claimed = meta(tube, taken);
            TaskMeta given = meta(tube, put.id());
            assertThat(given).usingRecursiveComparison().ignoringFields("id").isEqualTo(claimed);
            assertThat(store.reads().find(tube, put.id()).orElseThrow())
                    .usingRecursiveComparison()
                    .ignoringFields("id", "token")
                    .isEqualTo(store.reads().find(tube, byClaim.id()).orElseThrow());
            pass(SECOND);
            assertThat(store.sweep(any -> any == tube.id()).swept())
                    .as("the ttr counts from the put")
                    .flatExtracting(swept -> swept.done().ids())
                    .containsExactlyInAnyOrder(taken, put.id());
        }

        @Test
        void its_holder_alone_ends_it_and_no_claim_gets_it() {
            Task task = held(putFor(TaskToPut.of("x").build()));
            assertThat(claim(tube, 9)).isEmpty();
            assertThat(store.apply(tube, Change.of(Transition.ACK), new Holder(UUID.randomUUID(), 1), task))
                    .isEmpty();
            assertThat(store.apply(tube, Change.of(Transition.ACK), holder, task))
                    .isPresent();
        }

        private Task held(Put put) {
            assertThat(put.outcome()).isEqualTo(Put.Outcome.TAKEN);
            return store.reads().find(tube, put.id()).orElseThrow();
        }

        @Test
        void a_return_makes_it_as_it_would_be_by_any_other_put() {
            NewTask plain = TaskToPut.of("x").ttl(SECOND).ttr(SECOND).build();
            Task task = held(putFor(plain));
            assertThat(Calls.returnUnstarted(store, tube, holder, List.of(task)))
                    .hasSize(1);
            assertThat(meta(tube, task.id()).attempts()).isZero();
            assertThat(claimIds(tube, 9)).containsExactly(task.id());
        }

        @Test
        void it_is_ready_if_a_task_that_is_ready_comes_first() {
            put(tube, TaskToPut.of("first").pri(5).build());
            assertThat(putFor(TaskToPut.of("later").pri(5).build()).outcome()).isEqualTo(Put.Outcome.DONE);
            assertThat(putFor(TaskToPut.of("before both").pri(4).build()).outcome())
                    .isEqualTo(Put.Outcome.TAKEN);
            assertThat(claim(tube, 9)).extracting(Task::text).containsExactly("first", "later");
        }

        @Test
        void so_many_may_come_first_as_there_are_threads_for() {
            put("first");
            put("second");
            assertThat(store.putFor(tube, task("third"), holder, TOKEN, () -> ClaimRange.of(OrderKey.START, 1))
                            .outcome())
                    .isEqualTo(Put.Outcome.DONE);
            take(tube);
            take(tube);
            assertThat(store.putFor(tube, task("fourth"), holder, TOKEN, () -> ClaimRange.of(OrderKey.START, 1))
                            .outcome())
                    .isEqualTo(Put.Outcome.TAKEN);
        }

        @Test
        void it_looks_after_a_position_for_tasks_before_it() {
            put("first");
            OrderKey afterFirst = new OrderKey(0, Long.MAX_VALUE, 0);
            assertThat(store.putFor(tube, task("second"), holder, TOKEN, () -> ClaimRange.of(OrderKey.START, 0))
                            .outcome())
                    .isEqualTo(Put.Outcome.DONE);
            assertThat(store.putFor(tube, task("third"), holder, TOKEN, () -> ClaimRange.of(afterFirst, 0))
                            .outcome())
                    .isEqualTo(Put.Outcome.TAKEN);
        }

        @Test
        void what_others_have_not_committed_or_hold_or_delay_is_not_in_its_way() {
            open(() -> put(tube, TaskToPut.of("open").build()));
            put(tube, TaskToPut.of("delayed").delay(SECOND).build());
            put("taken");
            take(tube);
            put(limited, TaskToPut.of("of another tube").build());
            assertThat(putFor(TaskToPut.of("x").build()).outcome()).isEqualTo(Put.Outcome.TAKEN);
        }

        @Test
        void a_rollback_undoes_it() {
            var transaction = open(() -> putFor(TaskToPut.of("x").build()));
            transaction.rollback();
            assertThat(store.reads().first(tube, TaskState.TAKEN)).isEmpty();
        }

        @Test
        void it_is_ready_where_a_put_needs_more_than_a_row() {
            assertThat(putFor(limited, TaskToPut.of("x").build()).outcome()).isEqualTo(Put.Outcome.DONE);
        }

        @Test
        void a_history_has_the_put_and_the_take_as_after_a_claim_by_a_bean() {
            StoredTube kept =
                    create(TubeDefinition.fifottl(RunningNode.newName()).history(History.ALL));
            NewTask task = living(SECOND.multipliedBy(5), SECOND);
            long claimed = put(kept, task);
            assertThat(store.claim(kept, holder, OrderKey.START, 1)).hasSize(1);
            Put put = InName.of("somebody", () -> putFor(kept, task));
            assertThat(put.outcome()).isEqualTo(Put.Outcome.TAKEN);
            List<TaskEvent> moves = moves(kept, put.id());
            assertThat(moves)
                    .usingRecursiveFieldByFieldElementComparatorIgnoringFields("at", "until", "by")
                    .isEqualTo(moves(kept, claimed));
            assertThat(moves).extracting(TaskEvent::by).containsExactly(Optional.of("somebody"), Optional.empty());
            assertThat(moves).extracting(TaskEvent::until).doesNotContain(Optional.empty());
            assertThat(putFor(kept, living(SECOND, SECOND)).outcome()).isEqualTo(Put.Outcome.TAKEN);
            long ready = put(kept, task);
            Put behind = putFor(kept, task);
            assertThat(behind.outcome()).isEqualTo(Put.Outcome.DONE);
            assertThat(moves(kept, behind.id())).hasSameSizeAs(moves(kept, ready));
            drop(kept);
        }

        @Test
        void nothing_is_put_into_a_tube_that_was_dropped() {
            StoredTube dropped = create(TubeDefinition.fifottl(RunningNode.newName()));
            drop(dropped);
            assertThat(putFor(dropped, TaskToPut.of("x").build()).outcome()).isEqualTo(Put.Outcome.NO_TUBE);
        }
    }
}
