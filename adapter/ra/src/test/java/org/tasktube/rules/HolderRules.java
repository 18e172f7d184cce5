package org.tasktube.rules;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import org.tasktube.Fingerprint;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.TaskMeta;
import org.tasktube.TaskNotFoundException;
import org.tasktube.TaskNotTakenException;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.TaskTakenByAnotherException;
import org.tasktube.Tube;
import org.tasktube.WrongStateException;
import org.tasktube.testing.Eventually;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tasktube.rules.Rule.rule;
import static org.tasktube.rules.Scenario.LONG;
import static org.tasktube.rules.Scenario.drain;
import static org.tasktube.rules.Scenario.gone;
import static org.tasktube.rules.Scenario.state;
import static org.tasktube.rules.Scenario.take;
import static org.tasktube.rules.Scenario.with;
import static org.tasktube.spi.TubeOption.DELAY;
import static org.tasktube.spi.TubeOption.PRI;
import static org.tasktube.spi.TubeOption.TTL;
import static org.tasktube.spi.TubeOption.TTR;

/** What the holder of a task may do with it, and what any session may. */
final class HolderRules extends RuleGroup {

    @Override
    String heading() {
        return "Holding a task";
    }

    @Override
    List<Rule> rules() {
        return List.of(
                rule(
                        "bury with a reason makes it the last failure of the task; a blank one, or one of more than 1,000"
                                + " characters, is refused",
                        this::a_burial_has_its_reason),
                rule(
                        "A task belongs to the session that took it, with the time of the take, and the "
                                + "deadline: that time plus ttr",
                        this::a_task_belongs_to_who_took_it),
                rule(
                        "An operation of the holder on a task of another tube fails: the task was not found",
                        this::a_task_of_another_tube_is_not_found),
                rule(
                        "An operation of the holder on a task that is gone fails: the task was not found",
                        this::a_removed_task_is_not_found),
                rule(
                        "An operation of the holder on a task without a holder fails: the task is not taken",
                        this::a_task_without_a_holder_is_not_taken),
                rule(
                        "An operation of the holder on a task of another session fails with an error that "
                                + "names both sessions",
                        this::a_task_of_anothers_is_taken_by_that),
                rule(
                                "If the ttr expired and the task was taken again, its former holder counts as another "
                                        + "session",
                                this::a_holder_after_its_ttr_is_no_holder)
                        .needs(TTR),
                rule(
                        "Each take has its own token: an earlier take of the same session counts as another "
                                + "session's",
                        this::each_taking_has_its_own_token),
                rule(
                        "A released task keeps its position, by pri and put, and is next",
                        this::release_keeps_its_position),
                rule("release with a delay adds it to the ttl, as put does", this::release_adds_the_delay_to_the_ttl)
                        .needs(DELAY, TTL),
                rule(
                                "release with a delay and a ttl sets the rest of the task's life anew",
                                this::release_sets_what_is_left_of_its_life)
                        .needs(DELAY, TTL),
                rule("requeue moves a task to the end of its pri", this::requeue_goes_to_the_end),
                rule(
                                "requeue moves a task to the end of its pri, and not behind other ones",
                                this::requeue_stays_in_its_pri)
                        .needs(PRI),
                rule("touch(increment) adds to the deadline and to the ttl", this::touch_adds_to_deadline_and_ttl)
                        .needs(TTR, TTL),
                rule("touch of 0 does nothing. A negative increment fails", this::touch_of_nothing_does_nothing)
                        .needs(TTR),
                rule("heartbeat sets the deadline to now plus ttr", this::heartbeat_starts_the_ttr_anew)
                        .needs(TTR),
                rule(
                        "The holder can bury its task, and any session a READY one. A second bury changes " + "nothing",
                        this::bury_is_for_the_holder_or_for_any_session),
                rule(
                        "Any session can bury a READY or DELAYED task by its id. A second bury changes nothing",
                        this::bury_by_id),
                rule("touch does not change the ttr: a heartbeat counts it anew", this::a_touch_leaves_the_ttr)
                        .needs(TTR),
                rule("Any session can bury a DELAYED task", this::a_delayed_task_can_be_buried)
                        .needs(DELAY),
                rule(
                        "kick(n) digs up to n tasks in order and returns their number, 0 for n ≤ 0. kick() "
                                + "digs one",
                        this::kick_digs_in_order),
                rule("kick digs tasks with a smaller pri first", this::kick_digs_by_pri)
                        .needs(PRI),
                rule("dig(id) digs one task, and fails if it is not BURIED", this::dig_digs_one),
                rule("The ttl counts from put, through bury and kick", this::ttl_runs_on)
                        .needs(TTL),
                rule("kick and dig reset the count of attempts", this::kicking_resets_the_attempts),
                rule(
                        "Any session can delete a task in any state. The ack of its holder then fails",
                        this::delete_is_for_any_session),
                rule(
                        "releaseAll releases every TAKEN task, of any holder, and returns their number",
                        this::release_all_frees_all),
                rule("truncate removes every task, in any state, and returns their number", this::truncate_removes_all),
                rule("ackAll acks all tasks or none", this::ack_all_is_all_or_none),
                rule("peek(id) returns a task in any state, and changes nothing", this::peek_changes_nothing),
                rule("peekReady and peekBuried return the next task of their state", this::peeks_show_the_next),
                rule("peekDelayed returns the next DELAYED task", this::peek_delayed_shows_the_next)
                        .needs(DELAY),
                rule("tasks(state, …) lists the tasks of a state in pages", this::tasks_are_listed_by_the_page),
                rule("meta(id) returns a task's state, holder, times and counts", this::meta_returns_all),
                rule(
                        "A failed task has the fingerprint of its last failure, also after kick and dig; failures that"
                                + " differ in numbers, ids or quoted parts of the message only have the same one",
                        this::a_failed_task_has_a_fingerprint));
    }

    private void a_task_belongs_to_who_took_it(Scenario scenario) {
        Task put = scenario.has(TTR)
                ? scenario.tube().put("a", with().ttr(ofMinutes(1)))
                : scenario.tube().put("a");
        scenario.take();
        TaskMeta meta = scenario.tube().meta(put.id()).orElseThrow();
        assertThat(meta.session()).contains(scenario.connection().identify());
        assertThat(Duration.between(meta.takenAt().orElseThrow(), meta.now())).isBetween(ZERO, ofMinutes(5));
        if (scenario.has(TTR)) {
            Duration toDeadline =
                    Duration.between(meta.takenAt().orElseThrow(), meta.event().orElseThrow());
            // To the millisecond: H2 reads the clock for each
            assertThat(toDeadline).isCloseTo(ofMinutes(1), ofMillis(1));
        } else {
            assertThat(meta.event()).isEmpty();
        }
    }

    /** What only the holder may do. */
    private static List<BiConsumer<Tube, Task>> operations(Scenario scenario) {
        List<BiConsumer<Tube, Task>> operations = new ArrayList<>(List.of(
                Tube::ack,
                Tube::release,
                Tube::requeue,
                (tube, task) -> tube.ack(task, TaskResult.completed("a")),
                (tube, task) -> tube.ackAll(List.of(task))));
        if (scenario.has(TTR)) {
            operations.add((tube, task) -> tube.touch(task, ofSeconds(1)));
            operations.add(Tube::heartbeat);
        }
        return operations;
    }

    private void a_removed_task_is_not_found(Scenario scenario) {
        scenario.tube().put("a");
        Task gone = scenario.take();
        scenario.tube().ack(gone);
        operations(scenario).forEach(operation -> assertThatThrownBy(() -> operation.accept(scenario.tube(), gone))
                .isInstanceOf(TaskNotFoundException.class)
                .hasMessageContaining(String.valueOf(gone.id()))
                .hasMessageContaining(scenario.tube().name()));
        assertThatThrownBy(() -> scenario.tube().bury(gone)).isInstanceOf(TaskNotFoundException.class);
        assertThatThrownBy(() -> scenario.tube().dig(gone.id())).isInstanceOf(TaskNotFoundException.class);
        assertThatThrownBy(() -> scenario.tube().delete(gone.id())).isInstanceOf(TaskNotFoundException.class);
    }

    private void a_burial_has_its_reason(Scenario scenario) {
        scenario.tube().put("a");
        Task task = scenario.take();
        for (String refused : List.of(" ", "x".repeat(1_001))) {
            assertThatThrownBy(() -> scenario.tube().bury(task, refused)).hasMessageContaining("set 1 to 1000");
        }
        assertThatThrownBy(() -> scenario.another().bury(task, "not mine"))
                .isInstanceOf(TaskTakenByAnotherException.class);
        scenario.tube().bury(task, "the address is not known");
        TaskMeta meta = scenario.tube().meta(task.id()).orElseThrow();
        assertThat(meta.state()).isEqualTo(TaskState.BURIED);
        assertThat(meta.lastFailure().orElseThrow().message()).isEqualTo("the address is not known");
        assertThat(meta.lastFailure().orElseThrow().type()).isEqualTo(Tube.BURIED);
    }

    private void a_task_of_another_tube_is_not_found(Scenario scenario) {
        Tube another = scenario.create(UnaryOperator.identity());
        scenario.tube().put("a");
        Task task = scenario.take();
        List<BiConsumer<Tube, Task>> operations = operations(scenario);
        operations.add(Tube::bury);
        operations.add((tube, taken) -> tube.dig(taken.id()));
        operations.add((tube, taken) -> tube.delete(taken.id()));
        operations.forEach(operation -> assertThatThrownBy(() -> operation.accept(another, task))
                .isInstanceOf(TaskNotFoundException.class)
                .hasMessageContaining(another.name()));
        assertThat(another.peek(task.id())).isEmpty();
        scenario.tube().ack(task);
    }

    private void a_task_without_a_holder_is_not_taken(Scenario scenario) {
        scenario.tube().put("a");
        Task released = scenario.take();
        scenario.tube().release(released);
        operations(scenario).forEach(operation -> assertThatThrownBy(() -> operation.accept(scenario.tube(), released))
                .isInstanceOf(TaskNotTakenException.class)
                .hasMessageContaining(String.valueOf(released.id()))
                .hasMessageContaining("is READY and should be TAKEN"));
        assertThat(state(scenario.tube(), released.id())).isEqualTo(TaskState.READY);
    }

    private void a_task_of_anothers_is_taken_by_that(Scenario scenario) {
        scenario.tube().put("a");
        Task task = scenario.take();
        var thief = scenario.connect();
        Tube other = thief.tube(scenario.tube().name());
        List<BiConsumer<Tube, Task>> operations = operations(scenario);
        operations.add(Tube::bury);
        operations.forEach(operation -> assertThatThrownBy(() -> operation.accept(other, task))
                .isInstanceOfSatisfying(TaskTakenByAnotherException.class, e -> {
                    assertThat(e.holder()).isEqualTo(scenario.connection().identify());
                    assertThat(e.caller()).isEqualTo(thief.identify());
                })
                .hasMessageContaining("is taken by " + scenario.connection().identify())
                .hasMessageContaining("not you (" + thief.identify() + ")"));
        scenario.tube().ack(task);
    }

    private void a_holder_after_its_ttr_is_no_holder(Scenario scenario) {
        List.of("a", "b").forEach(text -> scenario.tube().put(text, with().ttr(ofSeconds(2))));
        List<Task> late = scenario.tube().take(2, ZERO);
        List<Task> again = new ArrayList<>();
        again.add(scenario.another().take(LONG).orElseThrow());
        again.add(scenario.tube().take(LONG).orElseThrow());
        assertThat(again).extracting(Task::attempts).containsOnly(2);
        assertThat(again).extracting(Task::id).containsExactlyInAnyOrderElementsOf(ids(late));
        late.forEach(task ->
                assertThatThrownBy(() -> scenario.tube().ack(task)).isInstanceOf(TaskTakenByAnotherException.class));
        assertThat(again).allMatch(task -> !gone(scenario.tube(), task.id()));
    }

    private static List<Long> ids(List<Task> tasks) {
        return tasks.stream().map(Task::id).toList();
    }

    private void each_taking_has_its_own_token(Scenario scenario) {
        scenario.tube().put("a");
        Task first = scenario.take();
        scenario.tube().releaseAll();
        Task second = scenario.take();
        assertThat(second.id()).isEqualTo(first.id());
        assertThat(second.token()).isNotEqualTo(first.token());
        List<BiConsumer<Tube, Task>> operations = operations(scenario);
        operations.add(Tube::bury);
        operations.forEach(operation -> assertThatThrownBy(() -> operation.accept(scenario.tube(), first))
                .isInstanceOf(TaskTakenByAnotherException.class)
                .hasMessageContaining("in a later take"));
        scenario.tube().ack(second);
    }

    private void release_keeps_its_position(Scenario scenario) {
        List.of("a", "b", "c").forEach(scenario.tube()::put);
        List<Task> two = scenario.tube().take(2, ZERO);
        scenario.tube().release(two.get(1));
        scenario.tube().release(two.get(0));
        assertThat(drain(scenario.tube())).isEqualTo(scenario.handedOut("a", "b", "c"));
    }

    private void release_adds_the_delay_to_the_ttl(Scenario scenario) {
        scenario.tube().put("a", with().ttl(ofMinutes(10)));
        Task task = scenario.take();
        scenario.tube().release(task, ReleaseOptions.defaults().delay(ofMinutes(5)));
        TaskMeta meta = scenario.tube().meta(task.id()).orElseThrow();
        assertThat(meta.state()).isEqualTo(TaskState.DELAYED);
        assertThat(meta.ttl()).contains(ofMinutes(15));
    }

    private void release_sets_what_is_left_of_its_life(Scenario scenario) {
        scenario.tube().put("a", with().ttl(ofMinutes(10)));
        Task task = scenario.take();
        scenario.tube()
                .release(task, ReleaseOptions.defaults().delay(ofMinutes(5)).ttl(ofMinutes(1)));
        assertThat(scenario.tube().meta(task.id()).orElseThrow().ttl().orElseThrow())
                .isBetween(ofMinutes(6), ofSeconds(390));
        Task brief = scenario.tube().put("b");
        scenario.tube().release(scenario.take(), ReleaseOptions.defaults().ttl(ofMillis(30)));
        Eventually.holds(() -> gone(scenario.tube(), brief.id()), "what was left of its life is over");
    }

    private void requeue_goes_to_the_end(Scenario scenario) {
        List.of("a", "b").forEach(scenario.tube()::put);
        Task first = scenario.take();
        scenario.tube().requeue(first);
        assertThat(drain(scenario.tube())).hasSize(2).last().isEqualTo(first.text());
        scenario.tube().truncate();
        List.of("a", "b").forEach(scenario.tube()::put);
        scenario.tube().requeue(scenario.take());
        scenario.tube().put("later");
        List<String> order = drain(scenario.tube());
        assertThat(order.indexOf("later")).isEqualTo(scenario.type() == Type.LIFO ? 0 : 2);
    }

    private void requeue_stays_in_its_pri(Scenario scenario) {
        scenario.tube().put("a", with().pri(1));
        scenario.tube().put("b", with().pri(1));
        scenario.tube().put("z", with().pri(2));
        Task first = scenario.take();
        scenario.tube().requeue(first);
        List<String> order = drain(scenario.tube());
        assertThat(order).hasSize(3).last().isEqualTo("z");
        assertThat(order.get(1)).isEqualTo(first.text());
    }

    private void touch_adds_to_deadline_and_ttl(Scenario scenario) {
        scenario.tube().put("a", with().ttl(ofMinutes(10)).ttr(ofMinutes(1)));
        Task task = scenario.take();
        TaskMeta before = scenario.tube().meta(task.id()).orElseThrow();
        scenario.tube().touch(task, ofMinutes(2));
        TaskMeta after = scenario.tube().meta(task.id()).orElseThrow();
        assertThat(after.event()).contains(before.event().orElseThrow().plus(ofMinutes(2)));
        assertThat(after.ttl()).contains(ofMinutes(12));
    }

    private void touch_of_nothing_does_nothing(Scenario scenario) {
        scenario.tube().put("a", with().ttr(ofMinutes(1)));
        Task task = scenario.take();
        Optional<?> before = scenario.tube().meta(task.id()).orElseThrow().event();
        scenario.tube().touch(task, ZERO);
        assertThat(scenario.tube().meta(task.id()).orElseThrow().event()).isEqualTo(before);
        assertThatThrownBy(() -> scenario.tube().touch(task, ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private void heartbeat_starts_the_ttr_anew(Scenario scenario) {
        scenario.tube().put("a", with().ttr(ofMinutes(1)));
        Task task = scenario.take();
        scenario.tube().touch(task, ofMinutes(30));
        scenario.tube().heartbeat(task);
        TaskMeta meta = scenario.tube().meta(task.id()).orElseThrow();
        assertThat(Duration.between(meta.now(), meta.event().orElseThrow())).isBetween(ofSeconds(40), ofMinutes(1));
    }

    private void bury_is_for_the_holder_or_for_any_session(Scenario scenario) {
        Tube tube = scenario.tube();
        Task put = tube.put("a");
        Tube other = scenario.another();
        other.bury(put);
        other.bury(put);
        tube.dig(put.id());
        tube.bury(scenario.take());
        assertThat(state(tube, put.id())).isEqualTo(TaskState.BURIED);
        assertThat(tube.meta(put.id()).orElseThrow().buriedCount()).isEqualTo(2);
        assertThat(tube.take(ZERO)).isEmpty();
    }

    private void a_delayed_task_can_be_buried(Scenario scenario) {
        Task put = scenario.tube().put("a", with().delay(ofMinutes(1)));
        scenario.another().bury(put);
        assertThat(state(scenario.tube(), put.id())).isEqualTo(TaskState.BURIED);
        scenario.tube().kick();
        assertThat(scenario.take().id()).isEqualTo(put.id());
    }

    private void kick_digs_in_order(Scenario scenario) {
        Tube tube = scenario.tube();
        List.of("a", "b", "c").forEach(text -> tube.bury(tube.put(text)));
        assertThat(tube.kick(0)).isZero();
        assertThat(tube.kick(-1)).isZero();
        List<String> order = new ArrayList<>();
        assertThat(tube.kick()).isEqualTo(1);
        order.add(scenario.take().text());
        assertThat(tube.kick(10)).isEqualTo(2);
        order.addAll(drain(tube));
        assertThat(order).isEqualTo(scenario.handedOut("a", "b", "c"));
        assertThat(tube.kick()).isZero();
    }

    private void kick_digs_by_pri(Scenario scenario) {
        scenario.tube().bury(scenario.tube().put("late", with().pri(2)));
        scenario.tube().bury(scenario.tube().put("first", with().pri(1)));
        scenario.tube().kick();
        assertThat(drain(scenario.tube())).containsExactly("first");
    }

    private void dig_digs_one(Scenario scenario) {
        Tube tube = scenario.tube();
        List<Task> put = List.of(tube.put("a"), tube.put("b"));
        put.forEach(tube::bury);
        tube.dig(put.get(1).id());
        assertThat(drain(tube)).containsExactly("b");
        assertThatThrownBy(() -> tube.dig(put.get(1).id()))
                .isInstanceOf(WrongStateException.class)
                .hasMessageContaining("TAKEN")
                .hasMessageContaining("BURIED");
    }

    private void ttl_runs_on(Scenario scenario) {
        Tube tube = scenario.tube();
        Task task = tube.put("a", with().ttl(ofSeconds(1)));
        Task longer = tube.put("b", with().ttl(ofMinutes(1)));
        tube.bury(task);
        tube.kick();
        tube.bury(longer);
        Eventually.holds(() -> gone(tube, task.id()), "its ttl ran on");
        assertThat(tube.meta(longer.id()).orElseThrow().ttl()).contains(ofMinutes(1));
    }

    private void kicking_resets_the_attempts(Scenario scenario) {
        Tube tube = scenario.tube();
        tube.put("a");
        tube.release(scenario.take());
        Task task = scenario.take();
        assertThat(task.attempts()).isEqualTo(2);
        tube.bury(task);
        tube.kick();
        Task kicked = scenario.take();
        assertThat(kicked.attempts()).isEqualTo(1);
        tube.bury(kicked);
        tube.dig(kicked.id());
        assertThat(scenario.take().attempts()).isEqualTo(1);
        assertThat(tube.meta(task.id()).orElseThrow().takenCount()).isEqualTo(4);
        assertThat(tube.meta(task.id()).orElseThrow().buriedCount()).isEqualTo(2);
    }

    private void delete_is_for_any_session(Scenario scenario) {
        scenario.tube().put("a");
        Task task = scenario.take();
        scenario.another().delete(task.id());
        assertThatThrownBy(() -> scenario.tube().ack(task)).isInstanceOf(TaskNotFoundException.class);
        assertThat(scenario.tube().statistics().total()).isZero();
    }

    private void release_all_frees_all(Scenario scenario) {
        List.of("a", "b").forEach(scenario.tube()::put);
        Task held = scenario.take();
        take(scenario.another());
        assertThat(scenario.tube().releaseAll()).isEqualTo(2);
        assertThatThrownBy(() -> scenario.tube().ack(held)).isInstanceOf(TaskNotTakenException.class);
        assertThat(drain(scenario.tube())).isEqualTo(scenario.handedOut("a", "b"));
    }

    private void truncate_removes_all(Scenario scenario) {
        Tube tube = scenario.tube();
        List.of("a", "b", "c").forEach(tube::put);
        take(scenario.another());
        tube.ack(scenario.take(), TaskResult.completed("done"));
        tube.bury(tube.put("d"));
        assertThat(tube.truncate()).isEqualTo(4);
        assertThat(tube.statistics().total()).isZero();
        assertThat(tube.truncate()).isZero();
        assertThat(tube.take(ZERO)).isEmpty();
    }

    private void ack_all_is_all_or_none(Scenario scenario) {
        Tube tube = scenario.tube();
        List.of("a", "b", "c").forEach(tube::put);
        List<Task> mine = tube.take(2, ZERO);
        Task others = take(scenario.another());
        assertThatThrownBy(() -> tube.ackAll(List.of(mine.get(0), others, mine.get(1))))
                .isInstanceOf(TaskTakenByAnotherException.class);
        assertThat(tube.statistics().taken()).isEqualTo(3);
        tube.ackAll(mine);
        assertThat(tube.statistics().total()).isEqualTo(1);
    }

    private void peek_changes_nothing(Scenario scenario) {
        Tube tube = scenario.tube();
        Task put = tube.put("a");
        assertThat(tube.peek(put.id())).contains(put);
        assertThat(tube.peek(put.id())).contains(put);
        Task taken = scenario.take();
        assertThat(tube.peek(put.id())).contains(taken);
        tube.ack(taken, TaskResult.completed("b"));
        assertThat(tube.peek(put.id()).map(Task::text)).contains("a");
        assertThat(tube.peek(Long.MAX_VALUE)).isEmpty();
    }

    private void peeks_show_the_next(Scenario scenario) {
        Tube tube = scenario.tube();
        assertThat(tube.peekReady()).isEmpty();
        assertThat(tube.peekBuried()).isEmpty();
        List.of("a", "b").forEach(tube::put);
        List.of("c", "d").forEach(text -> tube.bury(tube.put(text)));
        assertThat(tube.peekReady().map(Task::text))
                .contains(scenario.handedOut("a", "b").get(0));
        assertThat(tube.peekBuried().map(Task::text))
                .contains(scenario.handedOut("c", "d").get(0));
        assertThat(drain(tube)).isEqualTo(scenario.handedOut("a", "b"));
        if (scenario.has(PRI)) {
            tube.put("late", with().pri(9));
            tube.put("first", with().pri(8));
            tube.put("last", with().pri(9));
            assertThat(tube.peekReady().map(Task::text)).contains("first");
        }
    }

    private void peek_delayed_shows_the_next(Scenario scenario) {
        scenario.tube().put("later", with().delay(ofMinutes(2)));
        scenario.tube().put("sooner", with().delay(ofMinutes(1)));
        assertThat(scenario.tube().peekDelayed().map(Task::text)).contains("sooner");
    }

    private void tasks_are_listed_by_the_page(Scenario scenario) {
        Tube tube = scenario.tube();
        List<Long> ids = tube.putAll(List.of(1, 2, 3, 4, 5), with()).stream()
                .map(Task::id)
                .toList();
        List<Task> first = tube.tasks(TaskState.READY, 0, 3);
        assertThat(first).extracting(Task::id).isEqualTo(ids.subList(0, 3));
        assertThat(tube.tasks(TaskState.READY, first.get(2).id(), 3))
                .extracting(Task::id)
                .isEqualTo(ids.subList(3, 5));
        assertThat(tube.tasks(TaskState.TAKEN, 0, 10)).isEmpty();
        assertThatThrownBy(() -> tube.tasks(TaskState.READY, 0, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> tube.tasks(TaskState.READY, 0, 1_001)).isInstanceOf(IllegalArgumentException.class);
    }

    private void meta_returns_all(Scenario scenario) {
        Tube tube = scenario.tube();
        Task put = scenario.has(PRI)
                ? tube.put("a", with().pri(4).ttl(ofMinutes(3)).ttr(ofMinutes(1)))
                : tube.put("a");
        TaskMeta ready = tube.meta(put.id()).orElseThrow();
        assertThat(ready.state()).isEqualTo(TaskState.READY);
        assertThat(ready.tube()).isEqualTo(tube.name());
        assertThat(ready.session()).isEmpty();
        assertThat(ready.takenAt()).isEmpty();
        assertThat(ready.takenCount()).isZero();
        assertThat(Duration.between(ready.created(), ready.now())).isBetween(ZERO, ofMinutes(5));
        // The database is in another time zone
        assertThat(Duration.between(ready.created(), Instant.now()).abs()).isLessThan(ofMinutes(5));
        Task task = scenario.take();
        TaskMeta taken = tube.meta(put.id()).orElseThrow();
        assertThat(taken.session()).isPresent();
        assertThat(taken.pri()).isEqualTo(put.pri());
        assertThat(taken.takenCount()).isEqualTo(1);
        assertThat(taken.attempts()).isEqualTo(1);
        assertThat(taken.lastFailure()).isEmpty();
        if (scenario.has(TTL)) {
            assertThat(ready.event()).contains(ready.created().plus(ofMinutes(3)));
            assertThat(taken.ttl()).contains(ofMinutes(3));
            assertThat(taken.ttr()).contains(ofMinutes(1));
        }
        tube.ack(task);
        assertThat(tube.meta(put.id())).isEmpty();
    }

    private void a_failed_task_has_a_fingerprint(Scenario scenario) {
        Tube tube = scenario.tube();
        Task task = tube.put("a");
        scenario.fail(failure("no order 17 of 'Ann'"));
        Fingerprint first = kind(tube, task);
        assertThat(first.type()).isEqualTo(IllegalStateException.class.getName());
        assertThat(first.frame()).isEqualTo(HolderRules.class.getName() + ".failure");
        assertThat(first.message()).isEqualTo("no order # of {text}");
        tube.kick(1);
        assertThat(kind(tube, task)).isEqualTo(first);
        scenario.fail(failure("no order 5 of 'Bob'"));
        assertThat(kind(tube, task)).isEqualTo(first);
        tube.dig(task.id());
        assertThat(kind(tube, task)).isEqualTo(first);
        scenario.fail(failure("no price"));
        assertThat(kind(tube, task)).isNotEqualTo(first);
        assertThat(kind(tube, task).message()).isEqualTo("no price");
    }

    private static IllegalStateException failure(String message) {
        return new IllegalStateException(message);
    }

    private static Fingerprint kind(Tube tube, Task task) {
        return tube.meta(task.id()).orElseThrow().lastFailure().orElseThrow().fingerprint();
    }

    private void bury_by_id(Scenario scenario) {
        Tube tube = scenario.tube();
        Task put = tube.put("a");
        scenario.another().bury(put.id());
        scenario.another().bury(put.id());
        assertThat(state(tube, put.id())).isEqualTo(TaskState.BURIED);
        assertThat(tube.meta(put.id()).orElseThrow().buriedCount()).isEqualTo(1);
        tube.dig(put.id());
        scenario.take();
        assertThatThrownBy(() -> tube.bury(put.id()))
                .isInstanceOf(WrongStateException.class)
                .hasMessageContaining("TAKEN");
        tube.delete(put.id());
        assertThatThrownBy(() -> tube.bury(put.id())).isInstanceOf(TaskNotFoundException.class);
        if (scenario.has(DELAY)) {
            Task delayed = tube.put("b", with().delay(ofMinutes(1)));
            tube.bury(delayed.id());
            assertThat(state(tube, delayed.id())).isEqualTo(TaskState.BURIED);
        }
    }

    private void a_touch_leaves_the_ttr(Scenario scenario) {
        Tube tube = scenario.tube();
        tube.put("a", with().ttr(ofMinutes(10)).ttl(ofMinutes(60)));
        Task task = scenario.take();
        TaskMeta before = tube.meta(task.id()).orElseThrow();
        tube.touch(task, ofMinutes(5));
        TaskMeta touched = tube.meta(task.id()).orElseThrow();
        assertThat(touched.ttr()).isEqualTo(before.ttr()).contains(ofMinutes(10));
        assertThat(touched.ttl()).contains(ofMinutes(65));
        assertThat(touched.event()).contains(before.event().orElseThrow().plus(ofMinutes(5)));
        tube.heartbeat(task);
        TaskMeta anew = tube.meta(task.id()).orElseThrow();
        assertThat(anew.event().orElseThrow()).isBefore(touched.event().orElseThrow());
        assertThat(anew.ttl()).contains(ofMinutes(65));
    }
}
