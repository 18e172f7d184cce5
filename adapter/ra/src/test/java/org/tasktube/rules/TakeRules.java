package org.tasktube.rules;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeEvent;
import org.tasktube.queue.Waiting;
import org.tasktube.testing.Eventually;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tasktube.rules.Rule.rule;
import static org.tasktube.rules.Trial.LONG;
import static org.tasktube.rules.Trial.calls;
import static org.tasktube.rules.Trial.get;
import static org.tasktube.rules.Trial.gone;
import static org.tasktube.rules.Trial.with;
import static org.tasktube.spi.TubeOption.DELAY;
import static org.tasktube.spi.TubeOption.TTL;

/** How tasks are handed out. */
final class TakeRules implements Chapter {

    private static final Set<Type> ALL_BUT_ONE =
            Set.of(Type.FIFOTTL, Type.LIMFIFOTTL, Type.UTUBE_TYPE, Type.UTUBETTL, Type.LIFO);

    @Override
    public String heading() {
        return "Take";
    }

    @Override
    public List<Rule> rules() {
        return List.of(
                rule("take(timeout): 0 answers at once, negative is an error", this::zero_answers_at_once),
                rule("take(timeout) waits no longer than it says", this::it_waits_no_longer),
                rule("take() waits for ever", this::without_a_timeout_it_waits),
                rule("take() waits until the adapter stops", this::it_waits_until_the_adapter_stops)
                        .not(ALL_BUT_ONE, "a server is stopped for it; one type stands for all"),
                rule(
                        "A waiting take sees a task put on this node within milliseconds of the commit",
                        this::a_waiting_take_sees_a_put_here),
                rule(
                                "A waiting take sees a task put on another node within the poll interval",
                                this::a_waiting_take_sees_a_put_elsewhere)
                        .onTwoServers()
                        .not(Store.MEMORY, "each server has a memory of its own"),
                rule("One event wakes one waiter", this::one_event_wakes_one_waiter),
                rule("kick, dig, release and requeue wake waiters like put", this::what_makes_ready_wakes),
                rule("The end of a delay wakes waiters like put", this::the_end_of_a_delay_wakes)
                        .needs(DELAY),
                rule("take(max, timeout): up to max tasks, in order", this::take_of_many_is_in_order),
                rule("take(max, timeout) waits only for the first", this::take_of_many_waits_for_the_first),
                rule(
                                "READY tasks whose ttl is over are never handed out, even if nothing has removed them yet",
                                this::what_is_over_is_never_handed_out)
                        .needs(TTL),
                rule("No task is ever handed to two holders at once", this::no_task_is_handed_to_two));
    }

    private void zero_answers_at_once(Trial trial) {
        assertThat(trial.tube().take(ZERO)).isEmpty();
        assertThatThrownBy(() -> trial.tube().take(ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("negative");
        assertThatThrownBy(() -> trial.tube().take(1, ofMillis(-1))).isInstanceOf(IllegalArgumentException.class);
        trial.tube().put("a");
        assertThat(trial.tube().take(ZERO).map(Task::text)).contains("a");
    }

    private void it_waits_no_longer(Trial trial) {
        long start = System.nanoTime();
        assertThat(trial.tube().take(ofMillis(40))).isEmpty();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(ofMillis(40), ofSeconds(10));
    }

    private void without_a_timeout_it_waits(Trial trial) {
        Future<Task> take = trial.later(() -> trial.another().take());
        trial.awaitTakers(1);
        trial.tube().put("a");
        assertThat(get(take).text()).isEqualTo("a");
    }

    private void it_waits_until_the_adapter_stops(Trial trial) {
        try (Ground own = trial.ownGround()) {
            Tube tube = trial.open(own.server()).createTube(trial.define());
            Future<Task> take = trial.later(() -> tube.take());
            Waiting.forTasks(own.server().queue(), tube.name(), 1);
            own.server().close();
            assertThatThrownBy(() -> get(take)).isInstanceOf(AdapterNotRunningException.class);
        }
    }

    private void a_waiting_take_sees_a_put_here(Trial trial) {
        Future<Optional<Task>> take = trial.later(() -> trial.another().take(LONG));
        trial.awaitTakers(1);
        trial.tube().put("a");
        long committed = System.nanoTime();
        assertThat(get(take).map(Task::text)).contains("a");
        assertThat(Duration.ofNanos(System.nanoTime() - committed)).isLessThan(ofSeconds(2));
    }

    private void a_waiting_take_sees_a_put_elsewhere(Trial trial) {
        Tube there = trial.elsewhere();
        Future<Optional<Task>> take = trial.later(() -> trial.another().take(LONG));
        trial.awaitTakers(1);
        there.put("a");
        assertThat(get(take).map(Task::text)).contains("a");
    }

    private void one_event_wakes_one_waiter(Trial trial) {
        List<Future<Optional<Task>>> takes = IntStream.range(0, 2)
                .mapToObj(i -> trial.later(() -> trial.another().take(LONG)))
                .toList();
        trial.awaitTakers(2);
        trial.tube().put("a");
        Eventually.holds(() -> takes.stream().anyMatch(Future::isDone), "one has it");
        trial.awaitTakers(1);
        assertThat(takes).filteredOn(Future::isDone).hasSize(1);
        trial.tube().put("b");
        assertThat(takes).extracting(take -> get(take).orElseThrow().text()).containsExactlyInAnyOrder("a", "b");
    }

    private void what_makes_ready_wakes(Trial trial) {
        wakes(trial, (tube, taken) -> tube.release(taken));
        wakes(trial, (tube, taken) -> tube.requeue(taken));
        wakes(trial, (tube, taken) -> {
            tube.bury(taken);
            tube.kick();
        });
        wakes(trial, (tube, taken) -> {
            tube.bury(taken);
            tube.dig(taken.id());
        });
        wakes(trial, (tube, taken) -> tube.releaseAll());
    }

    private static void wakes(Trial trial, BiConsumer<Tube, Task> event) {
        Task put = trial.tube().put("a");
        Task taken = trial.take();
        Future<Optional<Task>> take = trial.later(() -> trial.another().take(LONG));
        trial.awaitTakers(1);
        event.accept(trial.tube(), taken);
        assertThat(get(take).map(Task::id)).contains(put.id());
        trial.tube().delete(put.id());
    }

    private void the_end_of_a_delay_wakes(Trial trial) {
        Task put = trial.tube().put("a", with().delay(ofMillis(100)));
        assertThat(trial.another().take(LONG).map(Task::id)).contains(put.id());
        trial.tube().delete(put.id());
        Task again = trial.tube().put("b");
        trial.tube().release(trial.take(), ReleaseOptions.defaults().delay(ofMillis(100)));
        assertThat(trial.another().take(LONG).map(Task::id)).contains(again.id());
    }

    private void take_of_many_is_in_order(Trial trial) {
        List.of("a", "b", "c", "d").forEach(trial.tube()::put);
        List<String> all = new ArrayList<>();
        List<Task> first = trial.tube().take(3, ZERO);
        assertThat(first).hasSize(3);
        first.forEach(task -> all.add(task.text()));
        trial.tube().take(3, ZERO).forEach(task -> all.add(task.text()));
        assertThat(all).isEqualTo(trial.handedOut("a", "b", "c", "d"));
        assertThat(trial.tube().take(3, ZERO)).isEmpty();
        assertThatThrownBy(() -> trial.tube().take(0, ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> trial.tube().take(1_001, ZERO)).isInstanceOf(IllegalArgumentException.class);
    }

    private void take_of_many_waits_for_the_first(Trial trial) {
        Future<List<Task>> take = trial.later(() -> trial.another().take(5, LONG));
        trial.awaitTakers(1);
        trial.tube().put("a");
        assertThat(get(take)).extracting(Task::text).containsExactly("a");
    }

    /** Together, nothing can remove the task before the take: to others it is not there yet. */
    private void what_is_over_is_never_handed_out(Trial trial) throws Exception {
        trial.together(() -> {
            Task over = trial.tube().put("over", with().ttl(ofMillis(20)));
            Eventually.holds(
                    () -> gone(trial.tube(), over.id())
                            || trial.tube()
                                    .meta(over.id())
                                    .map(meta ->
                                            meta.now().isAfter(meta.created().plusMillis(20)))
                                    .orElse(true),
                    "its ttl is over");
            assertThat(trial.tube().take(ZERO)).isEmpty();
        });
        assertThat(calls(trial.tube(), TubeEvent.TAKE)).isZero();
    }

    private void no_task_is_handed_to_two(Trial trial) {
        int tasks = 24;
        trial.tube().putAll(IntStream.range(0, tasks).boxed().toList(), with());
        List<Future<List<Long>>> takers = IntStream.range(0, 4)
                .mapToObj(i -> trial.later(() -> takeAll(trial.another())))
                .toList();
        List<Long> taken = takers.stream().flatMap(taker -> get(taker).stream()).toList();
        assertThat(taken).hasSize(tasks).doesNotHaveDuplicates();
    }

    private static List<Long> takeAll(Tube tube) {
        List<Long> ids = new ArrayList<>();
        for (List<Task> next = tube.take(2, ofMillis(50)); !next.isEmpty(); next = tube.take(2, ofMillis(50))) {
            next.forEach(task -> ids.add(task.id()));
        }
        return ids;
    }
}
