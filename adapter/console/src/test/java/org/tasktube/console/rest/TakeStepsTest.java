package org.tasktube.console.rest;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskState;
import org.tasktube.Tube;

import static org.assertj.core.api.Assertions.assertThat;

class TakeStepsTest {

    private static final int LARGEST = 100;
    private static final long MOST = 800;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final Deque<Integer> sizes = new ArrayDeque<>();
    private final List<String> calls = new ArrayList<>();
    private final TakeSteps steps = new TakeSteps(tube(), LARGEST, MOST);
    private int id;

    /** A tube that has tasks of the sizes. */
    private Tube tube() {
        return (Tube) Proxy.newProxyInstance(
                Tube.class.getClassLoader(),
                new Class<?>[] {Tube.class},
                (self, method, arguments) -> switch (method.getName()) {
                    case "take" -> taken((int) arguments[0], (Duration) arguments[1]);
                    case "release" -> calls.add("release " + ((Task) arguments[0]).id());
                    default -> throw new AssertionError(method);
                });
    }

    private List<Task> taken(int max, Duration timeout) {
        calls.add("take " + max + (timeout.isZero() ? "" : " and wait"));
        List<Task> tasks = new ArrayList<>();
        while (tasks.size() < max && !sizes.isEmpty()) {
            TaskData data = TaskData.of("application/octet-stream", new byte[sizes.removeFirst()]);
            tasks.add(new Task(++id, "t", TaskState.TAKEN, 0, 1, 0, Optional.empty(), Map.of(), data));
        }
        return tasks;
    }

    private void has(int tasks, int size) {
        IntStream.range(0, tasks).forEach(i -> sizes.add(size));
    }

    @Test
    void no_step_can_read_more_than_is_left_if_each_task_is_the_largest() {
        has(100, LARGEST);
        assertThat(steps.take(100)).hasSize(8);
        assertThat(calls).containsExactly("take 8");
    }

    @Test
    void small_tasks_come_in_steps() {
        has(30, 1);
        assertThat(steps.take(20)).hasSize(20);
        assertThat(calls).containsExactly("take 8", "take 7", "take 5");
    }

    @Test
    void a_take_waits_for_one_task_and_the_others_come_with_it() {
        has(30, 1);
        assertThat(steps.first(TIMEOUT)).isTrue();
        assertThat(steps.take(20)).hasSize(20);
        assertThat(calls).containsExactly("take 1 and wait", "take 7", "take 7", "take 5");
    }

    @Test
    void a_wait_without_a_task_ends_the_take() {
        assertThat(steps.first(TIMEOUT)).isFalse();
        assertThat(calls).containsExactly("take 1 and wait");
    }

    @Test
    void a_step_that_was_not_filled_is_the_last() {
        has(3, 1);
        assertThat(steps.take(20)).hasSize(3);
        assertThat(calls).containsExactly("take 8");
    }

    @Test
    void a_step_ends_the_take_if_a_task_as_large_as_the_largest_would_not_fit() {
        has(7, LARGEST);
        has(1, 50);
        has(1, 1);
        assertThat(steps.take(20)).hasSize(8);
        assertThat(calls).containsExactly("take 8");
    }

    @Test
    void a_task_of_the_last_step_that_does_not_fit_is_released() {
        has(19, 40);
        has(1, 41);
        assertThat(steps.take(20)).hasSize(19);
        assertThat(calls).endsWith("take 1", "release 20");
    }

    @Test
    void a_single_task_is_taken_however_large_it_is() {
        has(2, 1_000);
        assertThat(new TakeSteps(tube(), 1_000, MOST).take(20)).hasSize(1);
        assertThat(calls).containsExactly("take 1");
    }

    @Test
    void tasks_above_the_setting_are_released_beyond_the_bound() {
        has(8, 300);
        assertThat(steps.take(20)).extracting(Task::id).containsExactly(1L, 2L);
        assertThat(steps.taken()).hasSize(8);
        assertThat(calls)
                .containsExactly(
                        "take 8", "release 3", "release 4", "release 5", "release 6", "release 7", "release 8");
    }
}
