package org.tasktube.rules;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import org.tasktube.History;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.TaskChange;
import org.tasktube.TaskNotFoundException;
import org.tasktube.TaskProgress;
import org.tasktube.Tube;
import org.tasktube.TubeEvent;
import org.tasktube.admin.TaskEvent;
import org.tasktube.admin.TubeChange;
import org.tasktube.testing.Eventually;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tasktube.rules.Rule.rule;
import static org.tasktube.rules.Scenario.with;
import static org.tasktube.spi.TubeOption.DELAY;
import static org.tasktube.spi.TubeOption.TTL;
import static org.tasktube.spi.TubeOption.TTR;

/** A task can be cancelled, and its holder can say how far it is. */
final class CancelRules extends RuleGroup {

    @Override
    String heading() {
        return "Cancel and progress";
    }

    @Override
    List<Rule> rules() {
        return List.of(
                rule("`cancel` of a task that is not TAKEN is as delete", this::one_that_is_free_is_deleted),
                rule("The holder of a TAKEN task is asked, on any server", this::the_holder_is_asked)
                        .onTwoServers(),
                rule("An ack of a cancelled task counts", this::an_ack_counts),
                rule("Any other end of its taking removes it", this::each_other_end_removes),
                rule("So does a release with a delay, or with a new ttl", this::a_delay_removes)
                        .needs(DELAY, TTL),
                rule("So does the end of its ttr", this::the_ttr_removes).needs(TTR),
                rule("So does the end of its session", this::the_session_removes),
                rule("A rollback of `cancel` leaves the task", this::a_rollback)
                        .only(Mode.IN_JTA, "outside a transaction each call commits"),
                rule("The reason of a cancel is in the history", this::the_reason_is_kept),
                rule("A task that does not exist, and a reason out of its bounds, are refused", this::refusals),
                rule(
                        "Others see the progress of a task while its holder's transaction is open",
                        this::progress_is_seen),
                rule("The progress of a task has bounds", this::progress_has_bounds));
    }

    private static void removed(Scenario scenario, Task task) {
        // It is over at once, and not when a server next looks for such tasks
        scenario.tube().meta(task.id()).ifPresent(meta -> assertThat(meta.event())
                .hasValueSatisfying(end -> assertThat(end).isBeforeOrEqualTo(meta.now())));
        assertThat(scenario.another().take(ZERO)).isEmpty();
        Eventually.holds(() -> scenario.tube().peek(task.id()).isEmpty(), "the task is gone");
    }

    private void one_that_is_free_is_deleted(Scenario scenario) {
        Tube tube = scenario.tube();
        Task task = tube.put("a");
        assertThat(tube.cancel(task.id(), "wrong list")).isTrue();
        assertThat(tube.peek(task.id())).isEmpty();
        Task buried = tube.put("b");
        tube.bury(buried.id());
        List<TaskChange> changes = new CopyOnWriteArrayList<>();
        tube.onTaskChange(changes::add);
        assertThat(tube.cancel(buried.id(), "wrong list")).isTrue();
        assertThat(tube.statistics().total()).isZero();
        assertThat(changes).singleElement().satisfies(change -> {
            assertThat(change.event()).isEqualTo(TubeEvent.DELETE);
            assertThat(change.task().orElseThrow().text()).isEqualTo("b");
        });
    }

    private void the_holder_is_asked(Scenario scenario) {
        scenario.tube().put("a");
        scenario.tube().put("b");
        Task task = scenario.take();
        Task other = scenario.take();
        assertThat(scenario.tube().isCancelled(task)).isFalse();
        assertThat(scenario.elsewhere().cancel(task.id(), "wrong list")).isFalse();
        Eventually.holds(() -> scenario.tube().isCancelled(task), "the holder knows");
        assertThat(scenario.tube().isCancelled(other)).isFalse();
        TaskProgress.Cancel cancel =
                scenario.tube().progress(task.id()).orElseThrow().cancel().orElseThrow();
        assertThat(cancel.reason()).isEqualTo("wrong list");
        scenario.tube().release(task);
        removed(scenario, task);
    }

    private void an_ack_counts(Scenario scenario) {
        scenario.tube().put("a");
        Task task = scenario.take();
        scenario.tube().cancel(task.id(), "late");
        scenario.tube().ack(task);
        assertThat(scenario.tube().peek(task.id())).isEmpty();
        assertThat(scenario.tube().statistics().events().get(TubeEvent.ACK)).isOne();
    }

    private void each_other_end_removes(Scenario scenario) {
        List<BiConsumer<Tube, Task>> ends = List.of(
                Tube::release,
                Tube::requeue,
                Tube::bury,
                (tube, task) -> tube.bury(task, "why"),
                (tube, task) -> tube.releaseAll());
        for (BiConsumer<Tube, Task> end : ends) {
            scenario.tube().put("a");
            Task task = scenario.take();
            scenario.tube().cancel(task.id(), "late");
            end.accept(scenario.tube(), task);
            removed(scenario, task);
        }
        scenario.tube().put("a");
        Task failed = scenario.tube().peekReady().orElseThrow();
        scenario.tube().cancel(scenario.take().id(), "late");
        scenario.tube().releaseAll();
        removed(scenario, failed);
    }

    private void a_delay_removes(Scenario scenario) {
        List<ReleaseOptions> ends = List.of(
                ReleaseOptions.defaults().delay(ofMinutes(5)),
                ReleaseOptions.defaults().delay(ofMinutes(5)).ttl(ofMinutes(5)),
                ReleaseOptions.defaults().ttl(ofMinutes(5)));
        for (ReleaseOptions end : ends) {
            scenario.tube().put("a");
            Task task = scenario.take();
            scenario.tube().cancel(task.id(), "late");
            scenario.tube().release(task, end);
            removed(scenario, task);
        }
    }

    private void the_ttr_removes(Scenario scenario) {
        scenario.tube().put("a", with().ttr(ofMillis(300)));
        Task task = scenario.take();
        scenario.tube().cancel(task.id(), "late");
        Eventually.holds(() -> scenario.tube().peek(task.id()).isEmpty(), "the task is gone");
        assertThat(scenario.tube().statistics().events().get(TubeEvent.TAKE)).isOne();
    }

    private void the_session_removes(Scenario scenario) {
        scenario.tube().put("a");
        Task task;
        try (var other = scenario.connect()) {
            task = other.tube(scenario.tube().name()).take(ZERO).orElseThrow();
            scenario.tube().cancel(task.id(), "late");
        }
        Eventually.holds(() -> scenario.tube().peek(task.id()).isEmpty(), "the task is gone");
        assertThat(scenario.tube().statistics().events().get(TubeEvent.TAKE)).isOne();
    }

    private void a_rollback(Scenario scenario) throws Exception {
        scenario.tube().put("a");
        Task task = scenario.take();
        scenario.undone(() -> scenario.tube().cancel(task.id(), "late"));
        scenario.tube().release(task);
        scenario.tube().ack(scenario.take());
    }

    private void the_reason_is_kept(Scenario scenario) {
        scenario.admin().changeTube(scenario.tube().name(), TubeChange.NONE.history(History.ALL));
        scenario.tube().put("a");
        Task free = scenario.tube().put("b");
        Task held = scenario.take();
        Task other = held.id() == free.id() ? scenario.tube().peekReady().orElseThrow() : free;
        scenario.tube().cancel(held.id(), "late");
        scenario.tube().cancel(other.id(), "never");
        assertThat(reasons(scenario, held)).containsExactly("late");
        assertThat(reasons(scenario, other)).containsExactly("never");
    }

    private static List<String> reasons(Scenario scenario, Task task) {
        return AdminRules.alone(() -> scenario.admin().history(task.tube(), task.id(), Optional.empty(), 50))
                .events()
                .stream()
                .filter(event -> event.event() == TubeEvent.CANCEL)
                .map(TaskEvent::failure)
                .map(failure -> failure.orElseThrow().message())
                .toList();
    }

    private void refusals(Scenario scenario) {
        assertThatThrownBy(() -> scenario.tube().cancel(Long.MAX_VALUE, "late"))
                .isInstanceOf(TaskNotFoundException.class);
        Task task = scenario.tube().put("a");
        Tube other = scenario.create(made -> made);
        assertThatThrownBy(() -> other.cancel(task.id(), "late")).isInstanceOf(TaskNotFoundException.class);
        for (String reason : List.of("", " ", "x".repeat(256), "a\0b")) {
            assertThatThrownBy(() -> scenario.tube().cancel(task.id(), reason)).hasMessageContaining("set 1 to 255");
        }
        assertThat(scenario.tube().progress(task.id())).isEmpty();
    }

    private void progress_is_seen(Scenario scenario) throws Exception {
        Task put = scenario.tube().put("a");
        Task task = scenario.take();
        scenario.together(() -> {
            scenario.tube().progress(task, 1, 40, "first");
            scenario.tube().progress(task, 12, 40, "pages");
            scenario.apart(() -> {
                Eventually.holds(
                        () -> scenario.another()
                                .progress(put.id())
                                .filter(seen -> seen.done() == 12)
                                .isPresent(),
                        "others see it");
                return null;
            });
        });
        TaskProgress seen = scenario.tube().progress(task.id()).orElseThrow();
        assertThat(seen.total()).isEqualTo(40);
        assertThat(seen.note()).isEqualTo("pages");
        assertThat(seen.at()).isPresent();
        scenario.tube().release(task);
        assertThat(scenario.tube().progress(put.id()))
                .as("of a taking that is over")
                .isEmpty();
        assertThat(scenario.take().id()).as("only a cancel ends it").isEqualTo(put.id());
        assertThat(scenario.tube().progress(put.id())).as("of another taking").isEmpty();
    }

    private void progress_has_bounds(Scenario scenario) {
        scenario.tube().put("a");
        Task task = scenario.take();
        assertThatThrownBy(() -> scenario.tube().progress(task, -1, 2, "")).hasMessageContaining("from 0 to total");
        assertThatThrownBy(() -> scenario.tube().progress(task, 3, 2, "")).hasMessageContaining("from 0 to total");
        assertThatThrownBy(() -> scenario.tube().progress(task, 1, 2, "x".repeat(256)))
                .hasMessageContaining("at most 255");
    }
}
