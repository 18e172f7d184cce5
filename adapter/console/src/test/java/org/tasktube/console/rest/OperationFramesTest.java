package org.tasktube.console.rest;

import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.tasktube.AdapterState;
import org.tasktube.OperationNotFoundException;
import org.tasktube.TaskMeta;
import org.tasktube.TaskState;
import org.tasktube.TubeConnection;
import org.tasktube.admin.BulkAct;
import org.tasktube.admin.FoundTask;
import org.tasktube.admin.Operation;
import org.tasktube.admin.OperationState;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskFilter;
import org.tasktube.admin.TaskPage;

import static org.assertj.core.api.Assertions.assertThat;

/** The event of the operations, from rows and tasks as the adapter leaves them. */
class OperationFramesTest {

    private final TreeMap<Long, OperationState> rows = new TreeMap<>();
    private final Map<Long, TaskState> tasks = new TreeMap<>();
    private final List<String> calls = new ArrayList<>();
    private AdapterState state = AdapterState.RUNNING;

    private void have(long id, OperationState operation, TaskState task) {
        rows.put(id, operation);
        tasks.put(id, task);
    }

    private void haveWaiting(int number) {
        for (int i = 1; i <= number; i++) {
            have(1_000 + i, OperationState.WAITING, TaskState.READY);
        }
    }

    private String data() {
        return OperationFrames.frame(connection()).data();
    }

    @Test
    void operations_that_wait_or_run_are_in_the_event_and_ended_ones_are_not() {
        rows.put(1L, OperationState.DONE);
        rows.put(2L, OperationState.CANCELLED);
        have(3, OperationState.RUNNING, TaskState.TAKEN);
        have(4, OperationState.WAITING, TaskState.READY);
        assertThat(data()).contains("\"id\":\"3\"", "\"id\":\"4\"").doesNotContain("\"id\":\"1\"", "\"id\":\"2\"");
        assertThat(calls).as("reads").containsExactly("operations");
    }

    @Test
    void one_that_runs_is_in_the_event_behind_any_number_of_newer_ones() {
        have(7, OperationState.RUNNING, TaskState.TAKEN);
        haveWaiting(250);
        assertThat(data()).contains("\"id\":\"7\"", "\"state\":\"RUNNING\"", "\"id\":\"1250\"");
    }

    /** Its task is READY until another server takes it. */
    @Test
    void one_whose_server_has_died_stays_in_the_event() {
        have(7, OperationState.RUNNING, TaskState.READY);
        haveWaiting(250);
        assertThat(data()).contains("\"id\":\"7\"", "\"state\":\"RUNNING\"");
    }

    @Test
    void a_task_that_has_outlived_its_operation_is_no_fault() {
        have(7, OperationState.DONE, TaskState.TAKEN);
        tasks.put(8L, TaskState.READY);
        haveWaiting(250);
        assertThat(data()).contains("\"id\":\"1250\"").doesNotContain("\"id\":\"7\"", "\"id\":\"8\"");
    }

    @Test
    void the_event_and_the_reads_for_it_are_bounded() {
        for (int i = 1; i <= 400; i++) {
            have(i, OperationState.WAITING, i % 2 == 0 ? TaskState.TAKEN : TaskState.READY);
        }
        assertThat(data().split("\"id\":", -1)).hasSizeLessThan(150);
        assertThat(calls).hasSizeLessThan(50);
    }

    @Test
    void without_a_running_adapter_the_event_is_empty() {
        have(7, OperationState.RUNNING, TaskState.TAKEN);
        state = AdapterState.WAITING;
        assertThat(data()).isEqualTo("{\"operations\":[]}");
    }

    private TubeConnection connection() {
        Map<String, Function<Object[], Object>> admin = new HashMap<>();
        admin.put("operations", arguments -> newest((int) arguments[1]));
        admin.put("operation", arguments -> find((long) arguments[0]));
        admin.put("search", arguments -> search((TaskFilter) arguments[0], (int) arguments[2]));
        TaskAdmin fake = fake(TaskAdmin.class, admin);
        return fake(TubeConnection.class, Map.of("state", arguments -> state, "unwrap", arguments -> fake));
    }

    private List<Operation> newest(int limit) {
        calls.add("operations");
        return rows.descendingMap().keySet().stream()
                .limit(limit)
                .map(this::operation)
                .toList();
    }

    private Operation find(long id) {
        calls.add("operation");
        if (!rows.containsKey(id)) {
            throw new OperationNotFoundException(id);
        }
        return operation(id);
    }

    private TaskPage search(TaskFilter filter, int limit) {
        calls.add("search");
        assertThat(filter.toString()).startsWith("tube:" + Operation.TUBE + " state:");
        List<FoundTask> found = tasks.entrySet().stream()
                .filter(task ->
                        filter.toString().endsWith(":" + task.getValue().name().toLowerCase(Locale.ROOT)))
                .limit(limit)
                .map(task -> new FoundTask(meta(task.getKey(), task.getValue()), Optional.empty(), "text/plain", 1))
                .toList();
        return new TaskPage(found, found.size(), Optional.empty());
    }

    private Operation operation(long id) {
        return new Operation(
                id,
                BulkAct.RETRY,
                TaskFilter.parse("state:buried"),
                "anna",
                "test",
                rows.get(id),
                Instant.EPOCH,
                Optional.empty(),
                Optional.empty(),
                1,
                0,
                0,
                0,
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    private static TaskMeta meta(long id, TaskState state) {
        return new TaskMeta(
                id,
                Operation.TUBE,
                state,
                Optional.empty(),
                0,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Instant.EPOCH,
                Optional.empty(),
                Optional.empty(),
                0,
                0,
                0,
                Optional.empty(),
                Instant.EPOCH);
    }

    private static <T> T fake(Class<T> type, Map<String, Function<Object[], Object>> calls) {
        Object fake = Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> calls.get(method.getName())
                        .apply(arguments));
        return type.cast(fake);
    }
}
