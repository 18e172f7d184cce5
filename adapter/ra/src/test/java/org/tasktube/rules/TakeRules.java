package org.tasktube.rules;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeEvent;
import org.tasktube.node.Waiting;
import org.tasktube.testing.Eventually;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tasktube.rules.Rule.rule;
import static org.tasktube.rules.Scenario.LONG;
import static org.tasktube.rules.Scenario.calls;
import static org.tasktube.rules.Scenario.get;
import static org.tasktube.rules.Scenario.gone;
import static org.tasktube.rules.Scenario.with;
import static org.tasktube.spi.TubeOption.DELAY;
import static org.tasktube.spi.TubeOption.PRI;
import static org.tasktube.spi.TubeOption.TTL;

/** How tasks are taken. */
final class TakeRules extends RuleGroup {

    @Override
    String heading() {
        return "Take";
    }

    @Override
    List<Rule> rules() {
        return List.of(
                rule("take with a timeout of 0 returns at once. A negative timeout fails", this::zero_answers_at_once),
                rule("take(timeout) waits no longer than its timeout", this::it_waits_no_longer),
                rule("take() waits without a limit", this::without_a_timeout_it_waits),
                rule("take() waits until the adapter stops, and then fails", this::it_waits_until_the_adapter_stops)
                        .testedWith(Type.FIFO, "the run stops a server; one type stands for all"),
                rule(
                        "If a task is put on this server, a waiting take gets it within milliseconds of the "
                                + "commit",
                        this::a_waiting_take_sees_a_put_here),
                rule(
                                "A waiting take gets a task that is put on this server without a poll",
                                this::a_put_here_needs_no_poll)
                        .testedWith(Type.FIFO, "the run starts a server; one type stands for all"),
                rule(
                                "If a task is put on another server, a waiting take gets it within `pollInterval`",
                                this::a_waiting_take_sees_a_put_elsewhere)
                        .onTwoServers(),
                rule("One event wakes one waiter", this::one_event_wakes_one_waiter),
                rule(
                        "If the connection of a woken take is closed, its event wakes another take",
                        this::the_event_of_a_closed_take_wakes_another),
                rule(
                                "A take in the transaction that first saw its tube is woken like any other",
                                this::a_tube_of_an_open_transaction_is_waited_at_by_all)
                        .only(Mode.IN_JTA, "no open transaction outside of one")
                        .testedWith(Type.FIFO, "the run starts a server; one type stands for all"),
                rule("kick, dig, release and requeue wake waiters like put", this::what_makes_ready_wakes),
                rule("The end of a delay wakes waiters like put", this::the_end_of_a_delay_wakes)
                        .needs(DELAY),
                rule("take(max, timeout) returns up to max tasks, in order", this::take_of_many_is_in_order),
                rule("take(max, timeout) waits only for the first task", this::take_of_many_waits_for_the_first),
                rule(
                                "A READY task with an expired ttl is never taken, even before it is removed",
                                this::what_is_over_is_never_handed_out)
                        .needs(TTL),
                rule("No task ever has two holders at once", this::no_task_is_handed_to_two),
                rule(
                                "A bean that has read on in a tube gets at once a task that becomes READY before that "
                                        + "position",
                                this::a_bean_gets_what_becomes_ready_before_its_position)
                        .needs(PRI)
                        .not(Set.of(Type.LIFO), "its driver puts each task ahead"));
    }

    private void zero_answers_at_once(Scenario scenario) {
        assertThat(scenario.tube().take(ZERO)).isEmpty();
        assertThatThrownBy(() -> scenario.tube().take(ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("negative");
        assertThatThrownBy(() -> scenario.tube().take(1, ofMillis(-1))).isInstanceOf(IllegalArgumentException.class);
        scenario.tube().put("a");
        assertThat(scenario.tube().take(ZERO).map(Task::text)).contains("a");
    }

    private void it_waits_no_longer(Scenario scenario) {
        long start = System.nanoTime();
        assertThat(scenario.tube().take(ofMillis(40))).isEmpty();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(ofMillis(40), ofMinutes(1));
    }

    private void without_a_timeout_it_waits(Scenario scenario) {
        Future<Task> take = scenario.later(() -> scenario.another().take());
        scenario.awaitTakers(1);
        scenario.tube().put("a");
        assertThat(get(take).text()).isEqualTo("a");
    }

    private void it_waits_until_the_adapter_stops(Scenario scenario) {
        try (Environment own = scenario.ownEnvironment()) {
            Tube tube = scenario.open(own.server()).createTube(scenario.define());
            Future<Task> take = scenario.later(() -> tube.take());
            Waiting.forTasks(own.server().node(), tube.name(), 1);
            own.server().close();
            assertThatThrownBy(() -> get(take)).isInstanceOf(AdapterNotRunningException.class);
        }
    }

    private void a_waiting_take_sees_a_put_here(Scenario scenario) {
        Future<Optional<Task>> take = scenario.later(() -> scenario.another().take(LONG));
        scenario.awaitTakers(1);
        scenario.tube().put("a");
        assertThat(get(take).map(Task::text)).contains("a");
    }

    private void a_put_here_needs_no_poll(Scenario scenario) {
        try (Environment own = scenario.ownEnvironment()) {
            Server patient = own.startWithoutPolls("patient");
            Tube tube = scenario.open(patient).createTube(scenario.define());
            Future<Optional<Task>> take = scenario.later(() -> tube.take(LONG));
            Waiting.forTasks(patient.node(), tube.name(), 1);
            tube.put("a");
            assertThat(get(take).map(Task::text)).contains("a");
        }
    }

    private void a_waiting_take_sees_a_put_elsewhere(Scenario scenario) {
        Tube there = scenario.elsewhere();
        Future<Optional<Task>> take = scenario.later(() -> scenario.another().take(LONG));
        scenario.awaitTakers(1);
        there.put("a");
        assertThat(get(take).map(Task::text)).contains("a");
    }

    private void one_event_wakes_one_waiter(Scenario scenario) {
        List<Future<Optional<Task>>> takes = IntStream.range(0, 2)
                .mapToObj(i -> scenario.later(() -> scenario.another().take(LONG)))
                .toList();
        scenario.awaitTakers(2);
        scenario.tube().put("a");
        Eventually.holds(() -> takes.stream().anyMatch(Future::isDone), "one has it");
        scenario.awaitTakers(1);
        assertThat(takes).filteredOn(Future::isDone).hasSize(1);
        scenario.tube().put("b");
        assertThat(takes).extracting(take -> get(take).orElseThrow().text()).containsExactlyInAnyOrder("a", "b");
    }

    private void the_event_of_a_closed_take_wakes_another(Scenario scenario) {
        for (int i = 0; i < 20; i++) {
            TubeConnection closed = scenario.connect();
            Future<Optional<Task>> unused =
                    scenario.later(() -> closed.tube(scenario.tube().name()).take(LONG));
            scenario.awaitTakers(1);
            Future<Optional<Task>> second =
                    scenario.later(() -> scenario.another().take(LONG));
            scenario.awaitTakers(2);
            Task put = scenario.tube().put("a");
            closed.close();
            assertThat(get(second).map(Task::id)).contains(put.id());
            scenario.tube().delete(put.id());
        }
    }

    /** On a server that has not seen it before. */
    private void a_tube_of_an_open_transaction_is_waited_at_by_all(Scenario scenario) throws Exception {
        try (Environment own = scenario.ownEnvironment()) {
            Server fresh = own.start("fresh", Server.PATIENCE, ZERO);
            Tube tube = scenario.open(own.server()).createTube(scenario.define());
            CountDownLatch found = new CountDownLatch(1);
            Future<Optional<Task>> take = scenario.later(() -> {
                TubeConnection connection = fresh.connect();
                return InTransactions.run(
                        () -> {
                            Tube seen = connection.tube(tube.name());
                            found.countDown();
                            return seen.take(LONG);
                        },
                        true);
            });
            found.await();
            Waiting.forTasks(fresh.node(), tube.name(), 1);
            fresh.connect().tube(tube.name()).put("a");
            assertThat(get(take).map(Task::text)).contains("a");
        }
    }

    private void what_makes_ready_wakes(Scenario scenario) {
        wakes(scenario, (tube, taken) -> tube.release(taken));
        wakes(scenario, (tube, taken) -> tube.requeue(taken));
        wakes(scenario, (tube, taken) -> {
            tube.bury(taken);
            tube.kick();
        });
        wakes(scenario, (tube, taken) -> {
            tube.bury(taken);
            tube.dig(taken.id());
        });
        wakes(scenario, (tube, taken) -> tube.releaseAll());
    }

    private static void wakes(Scenario scenario, BiConsumer<Tube, Task> event) {
        Task put = scenario.tube().put("a");
        Task taken = scenario.take();
        Future<Optional<Task>> take = scenario.later(() -> scenario.another().take(LONG));
        scenario.awaitTakers(1);
        event.accept(scenario.tube(), taken);
        assertThat(get(take).map(Task::id)).contains(put.id());
        scenario.tube().delete(put.id());
    }

    private void the_end_of_a_delay_wakes(Scenario scenario) {
        Future<Optional<Task>> take = scenario.later(() -> scenario.another().take(LONG));
        scenario.awaitTakers(1);
        Task put = scenario.tube().put("a", with().delay(ofMillis(30)));
        assertThat(get(take).map(Task::id)).contains(put.id());
        scenario.tube().delete(put.id());
        Task again = scenario.tube().put("b");
        scenario.tube().release(scenario.take(), ReleaseOptions.defaults().delay(ofMillis(100)));
        assertThat(scenario.another().take(LONG).map(Task::id)).contains(again.id());
    }

    private void take_of_many_is_in_order(Scenario scenario) {
        List.of("a", "b", "c", "d").forEach(scenario.tube()::put);
        List<String> all = new ArrayList<>();
        List<Task> first = scenario.tube().take(3, ZERO);
        assertThat(first).hasSize(3);
        first.forEach(task -> all.add(task.text()));
        scenario.tube().take(3, ZERO).forEach(task -> all.add(task.text()));
        assertThat(all).isEqualTo(scenario.handedOut("a", "b", "c", "d"));
        assertThat(scenario.tube().take(3, ZERO)).isEmpty();
        assertThatThrownBy(() -> scenario.tube().take(0, ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> scenario.tube().take(1_001, ZERO)).isInstanceOf(IllegalArgumentException.class);
    }

    private void take_of_many_waits_for_the_first(Scenario scenario) {
        Future<List<Task>> take = scenario.later(() -> scenario.another().take(5, LONG));
        scenario.awaitTakers(1);
        scenario.tube().put("a");
        assertThat(get(take)).extracting(Task::text).containsExactly("a");
    }

    /** Together, nothing can remove the task before the take: to others it is not there yet. */
    private void what_is_over_is_never_handed_out(Scenario scenario) throws Exception {
        scenario.together(() -> {
            Task over = scenario.tube().put("over", with().ttl(ofMillis(20)));
            Eventually.holds(
                    () -> gone(scenario.tube(), over.id())
                            || scenario.tube()
                                    .meta(over.id())
                                    .map(meta ->
                                            meta.now().isAfter(meta.created().plusMillis(20)))
                                    .orElse(true),
                    "its ttl is over");
            assertThat(scenario.tube().take(ZERO)).isEmpty();
        });
        assertThat(calls(scenario.tube(), TubeEvent.TAKE)).isZero();
    }

    private void no_task_is_handed_to_two(Scenario scenario) {
        int tasks = 48;
        scenario.tube().putAll(IntStream.range(0, tasks).boxed().toList(), with());
        // The threads of one connection compete as those of several do
        List<Future<List<Long>>> takers = IntStream.range(0, 6)
                .mapToObj(i -> scenario.later(() -> takeAll(i % 2 == 0 ? scenario.another() : scenario.tube())))
                .toList();
        List<Long> taken = takers.stream().flatMap(taker -> get(taker).stream()).toList();
        assertThat(taken).hasSize(tasks).doesNotHaveDuplicates();
    }

    private static List<Long> takeAll(Tube tube) {
        List<Long> ids = new ArrayList<>();
        for (List<Task> next = tube.take(2, ofMillis(50)); !next.isEmpty(); next = tube.take(2, ofMillis(50))) {
            next.forEach(task -> ids.add(task.id()));
            tube.ack(next.get(0));
        }
        return ids;
    }

    private void a_bean_gets_what_becomes_ready_before_its_position(Scenario scenario) {
        Tube tube = scenario.tube();
        Task buried = tube.put("buried", with().pri(5));
        tube.bury(buried);
        tube.put("released", with().pri(5));
        tube.put("read", with().pri(5));
        Task released = scenario.take();
        assertThat(scenario.claimOn()).contains("read");
        tube.put("rest", with().pri(5));
        tube.release(released);
        assertThat(scenario.claimOn()).contains("released");
        tube.dig(buried.id());
        assertThat(scenario.claimOn()).contains("buried");
        tube.put("urgent", with().pri(1));
        assertThat(scenario.claimOn()).contains("urgent");
        assertThat(scenario.claimOn()).contains("rest");
        assertThat(scenario.claimOn()).isEmpty();
    }
}
