package org.tasktube.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.tasktube.History;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskFailure;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeEvent;
import org.tasktube.admin.TaskEvent;
import org.tasktube.spi.Position;
import org.tasktube.testing.Calls;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestStore;
import org.tasktube.testing.TestTransaction;

import static org.assertj.core.api.Assertions.assertThat;

/** The histories of tasks that every store keeps. */
class HistoryContractTest {

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

        private static final Instant START = TestStore.START;
        private static final Duration HOUR = Duration.ofHours(1);

        private final Holder bean = new Holder(UUID.randomUUID(), 1, Optional.of("shop.Mailer"));

        /** Of type fifottl, with all moves. */
        private StoredTube all;

        /** Of type fifottl, with failures only. */
        private StoredTube failures;

        Rules(TestStore.Kind kind) {
            super(kind);
        }

        @BeforeEach
        void newTubesWithHistory() {
            all = create(definition(TubeDefinition.FIFOTTL).history(History.ALL));
            failures = create(definition(TubeDefinition.FIFOTTL).history(History.FAILURES));
        }

        private static TubeDefinition definition(String type) {
            return TubeDefinition.of(RunningNode.newName(), type);
        }

        private TaskLog log(StoredTube of, long id) {
            return store.histories().of(of, id, 0, 500, 100);
        }

        private List<TaskEvent> moves(StoredTube of, long id) {
            return log(of, id).moves().stream().map(TaskLog.Move::event).toList();
        }

        private List<TubeEvent> events(StoredTube of, long id) {
            return moves(of, id).stream().map(TaskEvent::event).toList();
        }

        private TaskEvent last(StoredTube of, long id) {
            List<TaskEvent> moves = moves(of, id);
            return moves.get(moves.size() - 1);
        }

        private Task taken(StoredTube from) {
            return store.claim(from, bean, OrderKey.START, 1).get(0).task();
        }

        private static TaskFailure failure() {
            return new TaskFailure("shop.Timeout", "no answer", "at shop.Mailer.send");
        }

        // Moves

        @Test
        void each_move_has_its_states_attempt_deadline_and_holder() {
            long id = put(all, living(HOUR, SECOND));
            pass(SECOND);
            Task task = taken(all);
            pass(SECOND.dividedBy(2));
            assertThat(Calls.ack(store, all, bean, task)).isTrue();

            List<TaskEvent> moves = moves(all, id);
            assertThat(moves)
                    .extracting(TaskEvent::event)
                    .containsExactly(TubeEvent.PUT, TubeEvent.TAKE, TubeEvent.ACK);
            assertThat(moves)
                    .extracting(TaskEvent::from)
                    .containsExactly(Optional.empty(), Optional.of(TaskState.READY), Optional.of(TaskState.TAKEN));
            assertThat(moves)
                    .extracting(TaskEvent::to)
                    .containsExactly(Optional.of(TaskState.READY), Optional.of(TaskState.TAKEN), Optional.empty());
            assertThat(moves).extracting(TaskEvent::attempt).containsExactly(0, 1, 1);
            assertThat(moves)
                    .extracting(TaskEvent::at)
                    .containsExactly(START, START.plus(SECOND), START.plusMillis(1_500));
            assertThat(moves)
                    .extracting(TaskEvent::until)
                    .containsExactly(
                            Optional.of(START.plus(HOUR)), Optional.of(START.plusSeconds(2)), Optional.empty());
            Optional<UUID> session = Optional.of(bean.session());
            assertThat(moves).extracting(TaskEvent::session).containsExactly(Optional.empty(), session, session);
            assertThat(moves).extracting(TaskEvent::bean).containsExactly(Optional.empty(), bean.bean(), bean.bean());
        }

        @Test
        void a_failed_delivery_has_its_failure() {
            long id = put(all, task("x"));
            Task task = taken(all);
            assertThat(Calls.fail(store, all, bean, task, failure(), Optional.of(SECOND)))
                    .isPresent();
            TaskEvent released = last(all, id);
            assertThat(released.event()).isEqualTo(TubeEvent.RELEASE);
            assertThat(released.to()).contains(TaskState.DELAYED);
            assertThat(released.until()).contains(START.plus(SECOND));
            assertThat(released.failure())
                    .contains(new TaskEvent.Failure(
                            failure().fingerprint().id(),
                            "shop.Timeout",
                            "no answer",
                            Optional.of("at shop.Mailer.send")));
            pass(SECOND);
            store.sweep(any -> false);
            assertThat(last(all, id).event()).isEqualTo(TubeEvent.DELAY);
            assertThat(last(all, id).failure()).isEmpty();
        }

        @Test
        void each_kind_of_move_by_a_holder_is_kept() {
            long id = put(all, living(HOUR, HOUR));
            Calls.release(store, all, bean, taken(all));
            Calls.requeue(store, all, bean, taken(all));
            Task task = taken(all);
            Calls.touch(store, all, bean, task, SECOND);
            store.apply(all, Change.of(Transition.HEARTBEAT), bean, task);
            store.returnUnstarted(all, bean, List.of(task));
            Calls.bury(store, all, bean, taken(all));
            Calls.kick(store, all, 1);
            TaskResult result = new TaskResult(TaskResult.Outcome.COMPLETED, TaskData.of("ok"), SECOND);
            Calls.done(store, all, bean, taken(all), result);
            pass(SECOND);
            store.sweep(any -> false);
            assertThat(events(all, id))
                    .containsExactly(
                            TubeEvent.PUT,
                            TubeEvent.TAKE,
                            TubeEvent.RELEASE,
                            TubeEvent.TAKE,
                            TubeEvent.REQUEUE,
                            TubeEvent.TAKE,
                            TubeEvent.TOUCH,
                            TubeEvent.TOUCH,
                            TubeEvent.RELEASE,
                            TubeEvent.TAKE,
                            TubeEvent.BURY,
                            TubeEvent.KICK,
                            TubeEvent.TAKE,
                            TubeEvent.DONE,
                            TubeEvent.TTL);
            assertThat(moves(all, id).stream().flatMap(move -> move.note().stream()))
                    .containsExactly("heartbeat", "not begun; the attempt does not count");
            assertThat(moves(all, id).get(8).attempt()).isEqualTo(2);
            assertThat(moves(all, id).get(8).session()).contains(bean.session());
        }

        @Test
        void each_kind_of_move_by_id_is_kept() {
            NewTask delayed = TaskToPut.of("x").delay(HOUR).build();
            long id = put(all, delayed);
            assertThat(store.replace(all, id, TaskState.DELAYED, task("y"))).isPresent();
            assertThat(Calls.buryUnheld(store, all, id, TaskState.READY)).isPresent();
            assertThat(store.apply(all, Change.from(TaskState.BURIED, Transition.DIG), id))
                    .isPresent();
            assertThat(store.apply(all, Change.of(Transition.DELETE), id)).isPresent();
            assertThat(events(all, id))
                    .containsExactly(TubeEvent.PUT, TubeEvent.PUT, TubeEvent.BURY, TubeEvent.DIG, TubeEvent.DELETE);
            assertThat(moves(all, id))
                    .extracting(TaskEvent::from)
                    .containsExactly(
                            Optional.empty(),
                            Optional.of(TaskState.DELAYED),
                            Optional.of(TaskState.READY),
                            Optional.of(TaskState.BURIED),
                            Optional.of(TaskState.READY));
            assertThat(moves(all, id).get(0).to()).contains(TaskState.DELAYED);
            assertThat(last(all, id).until()).isEmpty();
        }

        @Test
        void moves_of_many_tasks_are_kept_for_each() {
            List<NewTask> tasks = List.of(
                    task("a"),
                    TaskToPut.of("b").delay(HOUR).build(),
                    TaskToPut.of("c").at(Position.first()).build());
            List<Long> ids = store.put(all, tasks).ids();
            assertThat(ids)
                    .map(id -> events(all, id))
                    .containsExactly(List.of(TubeEvent.PUT), List.of(TubeEvent.PUT), List.of(TubeEvent.URGENT));
            assertThat(moves(all, ids.get(1)).get(0).until()).contains(START.plus(HOUR));
            store.claim(all, bean, OrderKey.START, 9);
            store.applyToAll(all, Change.of(Transition.RELEASE_ALL), false);
            List<Task> taken = store.claim(all, bean, OrderKey.START, 9).stream()
                    .map(ClaimedTask::task)
                    .toList();
            assertThat(Calls.ackAll(store, all, bean, taken)).isTrue();
            assertThat(events(all, ids.get(0)))
                    .containsExactly(TubeEvent.PUT, TubeEvent.TAKE, TubeEvent.RELEASE, TubeEvent.TAKE, TubeEvent.ACK);
            assertThat(last(all, ids.get(0)).bean()).isEqualTo(bean.bean());
        }

        @Test
        void the_end_of_a_session_is_kept_with_the_session() {
            long id = put(failures, task("x"));
            taken(failures);
            store.applyToSession(failures, Change.of(Transition.SESSION_END), bean.session(), List.of(id));
            assertThat(events(failures, id)).containsExactly(TubeEvent.RELEASED_BY_SESSION);
            assertThat(last(failures, id).session()).contains(bean.session());
        }

        @Test
        void truncate_keeps_the_histories_and_adds_the_last_move() {
            List<Long> ids = LongStream.range(0, 250)
                    .map(i -> put(all, task("x")))
                    .boxed()
                    .toList();
            List<Transitioned> done = store.applyToAll(all, Change.of(Transition.TRUNCATE), false);
            assertThat(done).extracting(Transitioned::count).containsExactly(250L);
            assertThat(done).extracting(Transitioned::from).containsExactly(TaskState.READY);
            assertThat(ids).allMatch(id -> events(all, id).equals(List.of(TubeEvent.PUT, TubeEvent.TRUNCATE)));

            long observed = put(all, task("x"));
            store.applyToAll(all, Change.of(Transition.TRUNCATE), true);
            assertThat(events(all, observed)).containsExactly(TubeEvent.PUT, TubeEvent.TRUNCATE);
            assertThat(last(all, observed).from()).contains(TaskState.READY);
        }

        @Test
        void sub_queues_and_slots_work_with_a_history() {
            StoredTube queues =
                    createWithSubQueues(definition(TubeDefinition.UTUBETTL).history(History.ALL));
            long first = put(queues, inSubQueue("a", 0));
            long second = put(queues, inSubQueue("a", 0));
            for (long id : List.of(first, second)) {
                List<Task> taken = store.claim(queues, bean, OrderKey.START, 9).stream()
                        .map(ClaimedTask::task)
                        .toList();
                assertThat(taken).extracting(Task::id).containsExactly(id);
                assertThat(Calls.ack(store, queues, bean, taken.get(0))).isTrue();
                assertThat(events(queues, id)).containsExactly(TubeEvent.PUT, TubeEvent.TAKE, TubeEvent.ACK);
            }
            StoredTube slots =
                    create(TubeDefinition.limfifottl(RunningNode.newName(), 1).history(History.ALL));
            for (int i = 0; i < 3; i++) {
                long id = put(slots, task("x"));
                assertThat(store.put(slots, List.of(task("y"))).outcome()).isEqualTo(Put.Outcome.FULL);
                Calls.ack(store, slots, bean, taken(slots));
                assertThat(events(slots, id)).containsExactly(TubeEvent.PUT, TubeEvent.TAKE, TubeEvent.ACK);
            }
        }

        @Test
        void headers_and_unique_keys_are_put_with_a_history() {
            long id = put(all, TaskToPut.of("x").headers(Map.of("a", "b")).build());
            NewTask unique = TaskToPut.of("y").uniqueKey("k").build();
            long once = put(all, unique);
            assertThat(store.put(all, List.of(unique)).outcome()).isEqualTo(Put.Outcome.EXISTS);
            assertThat(events(all, id)).containsExactly(TubeEvent.PUT);
            assertThat(events(all, once)).containsExactly(TubeEvent.PUT);
            assertThat(store.reads().find(all, id).orElseThrow().headers()).containsEntry("a", "b");
        }

        // Options

        @Test
        void without_a_history_nothing_is_kept() {
            long id = put(tube, living(HOUR, SECOND));
            take(tube);
            pass(SECOND);
            store.sweep(any -> false);
            Calls.fail(store, tube, holder, take(tube), failure(), Optional.empty());
            assertThat(events(tube, id)).isEmpty();
        }

        @Test
        void a_history_of_failures_has_failures_and_ends_that_nobody_chose() {
            long id = put(failures, living(Duration.ofSeconds(9), SECOND));
            taken(failures);
            pass(SECOND);
            store.sweep(any -> false);
            Calls.release(store, failures, bean, taken(failures));
            Calls.fail(store, failures, bean, taken(failures), failure(), Optional.empty());
            pass(Duration.ofSeconds(9));
            store.sweep(any -> false);
            assertThat(events(failures, id)).containsExactly(TubeEvent.TTR, TubeEvent.BURY, TubeEvent.TTL);
            assertThat(moves(failures, id))
                    .extracting(TaskEvent::from)
                    .containsExactly(
                            Optional.of(TaskState.TAKEN), Optional.of(TaskState.TAKEN), Optional.of(TaskState.BURIED));
        }

        @Test
        void moves_in_the_name_of_a_user_have_the_name() {
            long id = InName.of("anna", () -> put(all, task("x")));
            taken(all);
            assertThat(moves(all, id)).extracting(TaskEvent::by).containsExactly(Optional.of("anna"), Optional.empty());
        }

        @Test
        void the_put_of_a_removed_task_has_the_name_too() {
            long id = InName.of("anna", () -> put(all, task("x")));
            TaskEvent before = moves(all, id).get(0);
            InName.of("berta", () -> Calls.ack(store, all, bean, taken(all)));
            assertThat(moves(all, id).get(0)).isEqualTo(before);
            assertThat(moves(all, id))
                    .extracting(TaskEvent::by)
                    .containsExactly(Optional.of("anna"), Optional.of("berta"), Optional.of("berta"));
        }

        // Transactions

        @Test
        void a_rollback_undoes_the_moves() {
            long id = put(all, task("x"));
            try (TestTransaction transaction = begin()) {
                transaction.in(() -> Calls.ack(store, all, bean, taken(all)));
                assertThat(transaction.in(() -> events(all, id)))
                        .containsExactly(TubeEvent.PUT, TubeEvent.TAKE, TubeEvent.ACK);
                assertThat(events(all, id)).containsExactly(TubeEvent.PUT);
                transaction.rollback();
            }
            assertThat(events(all, id)).containsExactly(TubeEvent.PUT);
            Calls.ack(store, all, bean, taken(all));
            assertThat(events(all, id)).containsExactly(TubeEvent.PUT, TubeEvent.TAKE, TubeEvent.ACK);
        }

        // Parents

        @Test
        void a_put_by_a_delivery_has_its_parent_and_the_parent_has_the_put() {
            long parent = put(all, task("parent"));
            NewTask child =
                    TaskToPut.of("child").parent(new TaskId(all.id(), parent)).build();
            pass(SECOND);
            long one = put(all, child);
            List<Long> more = store.put(all, List.of(child, child)).ids();
            assertThat(log(all, one).parent()).contains(new TaskId(all.id(), parent));
            assertThat(log(all, more.get(1)).parent()).contains(new TaskId(all.id(), parent));
            assertThat(log(all, parent).parent()).isEmpty();
            assertThat(log(all, parent).puts())
                    .extracting(put -> put.task().id())
                    .containsExactly(one, more.get(0), more.get(1));
            assertThat(log(all, parent).puts().get(0).at()).isEqualTo(START.plus(SECOND));
            assertThat(store.histories().of(all, parent, 0, 9, 2).puts()).hasSize(2);
        }

        // Pages

        @Test
        void a_page_begins_after_a_move() {
            long id = put(all, task("x"));
            for (int i = 0; i < 3; i++) {
                Calls.release(store, all, bean, taken(all));
            }
            TaskLog first = store.histories().of(all, id, 0, 3, 0);
            assertThat(first.moves()).hasSize(3);
            TaskLog rest = store.histories().of(all, id, first.moves().get(2).number(), 500, 0);
            assertThat(rest.moves())
                    .extracting(move -> move.event().event())
                    .containsExactly(TubeEvent.TAKE, TubeEvent.RELEASE, TubeEvent.TAKE, TubeEvent.RELEASE);
            assertThat(rest.now()).isEqualTo(START);
        }

        @Test
        void a_page_of_one_move_is_followed_by_the_next_move() {
            long id = put(all, task("x"));
            Calls.ack(store, all, bean, taken(all));
            List<TubeEvent> read = new ArrayList<>();
            long after = 0;
            for (TaskLog page = page(id, after); !page.moves().isEmpty(); page = page(id, after)) {
                TaskLog.Move move = page.moves().get(0);
                read.add(move.event().event());
                after = move.number();
            }
            assertThat(read).containsExactly(TubeEvent.PUT, TubeEvent.TAKE, TubeEvent.ACK);
        }

        private TaskLog page(long id, long after) {
            return store.histories().of(all, id, after, 1, 0);
        }

        // Retention

        private void removeOld() {
            while (store.histories().removeOld()) {
                // More may be left
            }
        }

        @Test
        void moves_older_than_the_retention_are_removed() {
            StoredTube shorter = create(
                    definition(TubeDefinition.FIFOTTL).history(History.ALL).historyRetention(Duration.ofMinutes(1)));
            long here = put(shorter, task("x"));
            long there = put(all, task("x"));
            pass(Duration.ofSeconds(59));
            taken(shorter);
            removeOld();
            assertThat(events(shorter, here)).containsExactly(TubeEvent.PUT, TubeEvent.TAKE);
            pass(Duration.ofSeconds(2));
            removeOld();
            assertThat(events(shorter, here)).containsExactly(TubeEvent.TAKE);
            assertThat(events(all, there)).containsExactly(TubeEvent.PUT);
            pass(TubeDefinition.HISTORY_RETENTION);
            removeOld();
            assertThat(events(shorter, here)).isEmpty();
            assertThat(events(all, there)).isEmpty();
        }

        @Test
        void the_history_of_a_dropped_tube_is_removed() {
            long id = put(all, task("x"));
            long other = put(failures, task("x"));
            Calls.fail(store, failures, bean, taken(failures), failure(), Optional.empty());
            drop(all);
            removeOld();
            assertThat(events(all, id)).isEmpty();
            assertThat(events(failures, other)).containsExactly(TubeEvent.BURY);
        }
    }
}
