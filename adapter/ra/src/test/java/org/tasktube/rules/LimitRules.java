package org.tasktube.rules;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import org.tasktube.ReleaseOptions;
import org.tasktube.TakeLimits.Rate;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.TubeChange;
import org.tasktube.admin.WaitingTask;
import org.tasktube.testing.RunningNode;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tasktube.rules.Rule.rule;
import static org.tasktube.rules.Scenario.LONG;
import static org.tasktube.rules.Scenario.get;
import static org.tasktube.rules.Scenario.with;
import static org.tasktube.spi.TubeOption.DELAY;
import static org.tasktube.spi.TubeOption.TTR;
import static org.tasktube.spi.TubeOption.UTUBE;

/** At most so many tasks are TAKEN at once, and at most so many takes are in a time. */
final class LimitRules extends RuleGroup {

    private static final Duration PERIOD = ofMillis(400);

    @Override
    String heading() {
        return "Limits";
    }

    @Override
    List<Rule> rules() {
        return List.of(
                rule("At most `maxTaken` tasks of a tube are TAKEN", this::so_many_are_taken),
                rule("At most `maxTaken` tasks are TAKEN on all servers together", this::so_many_are_taken_on_all)
                        .onTwoServers(),
                rule("Each end of a taking lets a waiting take have its place", this::each_end_frees_a_place),
                rule("A release with a delay frees the place, too", this::a_delay_frees_a_place)
                        .needs(DELAY),
                rule("The end of a ttr frees the place", this::the_ttr_frees_a_place)
                        .needs(TTR),
                rule("The end of a session frees its places", this::the_session_frees_its_places),
                rule("A rollback of a take frees its place, and that of an ack does not", this::rollbacks)
                        .only(Mode.IN_JTA, "no rollback outside a transaction"),
                rule(
                                "A take in an open transaction keeps the places of its tasks only, and its ack frees them"
                                        + " with the commit",
                                this::an_open_transaction_keeps_its_places)
                        .only(Mode.IN_JTA, "a take outside a transaction ends at once"),
                rule("At most `maxRate` takes are in any window of its period", this::so_many_takes_in_a_time),
                rule(
                        "If `maxTaken` becomes less than the TAKEN tasks, none is taken until enough have ended; without"
                                + " it, all are",
                        this::the_limit_is_changed),
                rule("If another server sets a limit, no take here is beyond it", this::a_limit_set_elsewhere)
                        .onTwoServers(),
                rule("With a limit the order is the same", this::the_order_is_the_same),
                rule("With a limit a sub-queue still gives one task at a time", this::sub_queues_are_limited_too)
                        .needs(UTUBE),
                rule(
                        "`whyWaiting` of a task that a limit keeps from takes is LIMITED, with what is used of it",
                        this::the_limit_is_named),
                rule(
                        "`maxTaken` and the takes of `maxRate` are 1 to 1,000, and its period is at least 1 ms",
                        this::limits_are_refused_by_their_bounds));
    }

    private static void taken(Scenario scenario, int most) {
        change(scenario, TubeChange.NONE.maxTaken(most == 0 ? OptionalInt.empty() : OptionalInt.of(most)));
    }

    private static void change(Scenario scenario, TubeChange change) {
        scenario.admin().changeTube(scenario.tube().name(), change);
    }

    private static void put(Tube tube, int tasks) {
        for (int i = 0; i < tasks; i++) {
            tube.put("task " + i);
        }
    }

    private void so_many_are_taken(Scenario scenario) {
        taken(scenario, 2);
        put(scenario.tube(), 4);
        assertThat(scenario.tube().take(9, ZERO)).hasSize(2);
        assertThat(scenario.another().take(ZERO)).isEmpty();
        assertThat(scenario.claimOn()).isEmpty();
        Tube made = scenario.create(tube -> tube.maxTaken(1));
        put(made, 2);
        assertThat(made.take(9, ZERO)).hasSize(1);
    }

    private void so_many_are_taken_on_all(Scenario scenario) {
        Tube elsewhere = scenario.elsewhere();
        taken(scenario, 2);
        put(scenario.tube(), 4);
        Task first = scenario.take();
        assertThat(elsewhere.take(9, LONG)).hasSize(1);
        assertThat(scenario.tube().take(ZERO)).isEmpty();
        assertThat(elsewhere.take(ZERO)).isEmpty();
        scenario.tube().ack(first);
        assertThat(elsewhere.take(9, LONG)).hasSize(1);
    }

    private void each_end_frees_a_place(Scenario scenario) {
        List<BiConsumer<Tube, Task>> ends = List.of(
                Tube::ack,
                (tube, task) -> tube.ackAll(List.of(task)),
                Tube::bury,
                Tube::release,
                Tube::requeue,
                (tube, task) -> tube.delete(task.id()),
                (tube, task) -> tube.releaseAll(),
                (tube, task) -> tube.truncate());
        taken(scenario, 1);
        for (BiConsumer<Tube, Task> end : ends) {
            put(scenario.tube(), 2);
            Task first = scenario.take();
            Future<Optional<Task>> waiting =
                    scenario.later(() -> scenario.another().take(LONG));
            scenario.awaitTakers(1);
            end.accept(scenario.tube(), first);
            // A truncation leaves nothing to take
            scenario.tube().put("last");
            assertThat(get(waiting)).isPresent();
            scenario.tube().truncate();
        }
    }

    private void a_delay_frees_a_place(Scenario scenario) {
        taken(scenario, 1);
        put(scenario.tube(), 2);
        scenario.tube().release(scenario.take(), ReleaseOptions.defaults().delay(ofMinutes(1)));
        assertThat(scenario.tube().take(9, LONG)).hasSize(1);
    }

    private void the_ttr_frees_a_place(Scenario scenario) {
        taken(scenario, 1);
        scenario.tube().put("brief", with().ttr(ofMillis(40)));
        assertThat(scenario.take().text()).isEqualTo("brief");
        scenario.tube().put("next");
        assertThat(scenario.another().take(LONG)).isPresent();
    }

    private void the_session_frees_its_places(Scenario scenario) {
        taken(scenario, 2);
        put(scenario.tube(), 3);
        try (var other = scenario.connect()) {
            assertThat(other.tube(scenario.tube().name()).take(9, ZERO)).hasSize(2);
            assertThat(scenario.tube().take(ZERO)).isEmpty();
        }
        assertThat(scenario.tube().take(LONG)).isPresent();
    }

    private void rollbacks(Scenario scenario) throws Exception {
        taken(scenario, 1);
        put(scenario.tube(), 2);
        scenario.undone(() -> assertThat(scenario.tube().take(9, ZERO)).hasSize(1));
        Task task = scenario.take();
        scenario.undone(() -> scenario.tube().ack(task));
        assertThat(scenario.tube().take(ZERO)).isEmpty();
        scenario.tube().ack(task);
        assertThat(scenario.tube().take(ZERO)).isPresent();
    }

    private void an_open_transaction_keeps_its_places(Scenario scenario) throws Exception {
        taken(scenario, 2);
        put(scenario.tube(), 1);
        scenario.together(() -> {
            Task mine = scenario.tube().take(9, ZERO).get(0);
            scenario.apart(() -> {
                put(scenario.another(), 2);
                return null;
            });
            assertThat(scenario.apart(() -> scenario.another().take(9, ZERO))).hasSize(1);
            scenario.tube().ack(mine);
            assertThat(scenario.apart(() -> scenario.another().take(9, ZERO))).isEmpty();
        });
        assertThat(scenario.tube().take(9, ZERO)).hasSize(1);
    }

    private void so_many_takes_in_a_time(Scenario scenario) {
        change(scenario, TubeChange.NONE.maxRate(Optional.of(new Rate(2, PERIOD))));
        put(scenario.tube(), 6);
        List<Instant> takes = new ArrayList<>();
        while (takes.size() < 6) {
            Task task = scenario.tube().take(LONG).orElseThrow();
            takes.add(scenario.tube().meta(task.id()).orElseThrow().takenAt().orElseThrow());
            scenario.tube().ack(task);
        }
        for (int i = 2; i < takes.size(); i++) {
            assertThat(Duration.between(takes.get(i - 2), takes.get(i))).isGreaterThanOrEqualTo(PERIOD);
        }
        change(scenario, TubeChange.NONE.maxRate(Optional.empty()));
        put(scenario.tube(), 4);
        assertThat(scenario.tube().take(9, ZERO)).hasSize(4);
    }

    private void the_limit_is_changed(Scenario scenario) {
        put(scenario.tube(), 9);
        List<Task> three = scenario.tube().take(3, ZERO);
        taken(scenario, 4);
        // Those of before the limit do not count
        List<Task> four = scenario.tube().take(9, ZERO);
        assertThat(four).hasSize(4);
        three.forEach(scenario.tube()::ack);
        taken(scenario, 2);
        scenario.tube().ack(four.get(0));
        scenario.tube().ack(four.get(1));
        assertThat(scenario.tube().take(ZERO)).isEmpty();
        scenario.tube().ack(four.get(2));
        assertThat(scenario.tube().take(9, ZERO)).hasSize(1);
        taken(scenario, 0);
        assertThat(scenario.tube().take(9, ZERO)).hasSize(1);
    }

    private void a_limit_set_elsewhere(Scenario scenario) {
        put(scenario.tube(), 4);
        Tube elsewhere = scenario.elsewhere();
        assertThat(elsewhere.peekReady()).isPresent();
        taken(scenario, 1);
        assertThat(elsewhere.take(9, LONG)).hasSize(1);
        assertThat(elsewhere.take(ZERO)).isEmpty();
        assertThat(scenario.tube().take(ZERO)).isEmpty();
    }

    private void the_order_is_the_same(Scenario scenario) {
        taken(scenario, 1);
        List.of("a", "b", "c").forEach(scenario.tube()::put);
        List<String> order = new ArrayList<>();
        for (Optional<Task> next = scenario.tube().take(ZERO);
                next.isPresent();
                next = scenario.tube().take(ZERO)) {
            order.add(next.get().text());
            scenario.tube().ack(next.get());
        }
        assertThat(order).containsExactlyElementsOf(scenario.handedOut("a", "b", "c"));
    }

    private void sub_queues_are_limited_too(Scenario scenario) {
        taken(scenario, 2);
        for (String utube : List.of("x", "x", "y", "z")) {
            scenario.tube().put(utube, with().utube(utube));
        }
        List<Task> taken = scenario.tube().take(9, ZERO);
        assertThat(taken).extracting(Task::text).containsExactly("x", "y");
        scenario.tube().ack(taken.get(0));
        assertThat(scenario.take().text()).isEqualTo("x");
        assertThat(scenario.tube().take(ZERO)).isEmpty();
    }

    private void the_limit_is_named(Scenario scenario) {
        taken(scenario, 1);
        put(scenario.tube(), 2);
        scenario.take();
        Task waiting = scenario.tube().tasks(TaskState.READY, 0, 1).get(0);
        assertThat(why(scenario, waiting)).contains("has 1 of at most 1 TAKEN tasks");
        change(
                scenario,
                TubeChange.NONE.maxTaken(OptionalInt.empty()).maxRate(Optional.of(new Rate(1, ofMinutes(10)))));
        scenario.take();
        scenario.tube().put("waits");
        Task other = scenario.tube().tasks(TaskState.READY, 0, 1).get(0);
        assertThat(why(scenario, other)).contains("had 1 of at most 1 takes in PT10M");
    }

    private static String why(Scenario scenario, Task task) {
        WaitingTask why = AdminRules.alone(() -> scenario.admin().whyWaiting(task.tube(), task.id()));
        assertThat(why.reason()).isEqualTo(WaitingTask.Reason.LIMITED);
        return why.sentence();
    }

    private void limits_are_refused_by_their_bounds(Scenario scenario) {
        TubeDefinition tube = TubeDefinition.fifo(RunningNode.newName());
        for (int refused : new int[] {0, -1, 1_001}) {
            assertThatThrownBy(() -> tube.maxTaken(refused)).hasMessageContaining("set 1 to 1000");
            assertThatThrownBy(() -> tube.maxRate(refused, PERIOD)).hasMessageContaining("set 1 to 1000");
        }
        assertThatThrownBy(() -> tube.maxRate(1, ZERO)).hasMessageContaining("set 1 ms or more");
    }
}
