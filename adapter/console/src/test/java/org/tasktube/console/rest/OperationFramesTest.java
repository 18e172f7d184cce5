package org.tasktube.console.rest;

import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.tasktube.AdapterState;
import org.tasktube.TubeConnection;
import org.tasktube.admin.Operation;
import org.tasktube.admin.OperationAct;
import org.tasktube.admin.OperationSize;
import org.tasktube.admin.OperationState;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskFilter;

import static org.assertj.core.api.Assertions.assertThat;

/** The event of the operations, from rows as the adapter leaves them. */
class OperationFramesTest {

    private final TreeMap<Long, OperationState> rows = new TreeMap<>();
    private int reads;
    private AdapterState state = AdapterState.RUNNING;

    private void haveWaiting(int number) {
        for (int i = 1; i <= number; i++) {
            rows.put(1_000L + i, OperationState.WAITING);
        }
    }

    private String data() {
        return OperationFrames.frame(connection()).data();
    }

    @Test
    void operations_that_wait_or_run_are_in_the_event_and_ended_ones_are_not() {
        rows.put(1L, OperationState.DONE);
        rows.put(2L, OperationState.CANCELLED);
        rows.put(3L, OperationState.RUNNING);
        rows.put(4L, OperationState.WAITING);
        assertThat(data()).contains("\"id\":\"3\"", "\"id\":\"4\"").doesNotContain("\"id\":\"1\"", "\"id\":\"2\"");
        assertThat(reads).isEqualTo(1);
    }

    @Test
    void one_that_runs_is_in_the_event_behind_any_number_of_newer_ones() {
        rows.put(7L, OperationState.RUNNING);
        haveWaiting(250);
        rows.put(1_100L, OperationState.CANCELLED);
        assertThat(data()).contains("\"id\":\"7\"", "\"state\":\"RUNNING\"", "\"id\":\"1250\"");
    }

    @Test
    void operations_that_have_run_are_not_searched_for_older_ones() {
        for (long id = 1; id <= 250; id++) {
            rows.put(id, OperationState.DONE);
        }
        assertThat(data()).isEqualTo("{\"operations\":[]}");
        assertThat(reads).isEqualTo(1);
    }

    @Test
    void the_event_and_the_reads_for_it_are_bounded() {
        haveWaiting(5_000);
        assertThat(data().split("\"id\":", -1)).hasSizeLessThan(150);
        assertThat(reads).isLessThan(50);
    }

    @Test
    void without_a_running_adapter_the_event_is_empty() {
        rows.put(7L, OperationState.RUNNING);
        state = AdapterState.WAITING;
        assertThat(data()).isEqualTo("{\"operations\":[]}");
    }

    private TubeConnection connection() {
        Map<String, Function<Object[], Object>> admin = new HashMap<>();
        admin.put("operations", arguments -> page((Optional<?>) arguments[0], (int) arguments[1]));
        TaskAdmin fake = fake(TaskAdmin.class, admin);
        return fake(TubeConnection.class, Map.of("state", arguments -> state, "unwrap", arguments -> fake));
    }

    private List<Operation> page(Optional<?> before, int limit) {
        reads++;
        return rows.headMap(before.map(id -> (long) id).orElse(Long.MAX_VALUE), false).descendingMap().keySet().stream()
                .limit(limit)
                .map(this::operation)
                .toList();
    }

    private Operation operation(long id) {
        return new Operation(
                id,
                OperationAct.RETRY,
                TaskFilter.parse("state:buried"),
                "anna",
                "test",
                rows.get(id),
                Instant.EPOCH,
                Optional.empty(),
                Optional.empty(),
                new OperationSize(1, false, id),
                0,
                0,
                0,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    private static <T> T fake(Class<T> type, Map<String, Function<Object[], Object>> calls) {
        Object fake = Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> calls.get(method.getName())
                        .apply(arguments));
        return type.cast(fake);
    }
}
