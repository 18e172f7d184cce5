package org.tasktube.rules;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.admin.TubeChange;
import org.tasktube.admin.WaitingTask;
import org.tasktube.testing.Eventually;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.tasktube.rules.Rule.rule;
import static org.tasktube.rules.Scenario.LONG;
import static org.tasktube.rules.Scenario.drain;
import static org.tasktube.rules.Scenario.get;
import static org.tasktube.rules.Scenario.take;
import static org.tasktube.rules.Scenario.with;
import static org.tasktube.spi.TubeOption.DELAY;
import static org.tasktube.spi.TubeOption.PRI;
import static org.tasktube.spi.TubeOption.TTL;
import static org.tasktube.spi.TubeOption.TTR;
import static org.tasktube.spi.TubeOption.UTUBE;

/** Of a sub-queue one task at a time, in order. */
final class SubQueueRules extends RuleGroup {

    @Override
    String heading() {
        return "Sub-queues";
    }

    @Override
    List<Rule> rules() {
        return List.of(
                        rule("At most one task of a sub-queue is TAKEN", this::one_at_a_time),
                        rule(
                                        "At most one task of a sub-queue is TAKEN, on all servers together",
                                        this::one_at_a_time_on_all_servers)
                                .onTwoServers(),
                        rule(
                                "At most one task of a sub-queue is TAKEN, with any number of consumers",
                                this::one_at_a_time_with_many_consumers),
                        rule("The tasks of a sub-queue are taken in strict order of put", this::in_the_order_of_put),
                        rule("In a sub-queue of `utubettl`, tasks with a smaller pri are first", this::by_pri_first)
                                .needs(PRI),
                        rule("An urgent task goes ahead in its sub-queue", this::urgent_goes_ahead),
                        rule("ack, bury and delete unblock the next task", this::the_end_of_a_taking_unblocks_the_next),
                        rule("release with a delay unblocks the next task", this::a_delayed_release_unblocks_the_next)
                                .needs(DELAY),
                        rule("requeue unblocks the next task", this::requeue_unblocks_the_next),
                        rule("After a plain release the same task is next", this::release_hands_out_the_same),
                        rule("After the end of the ttr the same task is next", this::ttr_hands_out_the_same)
                                .needs(TTR),
                        rule(
                                "After the end of the session the same task is next",
                                this::the_session_hands_out_the_same),
                        rule("A kicked task goes before tasks that were put later", this::a_kicked_one_goes_first),
                        rule(
                                        "A task whose ttl expires blocks no other, as the first or as a later one",
                                        this::ttl_holds_back_none)
                                .needs(TTL),
                        rule("A DELAYED task blocks no other until it is READY", this::a_delayed_one_holds_back_none)
                                .needs(DELAY),
                        rule("A waiting take is woken for the next task", this::a_waiting_take_gets_the_next),
                        rule(
                                "take(max, timeout) takes one task of each sub-queue",
                                this::take_of_many_takes_one_of_each),
                        rule(
                                "Tasks without a sub-queue do not block each other",
                                this::tasks_without_one_are_not_held_back),
                        rule(
                                "In strict order a task that was buried, or released with a delay, holds its"
                                        + " sub-queue until it is acked or deleted",
                                this::strict_order_holds_the_later_ones),
                        rule(
                                        "In strict order the end of a failed task's delay or ttl lets its sub-queue go on"
                                                + " with it, or without it",
                                        this::strict_order_and_times)
                                .needs(TTL),
                        rule(
                                "In strict order `letGo` lets the later tasks go on, and a retried one has lost its place",
                                this::a_sub_queue_is_let_go),
                        rule(
                                "A change to strict order is for tasks that fail from then on, and a change back lets all"
                                        + " sub-queues go on",
                                this::strict_order_is_changed),
                        rule(
                                "In strict order `whyWaiting` names the failed task that holds the sub-queue",
                                this::the_failed_one_is_named),
                        rule("In strict order a task that is put with a delay holds no other", this::its_own_delay)
                                .needs(DELAY),
                        rule("After a rollback the same task is next", this::a_rollback_hands_out_the_same)
                                .only(Mode.IN_JTA, "no rollback outside a transaction"),
                        rule("Producers of one sub-queue do not wait for each other", this::producers_do_not_wait)
                                .only(Mode.IN_JTA, "a put outside a transaction ends at once"))
                .stream()
                .map(rule -> rule.needs(UTUBE))
                .toList();
    }

    private static void put(Tube tube, String utube, String... texts) {
        List.of(texts).forEach(text -> tube.put(text, with().utube(utube)));
    }

    private void one_at_a_time(Scenario scenario) {
        put(scenario.tube(), "x", "x1", "x2");
        put(scenario.tube(), "y", "y1", "y2");
        assertThat(List.of(scenario.take().text(), take(scenario.another()).text()))
                .containsExactly("x1", "y1");
        assertThat(scenario.tube().take(ZERO)).isEmpty();
        assertThat(scenario.another().take(ofMillis(10))).isEmpty();
    }

    private void one_at_a_time_on_all_servers(Scenario scenario) {
        put(scenario.tube(), "x", "x1", "x2");
        put(scenario.elsewhere(), "y", "y1");
        assertThat(List.of(scenario.take().text(), take(scenario.elsewhere()).text()))
                .containsExactly("x1", "y1");
        assertThat(scenario.elsewhere().take(ZERO)).isEmpty();
    }

    private void one_at_a_time_with_many_consumers(Scenario scenario) {
        List<String> utubes = List.of("x", "y", "z");
        IntStream.range(0, 8).forEach(i -> utubes.forEach(utube -> put(scenario.tube(), utube, utube + i)));
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        List<Future<Integer>> consumers = IntStream.range(0, 4)
                .mapToObj(i -> scenario.later(() -> consume(scenario.another(), order, 24)))
                .toList();
        assertThat(consumers.stream().mapToInt(Scenario::get).sum()).isEqualTo(24);
        for (String utube : utubes) {
            assertThat(order)
                    .filteredOn(text -> text.startsWith(utube))
                    .isEqualTo(IntStream.range(0, 8).mapToObj(i -> utube + i).toList());
        }
    }

    /**
     * Works until the consumers together have all tasks; returns how many it got. Each is recorded while it is held.
     */
    private static int consume(Tube tube, List<String> order, int all) {
        int count = 0;
        long end = System.nanoTime() + LONG.toNanos();
        while (order.size() < all && System.nanoTime() < end) {
            for (Task next : tube.take(1, ofMillis(50))) {
                order.add(next.text());
                tube.ack(next);
                count++;
            }
        }
        return count;
    }

    private void in_the_order_of_put(Scenario scenario) {
        put(scenario.tube(), "x", "1", "2", "3", "4");
        assertThat(ackAll(scenario.tube())).containsExactly("1", "2", "3", "4");
    }

    private static List<String> ackAll(Tube tube) {
        List<String> texts = new ArrayList<>();
        for (Optional<Task> next = tube.take(ZERO); next.isPresent(); next = tube.take(ZERO)) {
            texts.add(next.get().text());
            tube.ack(next.get());
        }
        return texts;
    }

    private void by_pri_first(Scenario scenario) {
        Tube tube = scenario.tube();
        tube.put("2", with().utube("x").pri(2));
        tube.put("1", with().utube("x").pri(1));
        tube.put("1b", with().utube("x").pri(1));
        tube.put("0", with().utube("x"));
        assertThat(ackAll(tube)).containsExactly("0", "1", "1b", "2");
        tube.put("5", with().utube("x").pri(5));
        assertThat(tube.peekReady().map(Task::text)).contains("5");
        tube.put("4", with().utube("x").pri(4));
        assertThat(ackAll(tube)).containsExactly("4", "5");
    }

    private void urgent_goes_ahead(Scenario scenario) {
        put(scenario.tube(), "x", "a", "b");
        assertThat(scenario.tube().peekReady().map(Task::text)).contains("a");
        scenario.tube().put("c", with().utube("x").asUrgent());
        assertThat(ackAll(scenario.tube())).containsExactly("c", "a", "b");
    }

    private void the_end_of_a_taking_unblocks_the_next(Scenario scenario) {
        nextAfter(scenario, Tube::ack);
        nextAfter(scenario, (tube, task) -> tube.ackAll(List.of(task)));
        nextAfter(scenario, (tube, task) -> tube.ack(task, TaskResult.completed("fine")));
        nextAfter(scenario, Tube::bury);
        nextAfter(scenario, (tube, task) -> tube.delete(task.id()));
        nextAfter(scenario, (tube, task) -> scenario.another().delete(task.id()));
    }

    private static void nextAfter(Scenario scenario, BiConsumer<Tube, Task> end) {
        put(scenario.tube(), "x", "first", "second");
        Task first = scenario.take();
        assertThat(scenario.tube().take(ZERO)).isEmpty();
        end.accept(scenario.tube(), first);
        assertThat(scenario.take().text()).isEqualTo("second");
        scenario.tube().truncate();
    }

    private void a_delayed_release_unblocks_the_next(Scenario scenario) {
        nextAfter(
                scenario,
                (tube, task) -> tube.release(task, ReleaseOptions.defaults().delay(ofMinutes(1))));
    }

    private void requeue_unblocks_the_next(Scenario scenario) {
        nextAfter(scenario, Tube::requeue);
    }

    private void release_hands_out_the_same(Scenario scenario) {
        put(scenario.tube(), "x", "first", "second");
        scenario.tube().release(scenario.take());
        assertThat(take(scenario.another()).text()).isEqualTo("first");
        scenario.tube().releaseAll();
        assertThat(ackAll(scenario.tube())).containsExactly("first", "second");
    }

    private void ttr_hands_out_the_same(Scenario scenario) {
        scenario.tube().put("first", with().utube("x").ttr(ofMillis(40)));
        put(scenario.tube(), "x", "second");
        scenario.take();
        assertThat(scenario.another().take(LONG).map(Task::text)).contains("first");
    }

    private static void strict(Scenario scenario, boolean strict) {
        scenario.admin().changeTube(scenario.tube().name(), TubeChange.NONE.strict(strict));
    }

    private void strict_order_holds_the_later_ones(Scenario scenario) {
        strict(scenario, true);
        Tube tube = scenario.tube();
        put(tube, "x", "first", "second", "third");
        put(tube, "y", "other");
        tube.bury(scenario.take());
        assertThat(ackAll(tube)).containsExactly("other");
        put(tube, "x", "fourth");
        tube.kick();
        assertThat(scenario.take().text()).isEqualTo("first");
        tube.releaseAll();
        assertThat(scenario.take().text()).isEqualTo("first");
        assertThat(tube.take(ZERO)).isEmpty();
        Task first = tube.tasks(TaskState.TAKEN, 0, 1).get(0);
        tube.delete(first.id());
        assertThat(scenario.take().text()).isEqualTo("second");
        assertThat(tube.take(ZERO)).isEmpty();
    }

    private void strict_order_and_times(Scenario scenario) {
        strict(scenario, true);
        Tube tube = scenario.tube();
        put(tube, "x", "first", "second");
        tube.release(scenario.take(), ReleaseOptions.defaults().delay(ofMillis(20)));
        assertThat(tube.take(LONG).map(Task::text)).contains("first");
        tube.truncate();
        tube.put("brief", with().utube("x").ttl(ofMillis(300)));
        put(tube, "x", "next");
        Optional<Task> taken = tube.take(LONG).filter(task -> task.text().equals("brief"));
        // On a slow machine it is over already
        taken.ifPresent(brief -> {
            tube.bury(brief);
            assertThat(tube.take(LONG).map(Task::text)).contains("next");
        });
    }

    private void a_sub_queue_is_let_go(Scenario scenario) {
        strict(scenario, true);
        Tube tube = scenario.tube();
        put(tube, "x", "first", "second", "third");
        assertThat(tube.letGo("x")).isFalse();
        tube.bury(scenario.take());
        assertThat(tube.letGo("y")).isFalse();
        assertThat(tube.letGo("x")).isTrue();
        Task second = scenario.take();
        assertThat(second.text()).isEqualTo("second");
        tube.kick();
        assertThat(tube.take(ZERO)).isEmpty();
        tube.ack(second);
        assertThat(ackAll(tube)).containsExactly("first", "third");
    }

    private void strict_order_is_changed(Scenario scenario) {
        Tube tube = scenario.tube();
        put(tube, "x", "first", "second", "third", "fourth");
        tube.bury(scenario.take());
        strict(scenario, true);
        tube.bury(scenario.take());
        assertThat(tube.take(ZERO)).isEmpty();
        strict(scenario, false);
        assertThat(ackAll(tube)).containsExactly("third", "fourth");
        assertThat(tube.kick(2)).isEqualTo(2);
        assertThat(ackAll(tube)).containsExactly("first", "second");
    }

    private void the_failed_one_is_named(Scenario scenario) {
        strict(scenario, true);
        Tube tube = scenario.tube();
        put(tube, "x", "first");
        Task second = tube.put("second", with().utube("x"));
        Task first = scenario.take();
        tube.bury(first);
        for (Task each : List.of(first, second)) {
            WaitingTask why = AdminRules.alone(() -> scenario.admin().whyWaiting(tube.name(), each.id()));
            assertThat(why.heldBy()).hasValue(first.id());
            assertThat(why.sentence()).contains("let go");
        }
    }

    private void its_own_delay(Scenario scenario) {
        strict(scenario, true);
        scenario.tube().put("delayed", with().utube("x").delay(ofMinutes(1)));
        put(scenario.tube(), "x", "second");
        assertThat(ackAll(scenario.tube())).containsExactly("second");
    }

    private void the_session_hands_out_the_same(Scenario scenario) {
        put(scenario.tube(), "x", "first", "second");
        try (var other = scenario.connect()) {
            assertThat(take(other.tube(scenario.tube().name())).text()).isEqualTo("first");
        }
        assertThat(scenario.tube().take(LONG).map(Task::text)).contains("first");
    }

    private void a_kicked_one_goes_first(Scenario scenario) {
        put(scenario.tube(), "x", "first", "second", "third");
        scenario.tube().bury(scenario.take());
        scenario.tube().ack(scenario.take());
        assertThat(scenario.tube().kick()).isEqualTo(1);
        assertThat(ackAll(scenario.tube())).containsExactly("first", "third");
    }

    private void ttl_holds_back_none(Scenario scenario) {
        scenario.tube().put("brief", with().utube("x").ttl(ofSeconds(1)));
        put(scenario.tube(), "x", "second");
        Eventually.holds(
                () -> scenario.tube()
                                .take(ofMillis(20))
                                .filter(task -> task.text().equals("second"))
                                .isPresent()
                        || releasedBrief(scenario.tube()),
                "the ttl of the first is over, and the second is taken");
        assertThat(drain(scenario.tube())).isEmpty();
    }

    /** Releases the first when it is the one that was taken; false, so that it is tried again. */
    private static boolean releasedBrief(Tube tube) {
        tube.releaseAll();
        return false;
    }

    private void a_delayed_one_holds_back_none(Scenario scenario) {
        Tube tube = scenario.tube();
        Task delayed = tube.put("delayed", with().utube("x").delay(ofSeconds(2)));
        put(tube, "x", "second", "third");
        tube.ack(scenario.take());
        Eventually.holds(() -> Scenario.state(tube, delayed.id()) == TaskState.READY, "the delay is over");
        assertThat(ackAll(tube)).containsExactly("delayed", "third");
    }

    private void a_waiting_take_gets_the_next(Scenario scenario) {
        put(scenario.tube(), "x", "first", "second");
        Task first = scenario.take();
        Future<Optional<Task>> waiting = scenario.later(() -> scenario.another().take(LONG));
        scenario.awaitTakers(1);
        scenario.tube().ack(first);
        assertThat(get(waiting).map(Task::text)).contains("second");
    }

    private void take_of_many_takes_one_of_each(Scenario scenario) {
        put(scenario.tube(), "x", "x1", "x2");
        put(scenario.tube(), "y", "y1", "y2");
        scenario.tube().put("free");
        assertThat(scenario.tube().take(10, ZERO)).extracting(Task::text).containsExactlyInAnyOrder("x1", "y1", "free");
    }

    private void tasks_without_one_are_not_held_back(Scenario scenario) {
        List.of("a", "b").forEach(scenario.tube()::put);
        put(scenario.tube(), "x", "x1", "x2");
        assertThat(drain(scenario.tube())).containsExactly("a", "b", "x1");
    }

    private void a_rollback_hands_out_the_same(Scenario scenario) throws Exception {
        put(scenario.tube(), "x", "first", "second");
        scenario.undone(() -> assertThat(scenario.take().text()).isEqualTo("first"));
        Task first = scenario.take();
        assertThat(first.text()).isEqualTo("first");
        scenario.undone(() -> scenario.tube().ack(first));
        assertThat(scenario.tube().take(ZERO)).isEmpty();
        scenario.tube().ack(first);
        assertThat(scenario.take().text()).isEqualTo("second");
    }

    private void producers_do_not_wait(Scenario scenario) throws Exception {
        scenario.together(() -> {
            put(scenario.tube(), "x", "slow");
            scenario.apart(() -> scenario.another().put("quick", with().utube("x")));
            assertThat(scenario.apart(() -> take(scenario.another()).text())).isEqualTo("quick");
        });
    }
}
