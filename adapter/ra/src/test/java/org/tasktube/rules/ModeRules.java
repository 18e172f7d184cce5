package org.tasktube.rules;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import org.tasktube.OnConflict;
import org.tasktube.PutItem;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDrainingException;
import org.tasktube.TubeMode;
import org.tasktube.TubeModes;
import org.tasktube.TubeNotFoundException;
import org.tasktube.TubeStatistics;
import org.tasktube.testing.Eventually;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tasktube.rules.Rule.rule;
import static org.tasktube.rules.Scenario.LONG;
import static org.tasktube.rules.Scenario.get;
import static org.tasktube.rules.Scenario.state;
import static org.tasktube.rules.Scenario.with;
import static org.tasktube.spi.TubeOption.CAPACITY;
import static org.tasktube.spi.TubeOption.DELAY;
import static org.tasktube.spi.TubeOption.TTR;

/** What a tube gives and accepts while an operator has paused or drained it. */
final class ModeRules extends RuleGroup {

    @Override
    String heading() {
        return "Pause and drain";
    }

    @Override
    List<Rule> rules() {
        return List.of(
                rule(
                        "A PAUSED tube accepts puts and gives no task, neither to a take nor to a bean",
                        this::a_paused_tube_gives_nothing),
                rule(
                        "A take that waits at a PAUSED tube goes on waiting. resume wakes it",
                        this::a_waiting_take_waits_for_resume),
                rule("drain of a PAUSED tube wakes a waiting take", this::a_waiting_take_is_woken_by_drain),
                rule(
                        "In a PAUSED tube the holder of a task can ack, release, requeue and bury it, and others can kick,"
                                + " dig, delete and truncate",
                        this::what_is_taken_may_end),
                rule("In a PAUSED tube deadlines run", this::deadlines_run).needs(TTR, DELAY),
                rule(
                        "A DRAINING tube gives its tasks. Each put into it fails with an error that names the tube, who"
                                + " drained it, when and why",
                        this::a_draining_tube_refuses_each_put),
                rule("A put that waits for free capacity fails when the tube is drained", this::a_waiting_put_fails)
                        .needs(CAPACITY),
                rule(
                        "pause of a PAUSED tube, drain of a DRAINING one and resume of an OPEN one return false, and"
                                + " change nothing",
                        this::a_second_call_changes_nothing),
                rule(
                        "A tube has one mode: drain of a PAUSED tube makes it DRAINING, and pause of a DRAINING one"
                                + " PAUSED",
                        this::a_tube_has_one_mode),
                rule("The statistics have the mode, with who set it, when and why", this::statistics_have_the_mode),
                rule(
                        "A reason and a name have 1 to 255 characters, and are not blank",
                        this::texts_are_refused_by_their_bounds),
                rule(
                                "A transaction that sets the mode sees it at once, others after the commit. A rollback undoes it",
                                this::the_mode_is_part_of_the_transaction)
                        .only(Mode.IN_JTA, "outside a transaction each call commits"),
                rule("The mode is kept over a restart", this::the_mode_is_kept)
                        .testedWith(Type.FIFO, "the run starts a server; one type stands for all"),
                rule(
                        "createTubeIfNotExists returns a tube in any mode, and drop removes it",
                        this::a_tube_in_any_mode_is_found_and_dropped),
                rule("The mode of a dropped tube cannot be set", this::a_dropped_tube_has_no_mode),
                rule(
                                "If another server pauses a tube, no task is taken from its commit on. If it resumes the"
                                        + " tube, a waiting take wakes within `pollInterval`",
                                this::a_pause_elsewhere_holds_here)
                        .onTwoServers(),
                rule(
                                "If another server drains a tube, a waiting put fails within `pollInterval`",
                                this::a_drain_elsewhere_ends_a_wait)
                        .onTwoServers()
                        .needs(CAPACITY));
    }

    private void a_paused_tube_gives_nothing(Scenario scenario) {
        Tube tube = scenario.tube();
        tube.put("a");
        assertThat(tube.pause("inventory")).isTrue();
        tube.put("b");
        assertThat(tube.take(ZERO)).isEmpty();
        assertThat(tube.take(9, ofMillis(5))).isEmpty();
        assertThat(scenario.another().take(ZERO)).isEmpty();
        assertThat(scenario.claimOn()).isEmpty();
        assertThat(tube.statistics().ready()).isEqualTo(2);
        assertThat(tube.resume()).isTrue();
        assertThat(Scenario.drain(tube)).containsExactlyElementsOf(scenario.handedOut("a", "b"));
    }

    private void a_waiting_take_waits_for_resume(Scenario scenario) {
        Tube tube = scenario.tube();
        tube.pause("inventory");
        Future<Optional<Task>> take = scenario.later(() -> scenario.another().take(LONG));
        scenario.awaitTakers(1);
        tube.put("a");
        scenario.awaitTakers(1);
        assertThat(take).isNotDone();
        tube.resume();
        assertThat(get(take).map(Task::text)).contains("a");
    }

    private void a_waiting_take_is_woken_by_drain(Scenario scenario) {
        Tube tube = scenario.tube();
        tube.put("a");
        tube.pause("inventory");
        Future<Optional<Task>> take = scenario.later(() -> scenario.another().take(LONG));
        scenario.awaitTakers(1);
        tube.drain("the shop moves");
        assertThat(get(take).map(Task::text)).contains("a");
    }

    private void what_is_taken_may_end(Scenario scenario) {
        Tube tube = scenario.tube();
        List.of("a", "b", "c", "d").forEach(tube::put);
        List<Task> taken = tube.take(4, ZERO);
        assertThat(taken).hasSize(4);
        tube.pause("inventory");
        tube.ack(taken.get(0));
        tube.release(taken.get(1));
        tube.requeue(taken.get(2));
        tube.bury(taken.get(3));
        assertThat(Scenario.gone(tube, taken.get(0).id())).isTrue();
        assertThat(tube.kick(9)).isEqualTo(1);
        tube.bury(taken.get(1).id());
        tube.dig(taken.get(1).id());
        tube.delete(taken.get(2).id());
        assertThat(state(tube, taken.get(1).id())).isEqualTo(TaskState.READY);
        assertThat(state(tube, taken.get(3).id())).isEqualTo(TaskState.READY);
        assertThat(tube.take(ZERO)).isEmpty();
        assertThat(tube.truncate()).isEqualTo(2);
    }

    private void deadlines_run(Scenario scenario) {
        Tube tube = scenario.tube();
        Task held = put(tube, "a");
        assertThat(tube.take(ZERO)).isPresent();
        Task delayed = tube.put("b", with().delay(ofMillis(50)));
        tube.pause("inventory");
        Eventually.holds(() -> state(tube, held.id()) == TaskState.READY, "its ttr is over");
        Eventually.holds(() -> state(tube, delayed.id()) == TaskState.READY, "its delay is over");
        assertThat(tube.take(ZERO)).isEmpty();
    }

    private static Task put(Tube tube, String text) {
        return tube.put(text, with().ttr(ofMillis(300)));
    }

    private void a_draining_tube_refuses_each_put(Scenario scenario) {
        Tube tube = scenario.tube();
        tube.put("a");
        tube.putUnique("key", "b", with(), OnConflict.KEEP);
        assertThat(tube.drain("the shop moves", "anna")).isTrue();
        refuses(tube, () -> tube.put("c"));
        refuses(tube, () -> tube.put("c", with().asUrgent()));
        refuses(tube, () -> tube.put("c", with(), LONG));
        refuses(tube, () -> tube.putAll(List.of("c", "d"), with()));
        refuses(tube, () -> tube.putAll(List.of(PutItem.of("c", with())), LONG));
        refuses(tube, () -> tube.putUnique("another", "c", with(), OnConflict.KEEP));
        for (OnConflict onConflict : OnConflict.values()) {
            refuses(tube, () -> tube.putUnique("key", "c", with(), onConflict));
            refuses(tube, () -> tube.putUnique("key", "c", with(), onConflict, LONG));
        }
        assertThat(Scenario.drain(tube)).containsExactlyElementsOf(scenario.handedOut("a", "b"));
        tube.resume();
        tube.put("e");
        assertThat(scenario.take().text()).isEqualTo("e");
    }

    private static void refuses(Tube tube, Runnable put) {
        assertThatThrownBy(put::run)
                .isInstanceOfSatisfying(TubeDrainingException.class, refusal -> {
                    assertThat(refusal.by()).isEqualTo("anna");
                    assertThat(refusal.reason()).isEqualTo("the shop moves");
                    assertThat(refusal.since()).isEqualTo(tube.statistics().modeSince());
                })
                .hasMessageContaining(tube.name())
                .hasMessageContaining("anna")
                .hasMessageContaining("the shop moves")
                .hasMessageContaining(tube.statistics().modeSince().toString())
                .hasMessageContaining("resumed");
    }

    private void a_waiting_put_fails(Scenario scenario) {
        Tube full = scenario.create(definition -> definition.capacity(1));
        full.put("a");
        Future<Optional<Task>> put =
                scenario.later(() -> scenario.connect().tube(full.name()).put("b", with(), LONG));
        scenario.awaitPutters(full, 1);
        full.drain("the shop moves");
        assertThatThrownBy(() -> get(put)).isInstanceOf(TubeDrainingException.class);
    }

    private void a_second_call_changes_nothing(Scenario scenario) {
        Tube tube = scenario.tube();
        TubeStatistics created = tube.statistics();
        assertThat(tube.resume("ben")).isFalse();
        assertThat(tube.statistics()).isEqualTo(created);
        tube.pause("first", "anna");
        TubeStatistics paused = tube.statistics();
        assertThat(scenario.another().pause("second", "ben")).isFalse();
        assertThat(tube.statistics()).isEqualTo(paused);
        tube.drain("third", "anna");
        TubeStatistics drained = tube.statistics();
        assertThat(tube.drain("fourth", "ben")).isFalse();
        assertThat(tube.statistics()).isEqualTo(drained);
    }

    private void a_tube_has_one_mode(Scenario scenario) {
        Tube tube = scenario.tube();
        tube.put("a");
        tube.pause("inventory");
        assertThat(tube.drain("the shop moves")).isTrue();
        assertThatThrownBy(() -> tube.put("b")).isInstanceOf(TubeDrainingException.class);
        assertThat(scenario.take().text()).isEqualTo("a");
        assertThat(tube.pause("inventory")).isTrue();
        tube.put("b");
        assertThat(tube.take(ZERO)).isEmpty();
    }

    private void statistics_have_the_mode(Scenario scenario) {
        Tube tube = scenario.tube();
        Instant created = tube.statistics().modeSince();
        shows(tube, TubeMode.OPEN, "", "");
        tube.pause("inventory");
        shows(tube, TubeMode.PAUSED, "one", "inventory");
        Instant paused = tube.statistics().modeSince();
        assertThat(paused).isAfter(created).isBefore(created.plus(LONG));
        tube.drain("the shop moves", "anna");
        shows(tube, TubeMode.DRAINING, "anna", "the shop moves");
        tube.resume("ben");
        shows(tube, TubeMode.OPEN, "ben", "");
        assertThat(tube.statistics().modeSince()).isAfter(paused);
    }

    private static void shows(Tube tube, TubeMode mode, String by, String reason) {
        TubeStatistics now = tube.statistics();
        assertThat(now.mode()).isEqualTo(mode);
        assertThat(now.modeBy()).isEqualTo(by);
        assertThat(now.modeReason()).isEqualTo(reason);
    }

    private void texts_are_refused_by_their_bounds(Scenario scenario) {
        Tube tube = scenario.tube();
        String longest = "x".repeat(TubeModes.MAX_MODE_TEXT);
        for (String wrong : List.of("", " ", longest + "x", "a\nb", "a\0b")) {
            refusesText("reason", () -> tube.pause(wrong));
            refusesText("reason", () -> tube.drain(wrong, "anna"));
            refusesText("by", () -> tube.pause("inventory", wrong));
            refusesText("by", () -> tube.resume(wrong));
        }
        assertThat(tube.statistics().mode()).isEqualTo(TubeMode.OPEN);
        assertThat(tube.pause(longest, longest)).isTrue();
        shows(tube, TubeMode.PAUSED, longest, longest);
    }

    private static void refusesText(String name, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(name + " '");
    }

    private void the_mode_is_part_of_the_transaction(Scenario scenario) throws Exception {
        Tube tube = scenario.tube();
        tube.put("a");
        scenario.undone(() -> {
            assertThat(tube.pause("inventory")).isTrue();
            assertThat(tube.take(ZERO)).isEmpty();
            assertThat(tube.pause("again")).isFalse();
            assertThat(scenario.apart(() -> scenario.another().take(ZERO)).map(Task::text))
                    .contains("a");
        });
        shows(tube, TubeMode.OPEN, "", "");
        tube.put("b");
        scenario.together(() -> {
            tube.drain("the shop moves");
            assertThatThrownBy(() -> tube.put("c")).isInstanceOf(TubeDrainingException.class);
        });
        scenario.undone(() -> {
            tube.resume();
            tube.put("d");
        });
        assertThatThrownBy(() -> tube.put("e")).isInstanceOf(TubeDrainingException.class);
        tube.pause("inventory");
        scenario.undone(() -> {
            tube.resume();
            assertThat(scenario.take().text()).isEqualTo("b");
        });
        assertThat(tube.take(ZERO)).isEmpty();
        scenario.together(tube::resume);
        assertThat(scenario.take().text()).isEqualTo("b");
    }

    private void the_mode_is_kept(Scenario scenario) {
        try (Environment own = scenario.ownEnvironment()) {
            Server former = own.start("former", Server.PATIENCE, ZERO);
            Tube paused = scenario.open(former).createTube(scenario.define());
            Tube draining = scenario.open(former).createTube(scenario.define());
            paused.pause("inventory", "anna");
            draining.drain("the shop moves", "ben");
            former.close();
            Server later = own.start("later", Server.PATIENCE, ZERO);
            Tube stillPaused = scenario.open(later).tube(paused.name());
            shows(stillPaused, TubeMode.PAUSED, "anna", "inventory");
            assertThat(stillPaused.statistics().modeSince())
                    .isEqualTo(paused.statistics().modeSince());
            stillPaused.put("a");
            assertThat(stillPaused.take(ZERO)).isEmpty();
            Tube stillDraining = scenario.open(later).tube(draining.name());
            shows(stillDraining, TubeMode.DRAINING, "ben", "the shop moves");
            assertThatThrownBy(() -> stillDraining.put("b")).isInstanceOf(TubeDrainingException.class);
        }
    }

    private void a_tube_in_any_mode_is_found_and_dropped(Scenario scenario) {
        Tube tube = scenario.tube();
        tube.put("a");
        tube.pause("inventory");
        assertThat(scenario.connection()
                        .createTubeIfNotExists(tube.definition())
                        .take(ZERO))
                .isEmpty();
        tube.drain("the shop moves");
        assertThat(tube.truncate()).isEqualTo(1);
        tube.drop();
        assertThat(scenario.connection().findTube(tube.name())).isEmpty();
        Tube again = scenario.connection().createTube(tube.definition());
        again.put("b");
        assertThat(again.take(ZERO)).isPresent();
    }

    private void a_dropped_tube_has_no_mode(Scenario scenario) {
        Tube tube = scenario.tube();
        tube.drop();
        assertThatThrownBy(() -> tube.pause("inventory"))
                .isInstanceOf(TubeNotFoundException.class)
                .hasMessageContaining(tube.name());
        assertThatThrownBy(tube::resume).isInstanceOf(TubeNotFoundException.class);
    }

    private void a_pause_elsewhere_holds_here(Scenario scenario) {
        Tube there = scenario.elsewhere();
        Tube here = scenario.another();
        here.put("a");
        there.pause("inventory");
        assertThat(here.take(ZERO)).isEmpty();
        assertThat(scenario.claimOn()).isEmpty();
        Future<Optional<Task>> take = scenario.later(() -> scenario.another().take(LONG));
        scenario.awaitTakers(1);
        Eventually.holds(() -> here.statistics().mode() == TubeMode.PAUSED, "it learns of the pause");
        there.resume();
        assertThat(get(take).map(Task::text)).contains("a");
        assertThat(here.statistics().mode()).isEqualTo(TubeMode.OPEN);
        there.drain("the shop moves");
        assertThatThrownBy(() -> here.put("b")).isInstanceOf(TubeDrainingException.class);
    }

    private void a_drain_elsewhere_ends_a_wait(Scenario scenario) {
        Tube full = scenario.create(definition -> definition.capacity(1));
        full.put("a");
        Future<Optional<Task>> put =
                scenario.later(() -> scenario.connect().tube(full.name()).put("b", with(), LONG));
        scenario.awaitPutters(full, 1);
        scenario.connectElsewhere().tube(full.name()).drain("the shop moves");
        assertThatThrownBy(() -> get(put)).isInstanceOf(TubeDrainingException.class);
    }
}
