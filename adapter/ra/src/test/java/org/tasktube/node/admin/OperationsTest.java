package org.tasktube.node.admin;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.History;
import org.tasktube.OperationNotFoundException;
import org.tasktube.OperationRefusedException;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.TaskState;
import org.tasktube.TaskTubeException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeEvent;
import org.tasktube.admin.ChangedTasks;
import org.tasktube.admin.Operation;
import org.tasktube.admin.OperationAct;
import org.tasktube.admin.OperationPreview;
import org.tasktube.admin.OperationSize;
import org.tasktube.admin.OperationState;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskEvent;
import org.tasktube.admin.TaskFilter;
import org.tasktube.admin.TubeChange;
import org.tasktube.node.OperationStart;
import org.tasktube.node.Waiting;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.Change;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;
import org.tasktube.tube.TubeEngine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** An act on many tasks reaches each task that fits once, whatever happens meanwhile. */
@Timeout(120)
@Tag("large")
class OperationsTest {

    abstract static class Rules {

        private static HikariDataSource database;
        private static RunningNode running;
        private static final AtomicReference<CountDownLatch> begin = new AtomicReference<>(new CountDownLatch(0));
        private final ClientConnection connection = new ClientConnection();
        private Tube orders;
        private Tube queues;

        static void start(TestDatabase kind) {
            database = kind.create();
            running = new RunningNode(
                    HookedDataSource.of(database, statement -> {
                        if (statement.contains("SET state = 'r', running = true")) {
                            awaitBegin();
                        }
                    }),
                    "app-1");
        }

        @AfterAll
        static void stop() {
            running.close();
            database.close();
        }

        @BeforeEach
        void create() {
            orders = running.newTube(connection, TubeDefinition.FIFOTTL);
            queues = running.newTube(connection, TubeDefinition.UTUBETTL);
        }

        @AfterEach
        void drop() {
            running.node().close(connection);
            for (Tube tube : List.of(orders, queues)) {
                Tube again = running.node().tube(new ClientConnection(), tube.name());
                again.truncate();
                again.drop();
            }
        }

        private TaskAdmin admin() {
            return running.node().admin(new ClientConnection());
        }

        private TaskFilter filter(String more) {
            return TaskFilter.parse("tube:" + orders.name() + "," + queues.name() + " " + more);
        }

        private Operation run(OperationAct act, TaskFilter filter) {
            return ended(OperationStart.of(admin(), act, filter, "anna", "test").id());
        }

        private Operation ended(long id) {
            Eventually.holds(() -> admin().operation(id).state().isEnded(), "the end of the operation");
            Eventually.holds(() -> isCounted(orders) && isCounted(queues), "the effects of its last batch");
            Operation ended = admin().operation(id);
            assertThat(ended.error()).isEmpty();
            return ended;
        }

        /** The effects of a batch follow its commit. */
        private static boolean isCounted(Tube tube) {
            String all =
                    "SELECT count(*) FROM tasktube_task WHERE tube_id = (SELECT id FROM tasktube_tube WHERE name = '"
                            + tube.name() + "')";
            try {
                Sql sql = new Sql(database);
                return tube.statistics().total() == sql.number(all)
                        && tube.statistics().ready() == sql.number(all + " AND state = 'r'")
                        && tube.statistics().buried() == sql.number(all + " AND state = '!'");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        private List<Task> put(Tube tube, int count) {
            List<String> data = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                data.add("task " + i);
            }
            List<Task> put = new ArrayList<>();
            for (int from = 0; from < count; from += 1_000) {
                put.addAll(tube.putAll(data.subList(from, Math.min(count, from + 1_000)), PutOptions.defaults()));
            }
            return put;
        }

        private void bury(Tube tube, List<Task> tasks) {
            tasks.forEach(task -> tube.bury(task.id()));
        }

        // Acts

        @ParameterizedTest
        @EnumSource
        void each_act_is_a_move_in_the_history_with_the_name_of_its_user(OperationAct act) {
            for (Tube tube : List.of(orders, queues)) {
                admin().changeTube(tube.name(), TubeChange.NONE.history(History.ALL));
                Task task = tube.put("x");
                TaskState from = act.from().iterator().next();
                if (act == OperationAct.RETRY) {
                    tube.bury(task.id());
                } else if (act == OperationAct.RELEASE) {
                    assertThat(tube.take(Duration.ZERO)).isPresent();
                }
                assertThat(run(act, TaskFilter.parse("tube:" + tube.name())).changed())
                        .as("%s of a task that is %s", act, from)
                        .isEqualTo(1);
                List<TaskEvent> moves = admin().history(tube.name(), task.id(), Optional.empty(), 100)
                        .events();
                assertThat(moves.get(moves.size() - 1).by()).contains("anna");
            }
        }

        @Test
        void retry_makes_each_buried_task_ready_once_and_looks_at_no_others() throws Exception {
            List<Task> put = put(orders, 2_000);
            bury(orders, put.subList(0, 1_900));
            new Sql(database).execute("UPDATE tasktube_task SET attempts = 3, taken_count = 3 WHERE state = '!'");
            Operation ended = run(OperationAct.RETRY, filter(""));
            assertThat(ended.state()).isEqualTo(OperationState.DONE);
            assertThat(List.of(ended.expected().tasks(), ended.looked(), ended.changed(), ended.skipped()))
                    .containsExactly(1_900L, 1_900L, 1_900L, 0L);
            assertThat(orders.statistics().ready()).isEqualTo(2_000);
            assertThat(orders.peek(put.get(0).id()).orElseThrow().attempts()).isZero();
            assertThat(ended.started()).isPresent();
            assertThat(ended.server()).contains("app-1");
        }

        @Test
        void tasks_of_one_kind_of_failures_count_once() {
            put(orders, 600);
            TubeEngine engine = running.node().find(orders.name()).orElseThrow();
            TaskFailure failure = new TaskFailure("shop.Timeout", "no answer of " + orders.name(), "");
            for (Task task : engine.claimOn(connection, 600, Long.MAX_VALUE)) {
                assertThat(engine.held()
                                .apply(connection.session(), task, Change.failed(failure, Optional.of(Duration.ZERO))))
                        .isTrue();
            }
            Operation ended = run(
                    OperationAct.BURY, filter("failure:" + failure.fingerprint().id()));
            assertThat(List.of(ended.expected().tasks(), ended.looked(), ended.changed(), ended.skipped()))
                    .containsExactly(600L, 600L, 600L, 0L);
        }

        @Test
        void delete_removes_all_but_taken_tasks_and_frees_capacity_and_sub_queues() {
            Tube full = running.node().createTube(connection, TubeDefinition.limfifottl(RunningNode.newName(), 3));
            try {
                put(full, 3);
                queues.put("head", PutOptions.defaults().utube("a"));
                queues.put("next", PutOptions.defaults().utube("a"));
                Task taken = queues.take(Duration.ZERO).orElseThrow();
                Operation ended =
                        run(OperationAct.DELETE, TaskFilter.parse("tube:" + full.name() + "," + queues.name()));
                assertThat(ended.changed()).isEqualTo(4);
                assertThat(ended.skipped()).isZero();
                assertThat(full.put("fits", PutOptions.defaults(), Duration.ZERO))
                        .isPresent();
                queues.ack(taken);
                assertThat(queues.statistics().total()).isZero();
            } finally {
                full.truncate();
                full.drop();
            }
        }

        @Test
        void bury_buries_ready_and_delayed_tasks_and_those_blocked_in_sub_queues() {
            put(orders, 3);
            orders.put("later", PutOptions.defaults().delay(Duration.ofHours(1)));
            for (int i = 0; i < 4; i++) {
                queues.put("q" + i, PutOptions.defaults().utube("a"));
            }
            Operation ended = run(OperationAct.BURY, filter(""));
            assertThat(ended.changed()).isEqualTo(8);
            assertThat(orders.statistics().buried()).isEqualTo(4);
            assertThat(queues.statistics().buried()).isEqualTo(4);
            assertThat(queues.take(Duration.ZERO)).isEmpty();
        }

        @Test
        void a_batch_can_end_in_a_sub_queue_of_the_longest_name() {
            String longest = "\u6f22".repeat(PutOptions.MAX_UTUBE);
            List<String> data = java.util.Collections.nCopies(OperationBatch.MAX_SIZE + 2, "task");
            queues.putAll(data, PutOptions.defaults().utube(longest));
            Operation ended = run(OperationAct.BURY, filter(""));
            assertThat(ended.changed()).isEqualTo(data.size());
            assertThat(queues.statistics().buried()).isEqualTo(data.size());
        }

        @Test
        void release_makes_taken_tasks_ready_and_the_holders_ack_fails() {
            put(orders, 2);
            Task held = orders.take(Duration.ZERO).orElseThrow();
            Operation ended = run(OperationAct.RELEASE, filter("state:taken"));
            assertThat(ended.changed()).isEqualTo(1);
            assertThat(orders.statistics().ready()).isEqualTo(2);
            assertThatThrownBy(() -> orders.ack(held)).isInstanceOf(TaskTubeException.class);
        }

        @Test
        void the_next_task_of_a_sub_queue_is_ready_after_its_head_was_deleted() {
            Task head = queues.put("head", PutOptions.defaults().utube("a"));
            queues.put("next", PutOptions.defaults().utube("a"));
            run(OperationAct.DELETE, TaskFilter.parse("id:" + head.id()));
            assertThat(queues.take(Duration.ofSeconds(5)).map(Task::text)).contains("next");
        }

        @Test
        void a_retried_task_wakes_a_waiting_take_and_listeners_see_it_once() throws Exception {
            List<Task> put = put(orders, 3);
            bury(orders, put);
            Map<Long, AtomicInteger> seen = new ConcurrentHashMap<>();
            orders.onTaskChange(change -> {
                if (change.event() == TubeEvent.KICK) {
                    seen.computeIfAbsent(change.task().orElseThrow().id(), id -> new AtomicInteger())
                            .incrementAndGet();
                }
            });
            java.util.concurrent.CompletableFuture<Optional<Task>> take =
                    java.util.concurrent.CompletableFuture.supplyAsync(() -> orders.take(Duration.ofMinutes(2)));
            Waiting.forTasks(running.node(), orders.name(), 1);
            run(OperationAct.RETRY, filter("state:buried"));
            assertThat(take.get(60, TimeUnit.SECONDS)).isPresent();
            Eventually.holds(() -> seen.size() == 3, "all changes are seen");
            assertThat(seen.values()).allMatch(count -> count.get() == 1);
            orders.onTaskChange(null);
        }

        // Filters

        @Test
        void a_filter_on_data_keys_and_attempts_decides_which_tasks_are_changed() {
            orders.put("{\"customer\":7}");
            orders.putUnique("order-1", "a", PutOptions.defaults(), org.tasktube.OnConflict.KEEP);
            put(orders, 5);
            assertThat(run(OperationAct.BURY, TaskFilter.parse("tube:" + orders.name() + " key:order-1"))
                            .changed())
                    .isEqualTo(1);
            assertThat(run(OperationAct.DELETE, filter("state:buried")).changed())
                    .isEqualTo(1);
            assertThat(run(OperationAct.BURY, filter("data:*customer*")).changed())
                    .isEqualTo(1);
            assertThat(orders.statistics().ready()).isEqualTo(5);
        }

        @Test
        void tasks_that_are_put_after_the_start_are_left_out() {
            put(orders, 1);
            pauseOperations();
            Operation started = OperationStart.of(admin(), OperationAct.DELETE, filter(""), "anna", "test");
            Task later = orders.put("later");
            resumeOperations();
            assertThat(ended(started.id()).changed()).isEqualTo(1);
            assertThat(orders.peek(later.id())).isPresent();
        }

        // The number that its user confirmed

        @Test
        void an_operation_changes_no_more_than_was_confirmed_and_stops_if_more_fit() {
            bury(orders, put(orders, 1_200));
            long upTo = preview(OperationAct.RETRY, "").upTo();
            Operation ended = ended(start(OperationAct.RETRY, new OperationSize(700, false, upTo)));
            assertThat(ended.state()).isEqualTo(OperationState.STOPPED);
            assertThat(ended.changed()).isEqualTo(700);
            assertThat(orders.statistics().ready()).isEqualTo(700);
            assertThat(orders.statistics().buried()).isEqualTo(500);
        }

        @Test
        void the_number_that_was_confirmed_is_one_for_tasks_of_all_states() {
            List<Task> put = put(orders, 6);
            bury(orders, put.subList(0, 3));
            Operation ended = ended(start(
                    OperationAct.DELETE, new OperationSize(4, false, put.get(5).id())));
            assertThat(ended.state()).isEqualTo(OperationState.STOPPED);
            assertThat(ended.changed()).isEqualTo(4);
            assertThat(orders.statistics().total()).isEqualTo(2);
        }

        @Test
        void a_task_that_fails_after_the_preview_is_no_more_than_was_confirmed() {
            List<Task> put = put(orders, 12);
            bury(orders, put.subList(0, 10));
            OperationSize confirmed = preview(OperationAct.RETRY, "");
            bury(orders, put.subList(10, 12));
            Operation ended = ended(start(OperationAct.RETRY, confirmed));
            assertThat(ended.state()).isEqualTo(OperationState.STOPPED);
            assertThat(List.of(ended.expected().tasks(), ended.changed())).containsExactly(10L, 10L);
            assertThat(preview(OperationAct.RETRY, "").tasks()).isEqualTo(2);
        }

        @Test
        void a_task_that_is_put_after_the_preview_is_left_out_and_stops_nothing() {
            put(orders, 5);
            OperationSize confirmed = preview(OperationAct.DELETE, "");
            Task later = orders.put("later");
            Operation ended = ended(start(OperationAct.DELETE, confirmed));
            assertThat(ended.state()).isEqualTo(OperationState.DONE);
            assertThat(ended.changed()).isEqualTo(5);
            assertThat(orders.peek(later.id())).isPresent();
        }

        @Test
        void tasks_that_are_named_by_their_ids_have_the_bound_too() {
            List<Task> put = put(orders, 3);
            bury(orders, put);
            String ids = put.stream().map(task -> String.valueOf(task.id())).collect(Collectors.joining(","));
            OperationSize confirmed = new OperationSize(2, false, put.get(2).id());
            Operation ended =
                    ended(admin().startOperation(OperationAct.RETRY, filter("id:" + ids), "anna", "test", confirmed)
                            .id());
            assertThat(ended.state()).isEqualTo(OperationState.STOPPED);
            assertThat(ended.changed()).isEqualTo(2);
        }

        @Test
        void a_task_that_was_changed_and_fits_again_does_not_stop_it() {
            List<Task> put = put(orders, OperationBatch.MAX_SIZE);
            bury(orders, put);
            OperationSize confirmed = preview(OperationAct.RETRY, "");
            orders.onTaskChange(change -> {
                if (change.event() == TubeEvent.KICK) {
                    orders.bury(change.task().orElseThrow().id());
                }
            });
            Operation ended = ended(start(OperationAct.RETRY, confirmed));
            orders.onTaskChange(null);
            assertThat(ended.state()).isEqualTo(OperationState.DONE);
            assertThat(ended.changed()).isEqualTo(OperationBatch.MAX_SIZE);
        }

        /** Its plan may not change with the kinds that it removes. */
        @Test
        void an_operation_by_error_changes_all_tasks_of_many_kinds() {
            put(orders, 1_200);
            TubeEngine engine = running.node().find(orders.name()).orElseThrow();
            int kind = 0;
            for (Task task : engine.claimOn(connection, 1_200, Long.MAX_VALUE)) {
                TaskFailure failure = new TaskFailure("shop.Kind" + kind++ % 600 + "Exception", "all of these", "");
                assertThat(engine.held()
                                .applyOutcome(connection.session(), task, Change.failed(failure, Optional.empty())))
                        .isTrue();
            }
            put(orders, 3);
            for (String more : List.of("error:\"all of these\"", "error:\"all of these\" state:buried")) {
                OperationPreview preview = admin().previewOperation(OperationAct.RETRY, filter(more));
                assertThat(List.of(preview.size().tasks(), preview.matching())).containsExactly(1_200L, 1_200L);
            }
            assertThat(run(OperationAct.DELETE, filter("error:\"all of these\""))
                            .changed())
                    .isEqualTo(1_200);
            assertThat(orders.statistics().total()).isEqualTo(3);
        }

        @Test
        void without_a_greatest_id_the_tasks_that_are_put_after_the_start_are_left_out_all_the_same() {
            put(orders, 3);
            pauseOperations();
            long id = start(OperationAct.DELETE, new OperationSize(9, false, Long.MAX_VALUE));
            Task later = orders.put("later");
            resumeOperations();
            assertThat(ended(id).changed()).isEqualTo(3);
            assertThat(orders.peek(later.id())).isPresent();
        }

        @Test
        void a_least_number_is_no_bound_and_is_kept_as_one() {
            put(orders, 30);
            long upTo = preview(OperationAct.DELETE, "").upTo();
            Operation ended = ended(start(OperationAct.DELETE, new OperationSize(4, true, upTo)));
            assertThat(ended.state()).isEqualTo(OperationState.DONE);
            assertThat(ended.changed()).isEqualTo(30);
            assertThat(ended.expected()).isEqualTo(new OperationSize(4, true, upTo));
        }

        private OperationSize preview(OperationAct act, String more) {
            return admin().previewOperation(act, filter(more)).size();
        }

        private long start(OperationAct act, OperationSize confirmed) {
            return admin().startOperation(act, filter(""), "anna", "test", confirmed)
                    .id();
        }

        @Test
        void a_preview_that_reads_has_the_numbers_of_one_that_counts() {
            bury(orders, put(orders, 20).subList(0, 7));
            put(queues, 3);
            queues.put("blocked", PutOptions.defaults().utube("a"));
            queues.put("blocked", PutOptions.defaults().utube("a"));
            orders.put("later", PutOptions.defaults().delay(Duration.ofHours(1)));
            for (OperationAct act : OperationAct.values()) {
                OperationPreview counted = admin().previewOperation(act, filter(""));
                OperationPreview read = admin().previewOperation(act, filter("attempts>=0"));
                assertThat(List.of(read.size(), read.matching(), read.tubes()))
                        .as("%s", act)
                        .isEqualTo(List.of(counted.size(), counted.matching(), counted.tubes()));
                assertThat(List.of(read.looked(), counted.looked())).containsExactly(read.matching(), 0L);
            }
        }

        // Preview

        @Test
        void a_preview_counts_exactly_and_names_tubes_and_samples() {
            List<Task> put = put(orders, 30);
            bury(orders, put.subList(0, 12));
            queues.put("q", PutOptions.defaults().utube("a"));
            OperationPreview preview = admin().previewOperation(OperationAct.RETRY, filter(""));
            assertThat(preview.matching()).isEqualTo(31);
            assertThat(preview.size().tasks()).isEqualTo(12);
            assertThat(preview.size().isLeast()).isFalse();
            assertThat(preview.isMore()).isFalse();
            assertThat(preview.looked())
                    .as("read, for a filter of tube and state")
                    .isZero();
            assertThat(preview.tubes()).containsExactlyInAnyOrderEntriesOf(Map.of(orders.name(), 12L));
            assertThat(preview.samples())
                    .hasSize(10)
                    .allMatch(found -> found.meta().state() == TaskState.BURIED);
        }

        @Test
        void an_act_reaches_the_tasks_of_temporary_tubes_together_with_others() {
            Tube temporary = running.node()
                    .createTube(
                            connection,
                            TubeDefinition.utubettl(RunningNode.newName())
                                    .history(History.ALL)
                                    .asTemporary());
            try {
                Task last = null;
                for (int i = 0; i < 3; i++) {
                    last = temporary.put("m", PutOptions.defaults().utube("one"));
                    orders.put("a");
                }
                temporary.bury(temporary.take(Duration.ZERO).orElseThrow());
                TaskFilter both = TaskFilter.parse("tube:" + orders.name() + "," + temporary.name());
                assertThat(run(OperationAct.RETRY, both).changed()).isEqualTo(1);
                assertThat(run(OperationAct.BURY, TaskFilter.parse("id:" + last.id()))
                                .changed())
                        .isEqualTo(1);
                Eventually.holds(() -> temporary.statistics().buried() == 1, "the server has counted the act");
                assertThat(admin().history(temporary.name(), last.id(), Optional.empty(), 100)
                                .events())
                        .isNotEmpty();
                OperationPreview preview = admin().previewOperation(OperationAct.DELETE, both);
                assertThat(preview.tubes())
                        .containsExactlyInAnyOrderEntriesOf(Map.of(orders.name(), 3L, temporary.name(), 3L));
                assertThat(run(OperationAct.DELETE, both).changed()).isEqualTo(6);
                assertThat(temporary.take(Duration.ZERO)).isEmpty();
            } finally {
                temporary.drop();
            }
        }

        // Refusals

        @Test
        void a_start_that_fits_nothing_is_refused_with_the_number_of_tasks() {
            put(orders, 2);
            assertThatThrownBy(() -> OperationStart.of(admin(), OperationAct.RETRY, filter(""), "anna", "test"))
                    .isInstanceOf(OperationRefusedException.class)
                    .hasMessageContaining("the confirmed number of tasks is 0")
                    .hasMessageContaining("BURIED");
        }

        @Test
        void blank_and_long_texts_are_refused() {
            put(orders, 1);
            for (String wrong : List.of(" ", "x".repeat(256), "a\nb")) {
                assertThatThrownBy(() -> OperationStart.of(admin(), OperationAct.DELETE, filter(""), "anna", wrong))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("reason");
            }
        }

        @Test
        void an_unknown_operation_fails_with_its_id() {
            assertThatThrownBy(() -> admin().operation(987_654_321))
                    .isInstanceOf(OperationNotFoundException.class)
                    .hasMessageContaining("987654321");
            assertThatThrownBy(() -> admin().cancelOperation(987_654_321, "anna", "a test"))
                    .isInstanceOf(OperationNotFoundException.class);
        }

        // Life

        @Test
        void the_tasks_that_an_operation_has_changed_are_kept_also_when_they_are_gone() {
            List<Long> first = put(orders, 700).stream().map(Task::id).toList();
            List<Long> second = put(queues, 3).stream().map(Task::id).toList();
            bury(orders, put(orders, 1));
            Operation done = run(OperationAct.DELETE, filter(" state:ready"));
            assertThat(done.changed()).isEqualTo(703);
            List<ChangedTasks> parts = new ArrayList<>();
            long after = 0;
            do {
                List<ChangedTasks> page = admin().changedTasks(done.id(), after, 1);
                parts.addAll(page);
                after = page.isEmpty() ? 0 : page.get(0).number();
            } while (after > 0);
            assertThat(parts.stream()
                            .filter(part -> part.tube().equals(orders.name()))
                            .flatMap(part -> part.ids().stream()))
                    .containsExactlyInAnyOrderElementsOf(first);
            assertThat(parts.stream()
                            .filter(part -> part.tube().equals(queues.name()))
                            .flatMap(part -> part.ids().stream()))
                    .containsExactlyInAnyOrderElementsOf(second);
            assertThatThrownBy(() -> admin().changedTasks(987_654_321, 0, 10))
                    .isInstanceOf(OperationNotFoundException.class);
        }

        @Test
        void a_cancelled_operation_begins_no_batch_and_a_done_one_cannot_be_cancelled() {
            put(orders, 5);
            pauseOperations();
            Operation started = OperationStart.of(admin(), OperationAct.DELETE, filter(""), "anna", "test");
            assertThat(started.state()).isEqualTo(OperationState.WAITING);
            Operation cancelled = admin().cancelOperation(started.id(), "bert", "too many");
            assertThat(cancelled.state()).isEqualTo(OperationState.CANCELLED);
            assertThat(cancelled.cancelledBy()).contains("bert");
            assertThat(cancelled.cancelReason()).contains("too many");
            assertThat(admin().cancelOperation(started.id(), "bert", "too many").state())
                    .isEqualTo(OperationState.CANCELLED);
            resumeOperations();
            Operation other = run(OperationAct.BURY, filter(""));
            assertThat(other.changed()).isEqualTo(5);
            assertThatThrownBy(() -> admin().cancelOperation(other.id(), "bert", "too many"))
                    .isInstanceOf(OperationRefusedException.class)
                    .hasMessageContaining("DONE");
        }

        @Test
        void operations_run_one_after_the_other_and_are_listed_newest_first() {
            put(orders, 10);
            pauseOperations();
            long first = OperationStart.of(admin(), OperationAct.BURY, filter(""), "anna", "one")
                    .id();
            long second = OperationStart.of(admin(), OperationAct.DELETE, filter(""), "anna", "two")
                    .id();
            resumeOperations();
            assertThat(ended(second).changed()).isEqualTo(10);
            assertThat(ended(first).changed()).isEqualTo(10);
            assertThat(admin().operations(Optional.empty(), 2).stream().map(Operation::id))
                    .containsExactly(second, first);
            assertThat(admin().operations(Optional.of(second), 1).get(0).reason())
                    .isEqualTo("one");
        }

        @Test
        void a_task_that_another_transaction_keeps_locked_is_skipped_and_nothing_waits_for_it() throws Exception {
            List<Task> put = put(orders, 20);
            try (Connection other = database.getConnection()) {
                other.setAutoCommit(false);
                try (PreparedStatement lock =
                        other.prepareStatement("SELECT id FROM tasktube_task WHERE id = ? FOR UPDATE")) {
                    lock.setLong(1, put.get(3).id());
                    lock.executeQuery().next();
                }
                Operation ended = run(OperationAct.DELETE, filter(""));
                assertThat(ended.changed()).isEqualTo(19);
                assertThat(ended.skipped()).isEqualTo(1);
                other.rollback();
            }
            assertThat(orders.peek(put.get(3).id())).isPresent();
        }

        @Test
        void a_task_that_comes_back_during_the_operation_is_changed_once() throws Exception {
            // Each retried task is taken, requeued, and buried again at once, so that it fits again at a later place
            bury(orders, put(orders, 2_000));
            Set<Long> seen = ConcurrentHashMap.newKeySet();
            AtomicInteger kicks = new AtomicInteger();
            orders.onTaskChange(change -> {
                if (change.event() == TubeEvent.KICK) {
                    kicks.incrementAndGet();
                    seen.add(change.task().orElseThrow().id());
                }
            });
            long operation = OperationStart.of(admin(), OperationAct.RETRY, filter("state:buried"), "anna", "test")
                    .id();
            while (!admin().operation(operation).state().isEnded()) {
                for (Task task : orders.take(100, Duration.ZERO)) {
                    orders.requeue(task);
                    orders.bury(task.id());
                }
            }
            assertThat(ended(operation).changed()).isEqualTo(2_000);
            Eventually.holds(() -> seen.size() == 2_000, "all are seen");
            assertThat(kicks.get()).isEqualTo(2_000);
            orders.onTaskChange(null);
        }

        /** Keeps operations from their begin, until they are resumed. */
        private void pauseOperations() {
            begin.set(new CountDownLatch(1));
        }

        private void resumeOperations() {
            begin.get().countDown();
        }

        private static void awaitBegin() {
            try {
                assertThat(begin.get().await(60, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_start_is_part_of_the_transaction_and_a_rollback_leaves_nothing_of_it(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create();
                AgroalDataSource pool = Jta.pool(database);
                RunningNode running = new RunningNode(pool, Jta.TRANSACTIONS, "app-1")) {
            Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            tube.put("a");
            TaskAdmin admin = running.node().admin(new ClientConnection());
            TaskFilter all = TaskFilter.parse("tube:" + tube.name());
            Jta.MANAGER.begin();
            Operation undone = OperationStart.of(admin, OperationAct.BURY, all, "anna", "undone");
            assertThat(admin.operation(undone.id()).state()).isEqualTo(OperationState.WAITING);
            Jta.MANAGER.rollback();
            assertThat(admin.operations(Optional.empty(), 10)).isEmpty();
            Jta.MANAGER.begin();
            Operation started = OperationStart.of(admin, OperationAct.BURY, all, "anna", "done");
            Jta.MANAGER.commit();
            Eventually.holds(() -> admin.operation(started.id()).state() == OperationState.DONE, "the end");
            assertThat(tube.peekBuried()).isPresent();
        }
    }

    @Nested
    class H2 extends Rules {

        @BeforeAll
        static void start() {
            start(TestDatabase.H2);
        }
    }

    @Nested
    class PostgreSql extends Rules {

        @BeforeAll
        static void start() {
            start(TestDatabase.POSTGRESQL);
        }
    }
}
