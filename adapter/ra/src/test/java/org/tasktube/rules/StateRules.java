package org.tasktube.rules;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.tasktube.PutOptions;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.TaskNotTakenException;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeEvent;
import org.tasktube.WrongStateException;
import org.tasktube.testing.Eventually;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tasktube.rules.Rule.rule;
import static org.tasktube.rules.Scenario.calls;
import static org.tasktube.rules.Scenario.gone;
import static org.tasktube.rules.Scenario.state;
import static org.tasktube.rules.Scenario.with;
import static org.tasktube.spi.TubeOption.DELAY;
import static org.tasktube.spi.TubeOption.TTL;
import static org.tasktube.spi.TubeOption.TTR;

/** Which state a task leaves by what. */
final class StateRules extends RuleGroup {

    @Override
    String heading() {
        return "States";
    }

    @Override
    List<Rule> rules() {
        return List.of(
                rule("From READY: take → TAKEN; bury → BURIED; delete → gone", this::ready_leaves),
                rule("From READY: end of the ttl → gone", this::ready_leaves_by_ttl)
                        .needs(TTL),
                rule("From DELAYED: end of the delay → READY; delete → gone", this::delayed_leaves)
                        .needs(DELAY),
                rule("All delays that end at once end, however many they are", this::many_delays_end_at_once)
                        .testedWith(
                                Type.FIFOTTL, "it puts more tasks than a sweep's batch has; one type stands for all"),
                rule("sweep() returns how long it is until the next deadline", this::sweep_says_when_the_next_is_due)
                        .needs(DELAY),
                rule(
                                "The ttl never expires in DELAYED, because the delay was added to it",
                                this::ttl_does_not_fire_while_delayed)
                        .needs(DELAY, TTL),
                rule(
                        "From TAKEN: ack → gone, or DONE with a result; release, requeue → READY; bury → "
                                + "BURIED; delete → gone",
                        this::taken_leaves),
                rule("From TAKEN: release with a delay → DELAYED", this::taken_leaves_by_a_delayed_release)
                        .needs(DELAY),
                rule("From TAKEN: end of the ttr → READY", this::taken_leaves_by_ttr)
                        .needs(TTR),
                rule("From TAKEN: end of the session → READY", this::taken_leaves_by_the_end_of_the_session),
                rule(
                                "The ttl does not take effect in TAKEN: a holder can always ack a task that it still "
                                        + "holds",
                                this::ttl_does_not_fire_while_taken)
                        .needs(TTL, TTR),
                rule("From BURIED: kick, dig → READY; delete → gone", this::buried_leaves),
                rule("From BURIED: end of the ttl → gone", this::buried_leaves_by_ttl)
                        .needs(TTL),
                rule("From DONE: end of the result's ttl, delete → gone", this::done_leaves),
                rule(
                        "A transition from a wrong state fails and changes nothing. The error names the task, "
                                + "its state and the needed state",
                        this::a_wrong_transition_is_an_error_that_names_all));
    }

    private void ready_leaves(Scenario scenario) {
        Tube tube = scenario.tube();
        Task task = tube.put("a");
        assertThat(task.state()).isEqualTo(TaskState.READY);
        assertThat(scenario.take().state()).isEqualTo(TaskState.TAKEN);
        assertThat(state(tube, task.id())).isEqualTo(TaskState.TAKEN);
        Task buried = tube.put("b");
        tube.bury(buried);
        assertThat(state(tube, buried.id())).isEqualTo(TaskState.BURIED);
        Task deleted = tube.put("c");
        tube.delete(deleted.id());
        assertThat(gone(tube, deleted.id())).isTrue();
    }

    private void ready_leaves_by_ttl(Scenario scenario) {
        Task task = scenario.tube().put("a", with().ttl(ofMillis(30)));
        Eventually.holds(() -> gone(scenario.tube(), task.id()), "its ttl ends it");
    }

    private void delayed_leaves(Scenario scenario) {
        Tube tube = scenario.tube();
        Task task = tube.put("a", with().delay(ofMillis(30)));
        Eventually.holds(() -> state(tube, task.id()) == TaskState.READY, "its delay is over");
        Task deleted = tube.put("b", with().delay(ofMinutes(1)));
        assertThat(deleted.state()).isEqualTo(TaskState.DELAYED);
        tube.delete(deleted.id());
        assertThat(gone(tube, deleted.id())).isTrue();
    }

    private void many_delays_end_at_once(Scenario scenario) {
        int tasks = 600;
        List<Integer> half = Collections.nCopies(tasks / 2, 1);
        PutOptions delayed = with().delay(ofMillis(300));
        scenario.tube().putAll(half, delayed);
        scenario.tube().putAll(half, delayed);
        Eventually.holds(() -> scenario.tube().statistics().ready() == tasks, "all are ready");
        // A count of the table may show the last ones before their sweep has counted its call
        Eventually.holds(() -> calls(scenario.tube(), TubeEvent.DELAY) == tasks, "all delays have counted");
    }

    private void sweep_says_when_the_next_is_due(Scenario scenario) {
        Task task = scenario.tube().put("a", with().delay(ofMinutes(1)));
        Duration next = scenario.connection().sweep();
        assertThat(next).isPositive().isLessThanOrEqualTo(ofMinutes(1));
        assertThat(state(scenario.tube(), task.id())).isEqualTo(TaskState.DELAYED);
    }

    private void ttl_does_not_fire_while_delayed(Scenario scenario) {
        Tube tube = scenario.tube();
        Task late = tube.put("late", with().ttl(ofMillis(1)).delay(ofMinutes(1)));
        Task soon = tube.put("soon", with().ttl(ofMillis(1)).delay(ofMillis(60)));
        Eventually.holds(() -> gone(tube, soon.id()), "delay and ttl are over");
        assertThat(state(tube, late.id())).isEqualTo(TaskState.DELAYED);
    }

    private void taken_leaves(Scenario scenario) {
        Tube tube = scenario.tube();
        tube.put("a");
        Task task = scenario.take();
        tube.release(task);
        assertThat(state(tube, task.id())).isEqualTo(TaskState.READY);
        tube.requeue(scenario.take());
        assertThat(state(tube, task.id())).isEqualTo(TaskState.READY);
        tube.bury(scenario.take());
        assertThat(state(tube, task.id())).isEqualTo(TaskState.BURIED);
        tube.dig(task.id());
        scenario.take();
        tube.delete(task.id());
        assertThat(gone(tube, task.id())).isTrue();
        tube.put("b");
        Task acked = scenario.take();
        tube.ack(acked);
        assertThat(gone(tube, acked.id())).isTrue();
        tube.put("c");
        Task done = scenario.take();
        tube.ack(done, TaskResult.completed("result"));
        assertThat(state(tube, done.id())).isEqualTo(TaskState.DONE);
    }

    private void taken_leaves_by_a_delayed_release(Scenario scenario) {
        scenario.tube().put("a");
        Task task = scenario.take();
        scenario.tube().release(task, ReleaseOptions.defaults().delay(ofMinutes(1)));
        assertThat(state(scenario.tube(), task.id())).isEqualTo(TaskState.DELAYED);
    }

    private void taken_leaves_by_ttr(Scenario scenario) {
        Task put = scenario.tube().put("a", with().ttr(ofMillis(30)));
        scenario.take();
        Eventually.holds(() -> state(scenario.tube(), put.id()) == TaskState.READY, "its ttr is over");
    }

    private void taken_leaves_by_the_end_of_the_session(Scenario scenario) {
        Task put = scenario.tube().put("a");
        try (var other = scenario.connect()) {
            assertThat(other.tube(scenario.tube().name()).take(ZERO)).isPresent();
        }
        Eventually.holds(() -> state(scenario.tube(), put.id()) == TaskState.READY, "its session has ended");
    }

    private void ttl_does_not_fire_while_taken(Scenario scenario) {
        scenario.tube().put("a", with().ttl(ofSeconds(2)).ttr(ofMinutes(1)));
        Task task = scenario.take();
        Task after = scenario.tube().put("b", with().ttl(ofMillis(2_200)));
        Eventually.holds(() -> gone(scenario.tube(), after.id()), "a later ttl is over");
        assertThat(state(scenario.tube(), task.id())).isEqualTo(TaskState.TAKEN);
        scenario.tube().ack(task);
        assertThat(gone(scenario.tube(), task.id())).isTrue();
    }

    private void buried_leaves(Scenario scenario) {
        Tube tube = scenario.tube();
        Task task = tube.put("a");
        tube.bury(task);
        assertThat(tube.kick(1)).isEqualTo(1);
        assertThat(state(tube, task.id())).isEqualTo(TaskState.READY);
        tube.bury(task);
        tube.dig(task.id());
        assertThat(state(tube, task.id())).isEqualTo(TaskState.READY);
        tube.bury(task);
        tube.delete(task.id());
        assertThat(gone(tube, task.id())).isTrue();
    }

    private void buried_leaves_by_ttl(Scenario scenario) {
        Task task = scenario.tube().put("a", with().ttl(ofSeconds(2)));
        scenario.tube().bury(task);
        Eventually.holds(() -> gone(scenario.tube(), task.id()), "its ttl ends it");
    }

    private void done_leaves(Scenario scenario) {
        Tube tube = scenario.tube();
        tube.put("a");
        Task brief = scenario.take();
        tube.ack(brief, TaskResult.completed("a").ttl(ofMillis(30)));
        tube.put("b");
        Task deleted = scenario.take();
        tube.ack(deleted, TaskResult.completed("b"));
        tube.delete(deleted.id());
        assertThat(gone(tube, deleted.id())).isTrue();
        Eventually.holds(() -> gone(tube, brief.id()), "the ttl of its result is over");
    }

    private void a_wrong_transition_is_an_error_that_names_all(Scenario scenario) {
        Tube tube = scenario.tube();
        Task ready = tube.put("a");
        assertThatThrownBy(() -> tube.dig(ready.id()))
                .isInstanceOf(WrongStateException.class)
                .hasMessageContaining(String.valueOf(ready.id()))
                .hasMessageContaining("READY")
                .hasMessageContaining("BURIED");
        Task taken = scenario.take();
        assertThatThrownBy(() -> tube.dig(taken.id()))
                .isInstanceOf(WrongStateException.class)
                .hasMessageContaining("TAKEN");
        assertThat(state(tube, taken.id())).isEqualTo(TaskState.TAKEN);
        tube.release(taken);
        assertThatThrownBy(() -> tube.ack(taken))
                .isInstanceOf(TaskNotTakenException.class)
                .hasMessageContaining(String.valueOf(taken.id()))
                .hasMessageContaining("READY");
        assertThat(state(tube, taken.id())).isEqualTo(TaskState.READY);
        Task done = scenario.take();
        tube.ack(done, TaskResult.completed("a"));
        assertThatThrownBy(() -> tube.bury(done))
                .isInstanceOf(WrongStateException.class)
                .hasMessageContaining("DONE");
        assertThat(tube.result(done.id())).isPresent();
    }
}
