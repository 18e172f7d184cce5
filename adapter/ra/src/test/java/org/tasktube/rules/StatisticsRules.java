package org.tasktube.rules;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.tasktube.OnConflict;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeEvent;
import org.tasktube.TubeStatistics;
import org.tasktube.node.Waiting;
import org.tasktube.testing.Eventually;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.tasktube.rules.Rule.rule;
import static org.tasktube.rules.Scenario.calls;
import static org.tasktube.rules.Scenario.take;
import static org.tasktube.rules.Scenario.with;
import static org.tasktube.spi.TubeOption.DELAY;
import static org.tasktube.spi.TubeOption.TTL;
import static org.tasktube.spi.TubeOption.TTR;

/** What is counted. */
final class StatisticsRules extends RuleGroup {

    @Override
    String heading() {
        return "Statistics";
    }

    @Override
    List<Rule> rules() {
        return List.of(
                rule(
                        "Tasks are counted by state: ready, taken, buried, results, total",
                        this::tasks_are_counted_by_state),
                rule("DELAYED tasks are counted", this::delayed_tasks_are_counted)
                        .needs(DELAY),
                rule(
                        "Events are counted by kind: put, urgent, take, take_timeout, ack, release, requeue, "
                                + "bury, kick, dig, delete, done, truncate",
                        this::calls_are_counted_by_kind),
                rule("touch and heartbeat are counted as touch", this::touches_are_counted)
                        .needs(TTR),
                rule("Ends of ttl, ttr and delay are counted by kind", this::what_happens_by_itself_is_counted)
                        .needs(TTL, TTR, DELAY),
                rule("Releases by the end of a session are counted", this::releases_by_sessions_are_counted),
                rule(
                        "endedSinceStart counts acks, deletes and ends of the ttl. total counts only existing "
                                + "tasks",
                        this::done_counts_what_ended),
                rule("A take that finds no task counts as take_timeout", this::a_failed_take_is_a_timeout),
                rule("Statistics are exact after any mix of operations", this::exact_after_any_mix),
                rule(
                                "After any mix of operations, a count of all rows changes no statistics",
                                this::a_count_changes_nothing)
                        .testedWith(Type.FIFOTTL, "the run starts a server; one type stands for all"),
                rule("Statistics are exact after rollbacks", this::exact_after_rollbacks)
                        .only(Mode.IN_JTA, "no rollback outside a transaction"));
    }

    private static void states(Tube tube, long ready, long taken, long buried, long results) {
        TubeStatistics now = tube.statistics();
        assertThat(List.of(now.ready(), now.taken(), now.buried(), now.results(), now.total()))
                .as("ready, taken, buried, results, total")
                .containsExactly(ready, taken, buried, results, ready + now.delayed() + taken + buried + results);
    }

    private void tasks_are_counted_by_state(Scenario scenario) {
        Tube tube = scenario.tube();
        states(tube, 0, 0, 0, 0);
        List.of("a", "b", "c", "d").forEach(tube::put);
        states(tube, 4, 0, 0, 0);
        scenario.take();
        tube.bury(scenario.take());
        tube.ack(scenario.take(), TaskResult.completed("fine"));
        states(tube, 1, 1, 1, 1);
        tube.kick();
        tube.releaseAll();
        states(tube, 3, 0, 0, 1);
        tube.truncate();
        states(tube, 0, 0, 0, 0);
    }

    private void delayed_tasks_are_counted(Scenario scenario) {
        Tube tube = scenario.tube();
        tube.put("a", with().delay(ofMinutes(1)));
        assertThat(tube.statistics().delayed()).isEqualTo(1);
        tube.put("b");
        tube.release(scenario.take(), ReleaseOptions.defaults().delay(ofMillis(30)));
        Eventually.holds(() -> tube.statistics().ready() == 1, "a delay is over");
        assertThat(tube.statistics().delayed()).isEqualTo(1);
        assertThat(tube.statistics().total()).isEqualTo(2);
    }

    private void calls_are_counted_by_kind(Scenario scenario) {
        Tube tube = scenario.tube();
        tube.put("a");
        tube.putAll(List.of("b", "c"), with());
        tube.putUnique("d");
        tube.putUnique("d");
        tube.put("e", with().asUrgent());
        tube.take(2, ZERO);
        tube.releaseAll();
        tube.ack(scenario.take());
        tube.release(scenario.take());
        tube.requeue(scenario.take());
        Task buried = scenario.take();
        tube.bury(buried);
        tube.bury(buried);
        tube.kick(5);
        tube.bury(buried);
        tube.dig(buried.id());
        tube.delete(buried.id());
        tube.ack(scenario.take(), TaskResult.completed("fine"));
        tube.truncate();
        tube.take(ZERO);
        counted(
                tube,
                Map.ofEntries(
                        Map.entry(TubeEvent.PUT, 4L),
                        Map.entry(TubeEvent.URGENT, 1L),
                        Map.entry(TubeEvent.TAKE, 7L),
                        Map.entry(TubeEvent.ACK, 1L),
                        Map.entry(TubeEvent.RELEASE, 3L),
                        Map.entry(TubeEvent.REQUEUE, 1L),
                        Map.entry(TubeEvent.BURY, 2L),
                        Map.entry(TubeEvent.KICK, 1L),
                        Map.entry(TubeEvent.DIG, 1L),
                        Map.entry(TubeEvent.DELETE, 1L),
                        Map.entry(TubeEvent.DONE, 1L),
                        Map.entry(TubeEvent.TRUNCATE, 1L),
                        Map.entry(TubeEvent.TAKE_TIMEOUT, 1L)));
    }

    /** These, and nothing else. */
    private static void counted(Tube tube, Map<TubeEvent, Long> expected) {
        Map<TubeEvent, Long> happened = new EnumMap<>(tube.statistics().events());
        happened.values().removeIf(count -> count == 0);
        assertThat(happened).containsExactlyInAnyOrderEntriesOf(expected);
    }

    private void touches_are_counted(Scenario scenario) {
        scenario.tube().put("a", with().ttr(ofMinutes(1)));
        Task task = scenario.take();
        scenario.tube().touch(task, ofMinutes(1));
        scenario.tube().heartbeat(task);
        scenario.tube().touch(task, ZERO);
        counted(scenario.tube(), Map.of(TubeEvent.PUT, 1L, TubeEvent.TAKE, 1L, TubeEvent.TOUCH, 2L));
    }

    private void what_happens_by_itself_is_counted(Scenario scenario) {
        Tube tube = scenario.tube();
        tube.put("a", with().delay(ofMillis(20)).ttr(ofMillis(20)));
        assertThat(tube.take(Scenario.LONG)).isPresent();
        Eventually.holds(() -> calls(tube, TubeEvent.TTR) == 1, "its ttr is over");
        tube.put("b", with().ttl(ofMillis(20)));
        Eventually.holds(() -> calls(tube, TubeEvent.TTL) == 1, "its ttl is over");
        counted(
                tube,
                Map.of(
                        TubeEvent.PUT, 2L,
                        TubeEvent.DELAY, 1L,
                        TubeEvent.TAKE, 1L,
                        TubeEvent.TTR, 1L,
                        TubeEvent.TTL, 1L));
        assertThat(tube.statistics().total()).isEqualTo(1);
        assertThat(tube.statistics().endedSinceStart()).isEqualTo(1);
    }

    private void releases_by_sessions_are_counted(Scenario scenario) {
        Tube tube = scenario.tube();
        List.of("a", "b", "c").forEach(tube::put);
        try (var other = scenario.connect()) {
            List<Task> taken = other.tube(tube.name()).take(3, ZERO);
            assertThat(taken).hasSize(3);
            other.tube(tube.name()).ack(taken.get(0));
        }
        Eventually.holds(() -> calls(tube, TubeEvent.RELEASED_BY_SESSION) == 2, "both are released");
        states(tube, 2, 0, 0, 0);
    }

    private void done_counts_what_ended(Scenario scenario) {
        Tube tube = scenario.tube();
        List.of("a", "b", "c", "d").forEach(tube::put);
        tube.ack(scenario.take());
        tube.ack(scenario.take(), TaskResult.completed("fine"));
        tube.delete(scenario.take().id());
        assertThat(tube.statistics().endedSinceStart()).isEqualTo(3);
        assertThat(tube.statistics().total()).isEqualTo(2);
        if (scenario.has(TTL)) {
            tube.put("e", with().ttl(ofMillis(20)));
            Eventually.holds(() -> tube.statistics().endedSinceStart() == 4, "its ttl is over");
            assertThat(tube.statistics().total()).isEqualTo(2);
        }
    }

    private void a_failed_take_is_a_timeout(Scenario scenario) {
        scenario.tube().take(ZERO);
        scenario.tube().take(3, ofMillis(5));
        counted(scenario.tube(), Map.of(TubeEvent.TAKE_TIMEOUT, 2L));
    }

    private void exact_after_any_mix(Scenario scenario) {
        Tube tube = scenario.tube();
        for (int i = 0; i < 3; i++) {
            List.of("a", "b", "c").forEach(tube::put);
            tube.put("urgent", with().asUrgent());
            tube.putUnique("key" + i, "d", with(), OnConflict.REPLACE);
            tube.putUnique("key" + i, "e", with(), OnConflict.REPLACE);
            tube.ack(take(tube));
            tube.requeue(take(tube));
            tube.bury(take(tube));
            take(scenario.another());
            tube.kick(i);
            tube.delete(take(tube).id());
        }
        TubeStatistics counted = tube.statistics();
        assertThat(counted.total()).isEqualTo(9);
        assertThat(counted.endedSinceStart()).isEqualTo(6);
        states(tube, rows(tube, TaskState.READY), rows(tube, TaskState.TAKEN), rows(tube, TaskState.BURIED), 0);
    }

    private void a_count_changes_nothing(Scenario scenario) {
        // What others commit during a count may be counted twice
        try (Environment own = scenario.ownEnvironment()) {
            Tube tube = scenario.open(own.server()).createTube(scenario.define());
            eachState(tube);
            TubeStatistics counted = tube.statistics();
            assertThat(counted.delayed()).isEqualTo(1);
            states(tube, 1, 1, 1, 1);
            Waiting.recount(own.server().node());
            assertThat(tube.statistics()).isEqualTo(counted);
        }
    }

    private static void eachState(Tube tube) {
        List.of("a", "b", "c", "d").forEach(tube::put);
        tube.put("e", with().delay(ofMinutes(1)));
        tube.ack(take(tube));
        tube.ack(take(tube), TaskResult.completed("fine"));
        tube.bury(take(tube));
        take(tube);
        tube.put("f");
    }

    private static long rows(Tube tube, TaskState state) {
        return tube.tasks(state, 0, 1_000).size();
    }

    private void exact_after_rollbacks(Scenario scenario) throws Exception {
        Tube tube = scenario.tube();
        List.of("a", "b").forEach(tube::put);
        TubeStatistics before = tube.statistics();
        scenario.undone(() -> exactMix(tube));
        assertThat(tube.statistics()).isEqualTo(before);
        scenario.together(() -> exactMix(tube));
        states(tube, 1, 1, 0, 0);
        scenario.undone(() -> tube.take(ZERO));
        states(tube, 1, 1, 0, 0);
    }

    private static void exactMix(Tube tube) {
        tube.put("c");
        tube.ack(take(tube));
        tube.bury(take(tube));
        tube.kick();
        take(tube);
    }
}
