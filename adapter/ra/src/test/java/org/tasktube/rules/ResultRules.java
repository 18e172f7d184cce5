package org.tasktube.rules;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.function.LongConsumer;
import org.tasktube.DataTooLargeException;
import org.tasktube.Task;
import org.tasktube.TaskMeta;
import org.tasktube.TaskNotFoundException;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.TaskWatch;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.testing.Eventually;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tasktube.rules.Rule.rule;
import static org.tasktube.rules.Scenario.LONG;
import static org.tasktube.rules.Scenario.get;
import static org.tasktube.rules.Scenario.gone;
import static org.tasktube.rules.Scenario.with;
import static org.tasktube.spi.TubeOption.DELAY;
import static org.tasktube.spi.TubeOption.TTL;
import static org.tasktube.spi.TubeOption.TTR;

/** The result of a task, and the watches that it ends. */
final class ResultRules extends RuleGroup {

    @Override
    String heading() {
        return "Results, watch, await";
    }

    @Override
    List<Rule> rules() {
        return List.of(
                rule(
                        "ack with a result keeps the task as DONE, with COMPLETED or REJECTED",
                        this::a_result_is_kept_with_its_outcome),
                rule("A result is kept for its ttl, by default one hour", this::a_result_is_kept_for_its_ttl),
                rule(
                        "An ack with a result over maxDataSize fails, and the task stays TAKEN",
                        this::too_large_a_result_is_an_error),
                rule(
                        "watch(id) reports each change of state, and ends with the last one",
                        this::a_watch_reports_each_change),
                rule("watch(id) reports the ends of delay, ttr and ttl", this::a_watch_reports_the_ends_of_times)
                        .needs(DELAY, TTR, TTL),
                rule("watch(id) of a missing task fails", this::a_watch_of_nothing_is_an_error),
                rule("A watch ends with its connection", this::a_watch_ends_with_its_connection),
                rule("A watch ends with its tube", this::a_watch_ends_with_its_tube),
                rule("await(id, timeout) waits for the result", this::await_waits_for_the_result),
                rule("await(id, timeout) returns an empty `Optional` on timeout", this::await_ends_in_time),
                rule(
                        "await fails if the task ends without a result",
                        this::await_of_a_task_without_a_result_is_an_error),
                rule("watch and await report changes on another server", this::another_server_is_seen)
                        .onTwoServers());
    }

    private void a_result_is_kept_with_its_outcome(Scenario scenario) {
        Tube tube = scenario.tube();
        Task completed = tube.put("a");
        tube.ack(scenario.take(), TaskResult.completed("fine"));
        Task rejected = tube.put("b");
        tube.ack(scenario.take(), TaskResult.rejected(new int[] {7}));
        assertThat(tube.result(completed.id()).orElseThrow().outcome()).isEqualTo(TaskResult.Outcome.COMPLETED);
        assertThat(tube.result(completed.id()).orElseThrow().data(String.class)).isEqualTo("fine");
        assertThat(tube.result(rejected.id()).orElseThrow().outcome()).isEqualTo(TaskResult.Outcome.REJECTED);
        assertThat(tube.result(rejected.id()).orElseThrow().data(int[].class)).containsExactly(7);
        assertThat(tube.statistics().results()).isEqualTo(2);
        assertThat(tube.take(ZERO)).isEmpty();
    }

    private void a_result_is_kept_for_its_ttl(Scenario scenario) {
        Tube tube = scenario.tube();
        Task kept = tube.put("a");
        tube.ack(scenario.take(), TaskResult.completed("fine"));
        assertThat(left(tube, kept)).isBetween(ofHours(1).minusSeconds(20), ofHours(1));
        assertThat(tube.result(kept.id()).orElseThrow().ttl()).isEqualTo(TaskResult.DEFAULT_TTL);
        Task brief = tube.put("b");
        tube.ack(scenario.take(), TaskResult.completed("fine").ttl(ofMillis(30)));
        Eventually.holds(() -> tube.result(brief.id()).isEmpty() && gone(tube, brief.id()), "its time is over");
        assertThat(tube.result(kept.id())).isPresent();
    }

    private static Duration left(Tube tube, Task task) {
        TaskMeta meta = tube.meta(task.id()).orElseThrow();
        return Duration.between(meta.now(), meta.event().orElseThrow());
    }

    private void too_large_a_result_is_an_error(Scenario scenario) {
        scenario.tube().put("a");
        Task task = scenario.take();
        assertThatThrownBy(() -> scenario.tube().ack(task, TaskResult.completed(new byte[(1 << 20) + 1])))
                .isInstanceOf(DataTooLargeException.class);
        scenario.tube().ack(task, TaskResult.completed(new byte[1 << 20]));
        assertThat(scenario.tube().result(task.id()).orElseThrow().data(byte[].class))
                .hasSize(1 << 20);
    }

    private void a_watch_reports_each_change(Scenario scenario) {
        Tube tube = scenario.tube();
        Task put = tube.put("a");
        try (TaskWatch watch = scenario.another().watch(put.id())) {
            tube.release(scenario.take());
            tube.bury(scenario.take());
            tube.dig(put.id());
            tube.ack(scenario.take());
            assertThat(states(watch))
                    .containsExactly(
                            TaskState.READY,
                            TaskState.TAKEN,
                            TaskState.READY,
                            TaskState.TAKEN,
                            TaskState.BURIED,
                            TaskState.READY,
                            TaskState.TAKEN,
                            TaskState.DONE);
            assertThat(watch.next(ZERO)).isEmpty();
        }
        ends(scenario, id -> tube.delete(id));
        ends(scenario, id -> tube.truncate());
        ends(scenario, id -> tube.ack(scenario.take(), TaskResult.completed("fine")));
    }

    private static List<TaskState> states(TaskWatch watch) {
        List<TaskState> states = new ArrayList<>();
        while (!watch.isOver()) {
            states.add(watch.next(LONG).orElseThrow(() -> new AssertionError("nothing more after " + states)));
        }
        return states;
    }

    private static void ends(Scenario scenario, LongConsumer end) {
        Task put = scenario.tube().put("a");
        try (TaskWatch watch = scenario.tube().watch(put.id())) {
            end.accept(put.id());
            assertThat(states(watch)).startsWith(TaskState.READY).endsWith(TaskState.DONE);
        }
    }

    private void a_watch_reports_the_ends_of_times(Scenario scenario) {
        // On a machine that stands still at this point a short life ends before the take
        Duration life = ofMillis(500);
        while (!watchedUntilItsEnd(scenario.tube(), life)) {
            life = life.multipliedBy(4);
            assertThat(life).isLessThan(Duration.ofMinutes(1));
        }
    }

    private static boolean watchedUntilItsEnd(Tube tube, Duration life) {
        Duration delay = ofSeconds(1);
        Task put = tube.put("a", with().delay(delay).ttr(ofMillis(30)).ttl(life));
        try (TaskWatch watch = tube.watch(put.id())) {
            if (tube.take(delay.plus(life)).isEmpty()) {
                return false;
            }
            assertThat(states(watch))
                    .containsExactly(
                            TaskState.DELAYED, TaskState.READY, TaskState.TAKEN, TaskState.READY, TaskState.DONE);
            return true;
        }
    }

    private void a_watch_of_nothing_is_an_error(Scenario scenario) {
        assertThatThrownBy(() -> scenario.tube().watch(Long.MAX_VALUE)).isInstanceOf(TaskNotFoundException.class);
        assertThatThrownBy(() -> scenario.tube().await(Long.MAX_VALUE, ZERO)).isInstanceOf(TaskNotFoundException.class);
    }

    private void await_waits_for_the_result(Scenario scenario) {
        Tube tube = scenario.tube();
        Task put = tube.put("a");
        Future<Optional<TaskResult>> result =
                scenario.later(() -> scenario.another().await(put.id(), LONG));
        tube.ack(scenario.take(), TaskResult.completed("fine"));
        assertThat(get(result).orElseThrow().data(String.class)).isEqualTo("fine");
        assertThat(tube.await(put.id(), ZERO)).isPresent();
    }

    private void await_ends_in_time(Scenario scenario) {
        Task put = scenario.tube().put("a");
        assertThat(scenario.tube().await(put.id(), ZERO)).isEmpty();
        assertThat(scenario.tube().await(put.id(), ofMillis(30))).isEmpty();
        assertThatThrownBy(() -> scenario.tube().await(put.id(), ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private void await_of_a_task_without_a_result_is_an_error(Scenario scenario) {
        Tube tube = scenario.tube();
        Task put = tube.put("a");
        Task taken = scenario.take();
        Future<Optional<TaskResult>> result =
                scenario.later(() -> scenario.another().await(put.id(), LONG));
        assertThat(tube.await(put.id(), ofMillis(20))).isEmpty();
        tube.ack(taken);
        assertThatThrownBy(() -> get(result)).isInstanceOf(TaskNotFoundException.class);
    }

    private void another_server_is_seen(Scenario scenario) {
        Task put = scenario.tube().put("a");
        Tube there = scenario.elsewhere();
        Future<Optional<TaskResult>> result = scenario.later(() -> there.await(put.id(), LONG));
        try (TaskWatch watch = there.watch(put.id())) {
            assertThat(watch.next(LONG)).contains(TaskState.READY);
            scenario.tube().ack(scenario.take(), TaskResult.completed("fine"));
            assertThat(states(watch)).endsWith(TaskState.DONE);
        }
        assertThat(get(result).orElseThrow().data(String.class)).isEqualTo("fine");
    }

    private void a_watch_ends_with_its_connection(Scenario scenario) {
        Task put = scenario.tube().put("a");
        TubeConnection closed = scenario.connect();
        TaskWatch watch = closed.tube(scenario.tube().name()).watch(put.id());
        assertThat(watch.next(ZERO)).contains(TaskState.READY);
        Future<Optional<TaskState>> next = scenario.later(() -> watch.next(LONG.multipliedBy(2)));
        closed.close();
        assertThat(get(next)).isEmpty();
        assertThat(scenario.watched(scenario.tube())).isEmpty();
        TubeConnection another = scenario.connect();
        Future<Optional<TaskResult>> await =
                scenario.later(() -> another.tube(scenario.tube().name()).await(put.id(), LONG.multipliedBy(2)));
        Eventually.holds(() -> !scenario.watched(scenario.tube()).isEmpty(), "it waits");
        another.close();
        assertThatThrownBy(() -> get(await)).isInstanceOf(IllegalStateException.class);
        assertThat(scenario.watched(scenario.tube())).isEmpty();
    }

    private void a_watch_ends_with_its_tube(Scenario scenario) {
        Tube tube = scenario.tube();
        Task put = tube.put("a");
        try (TaskWatch watch = scenario.another().watch(put.id())) {
            assertThat(watch.next(ZERO)).contains(TaskState.READY);
            tube.drop();
            assertThat(watch.next(LONG)).contains(TaskState.DONE);
        }
    }
}
