package org.tasktube.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.tasktube.FailureGroup;
import org.tasktube.Fingerprint;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskFailure;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.testing.Calls;
import org.tasktube.testing.TestStore;
import org.tasktube.testing.TestTransaction;

import static org.assertj.core.api.Assertions.assertThat;

/** The rules of failed tasks by their kinds that every store keeps. */
class FailureContractTest {

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
        private static final int MANY = 1_000;

        /** Another kind per test, because kinds are remembered. */
        private static int tests;

        private final String type = "a.Failure" + ++tests;

        Rules(TestStore.Kind kind) {
            super(kind);
        }

        private TaskFailure failure(String message) {
            return new TaskFailure(type, message, "");
        }

        private Fingerprint kind(String message) {
            return failure(message).fingerprint();
        }

        private void fail(StoredTube in, Task task, String message, Optional<Duration> delay) {
            assertThat(Calls.fail(store, in, holder, task, failure(message), delay))
                    .isPresent();
        }

        private long buried(StoredTube in, String message) {
            long id = put(in, task("x"));
            fail(in, take(in), message, Optional.empty());
            return id;
        }

        private List<FailureGroup> groups() {
            return store.failureGroups(MANY).stream()
                    .filter(group -> group.fingerprint().type().equals(type))
                    .toList();
        }

        private FailureGroup group() {
            assertThat(groups()).hasSize(1);
            return groups().get(0);
        }

        @Test
        void failed_tasks_are_counted_by_kind_state_and_tube() {
            put(tube, task("ready"));
            fail(tube, take(tube), "no order 1", Optional.of(Duration.ZERO));
            Task again = take(tube);
            put(tube, task("delayed"));
            fail(tube, take(tube), "no order 2", Optional.of(Duration.ofHours(1)));
            pass(SECOND);
            buried(limited, "no order 3");
            long sample = buried(limited, "no order 4");
            put(subQueues, task("other"));
            fail(subQueues, take(subQueues), "no price", Optional.of(Duration.ZERO));
            put("never failed");

            assertThat(groups())
                    .extracting(FailureGroup::fingerprint, FailureGroup::tasks)
                    .containsExactly(
                            tuple(
                                    "no order 1",
                                    Map.of(TaskState.TAKEN, 1L, TaskState.DELAYED, 1L, TaskState.BURIED, 2L)),
                            tuple("no price", Map.of(TaskState.READY, 1L)));
            FailureGroup orders = groups().get(0);
            assertThat(orders.tubes()).containsExactlyInAnyOrder(tube.name(), limited.name());
            assertThat(orders.first()).isEqualTo(START);
            assertThat(orders.last()).isEqualTo(START.plus(SECOND));
            assertThat(orders.sampleTube()).isEqualTo(limited.name());
            assertThat(orders.sampleTask()).isEqualTo(sample);
            assertThat(orders.total()).isEqualTo(4);
            Calls.ack(store, tube, holder, again);
            assertThat(groups().get(0).total()).isEqualTo(3);
        }

        @Test
        void the_trend_has_the_tasks_by_the_hour_of_their_failure() {
            buried(tube, "no order 1");
            pass(Duration.ofHours(22));
            buried(tube, "no order 2");
            buried(limited, "no order 3");
            pass(Duration.ofMinutes(61));
            buried(tube, "no order 4");
            assertThat(trend()).isEqualTo(Map.of(0, 1L, 22, 2L, 23, 1L));
            pass(Duration.ofHours(1));
            assertThat(trend()).as("older ones are in none").isEqualTo(Map.of(21, 2L, 22, 1L));
            assertThat(group().total()).isEqualTo(4);
        }

        /** The hours that have failures, the earliest is 0. */
        private Map<Integer, Long> trend() {
            List<Long> trend = group().trend();
            assertThat(trend).hasSize(FailureGroup.HOURS);
            return IntStream.range(0, FailureGroup.HOURS)
                    .filter(hour -> trend.get(hour) > 0)
                    .boxed()
                    .collect(Collectors.toMap(hour -> hour, trend::get));
        }

        private org.assertj.core.groups.Tuple tuple(String message, Map<TaskState, Long> tasks) {
            return org.assertj.core.groups.Tuple.tuple(kind(message), tasks);
        }

        @Test
        void a_task_has_the_kind_of_its_latest_failure() {
            put("x");
            fail(tube, take(tube), "no order 1", Optional.of(Duration.ZERO));
            pass(SECOND);
            fail(tube, take(tube), "no price", Optional.of(Duration.ZERO));
            assertThat(group().fingerprint()).isEqualTo(kind("no price"));
            assertThat(group().first()).isEqualTo(START.plus(SECOND));
        }

        @Test
        void the_failure_of_a_task_has_its_kind() {
            TaskFailure failure = TaskFailure.of(new IllegalStateException("order 5 is not paid"));
            long id = put("x");
            Calls.fail(store, tube, holder, take(tube), failure, Optional.empty());
            assertThat(meta(tube, id).lastFailure()).contains(failure);
            assertThat(failure.fingerprint().message()).isEqualTo("order # is not paid");
            assertThat(failure.fingerprint().frame()).contains("the_failure_of_a_task_has_its_kind");
        }

        @Test
        void kick_dig_release_and_a_result_keep_the_kind() {
            long dug = buried(tube, "no order 1");
            Calls.dig(store, tube, dug);
            assertThat(group().tasks()).isEqualTo(Map.of(TaskState.READY, 1L));
            Calls.release(store, tube, holder, take(tube));
            assertThat(group().tasks()).isEqualTo(Map.of(TaskState.READY, 1L));
            Task task = take(tube);
            assertThat(group().tasks()).isEqualTo(Map.of(TaskState.TAKEN, 1L));
            TaskResult result = TaskResult.completed(TaskData.of("text/plain", new byte[0]));
            assertThat(store.apply(tube, Change.result(result), holder, task)).isPresent();
            assertThat(group().tasks()).isEqualTo(Map.of(TaskState.DONE, 1L));
            long kicked = buried(tube, "no order 2");
            assertThat(Calls.kick(store, tube, 1)).containsExactly(kicked);
            assertThat(group().tasks()).isEqualTo(Map.of(TaskState.READY, 1L, TaskState.DONE, 1L));
        }

        @Test
        void ack_delete_truncate_and_ttl_remove_a_task_from_its_group() {
            put("acked");
            fail(tube, take(tube), "no order 1", Optional.of(Duration.ZERO));
            Calls.ack(store, tube, holder, take(tube));
            assertThat(groups()).isEmpty();
            Calls.delete(store, tube, buried(tube, "no order 2"));
            assertThat(groups()).isEmpty();
            buried(tube, "no order 3");
            Calls.truncate(store, tube);
            assertThat(groups()).isEmpty();
            put(tube, living(SECOND, SECOND));
            fail(tube, take(tube), "no order 4", Optional.empty());
            assertThat(group().total()).isEqualTo(1);
            pass(SECOND.multipliedBy(2));
            store.sweep(any -> false);
            assertThat(groups()).isEmpty();
        }

        @Test
        void a_kind_that_returns_keeps_the_time_of_its_first_failure() {
            Calls.delete(store, tube, buried(tube, "no order 1"));
            pass(SECOND);
            store.checkFailureKinds();
            pass(Duration.ofDays(7));
            store.checkFailureKinds();
            buried(tube, "no order 2");
            assertThat(group().first()).isEqualTo(START);
            assertThat(group().last()).isEqualTo(START.plus(SECOND).plus(Duration.ofDays(7)));
        }

        @Test
        void the_largest_groups_come_first_and_no_more_than_wanted() {
            buried(tube, "one");
            buried(tube, "two");
            buried(tube, "two");
            buried(tube, "three");
            buried(tube, "three");
            buried(tube, "three");
            assertThat(groups())
                    .extracting(FailureGroup::fingerprint)
                    .containsExactly(kind("three"), kind("two"), kind("one"));
            assertThat(store.failureGroups(1)).hasSize(1);
        }

        @Test
        void a_failure_in_a_transaction_is_seen_there_at_once_and_by_others_after_the_commit() {
            long id = put("x");
            Task task = take(tube);
            TestTransaction transaction = begin();
            assertThat(transaction.in(
                            () -> Calls.fail(store, tube, holder, task, failure("no order 1"), Optional.empty())))
                    .isPresent();
            assertThat(transaction.in(this::groups)).hasSize(1);
            assertThat(groups()).isEmpty();
            transaction.commit();
            assertThat(group().fingerprint()).isEqualTo(kind("no order 1"));
            assertThat(meta(tube, id).lastFailure()).contains(failure("no order 1"));
            store.checkFailureKinds();
            assertThat(group().fingerprint()).isEqualTo(kind("no order 1"));
        }

        @Test
        void a_rollback_undoes_a_failure() {
            put("x");
            Task task = take(tube);
            TestTransaction transaction = begin();
            transaction.in(() -> Calls.fail(store, tube, holder, task, failure("no order 1"), Optional.empty()));
            transaction.rollback();
            assertThat(groups()).isEmpty();
            fail(tube, task, "no order 2", Optional.empty());
            assertThat(group().fingerprint()).isEqualTo(kind("no order 2"));
        }

        @Test
        void a_new_kind_in_an_open_transaction_holds_up_no_failure_of_that_kind() {
            put("x");
            put("y");
            Task one = take(tube);
            Task other = take(tube);
            TestTransaction transaction = begin();
            transaction.in(() -> Calls.fail(store, tube, holder, one, failure("no order 1"), Optional.empty()));
            fail(tube, other, "no order 2", Optional.empty());
            transaction.commit();
            assertThat(group().total()).isEqualTo(2);
        }

        @Test
        void a_failure_of_a_task_that_is_not_held_changes_nothing() {
            put("x");
            Task task = take(tube);
            Calls.release(store, tube, holder, task);
            assertThat(Calls.fail(store, tube, holder, task, failure("no"), Optional.empty()))
                    .isEmpty();
            assertThat(groups()).isEmpty();
        }
    }
}
