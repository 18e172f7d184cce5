package org.tasktube.rules;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
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
import static org.tasktube.rules.Trial.drain;
import static org.tasktube.rules.Trial.gone;
import static org.tasktube.rules.Trial.state;
import static org.tasktube.rules.Trial.take;
import static org.tasktube.rules.Trial.with;
import static org.tasktube.spi.TubeOption.DELAY;
import static org.tasktube.spi.TubeOption.PRI;
import static org.tasktube.spi.TubeOption.TTL;
import static org.tasktube.spi.TubeOption.TTR;

/** What the holder of a task may do with it, and what anybody may. */
final class HolderRules implements Chapter {

    @Override
    public String heading() {
        return "What holds a task";
    }

    @Override
    public List<Rule> rules() {
        return List.of(
                rule(
                        "A task belongs to the session that took it, with the time it was taken and the deadline (now +"
                                + " ttr)",
                        this::a_task_belongs_to_who_took_it),
                rule("By anybody else: the task was not found", this::a_task_that_is_gone_is_not_found),
                rule("By anybody else: it is not taken by anybody", this::a_task_that_nobody_holds_is_not_taken),
                rule(
                        "By anybody else: it is taken by SESSION, not you (SESSION)",
                        this::a_task_of_anothers_is_taken_by_that),
                rule(
                                "A holder whose ttr ran out and whose task was taken again counts as anybody else",
                                this::a_holder_after_its_ttr_is_anybody_else)
                        .needs(TTR),
                rule(
                        "Also when it is the same session: each taking has its own token",
                        this::each_taking_has_its_own_token),
                rule("release keeps its place (pri, put order) and is next", this::release_keeps_its_place),
                rule("release(delay) adds the delay to the ttl as put does", this::release_adds_the_delay_to_the_ttl)
                        .needs(DELAY, TTL),
                rule(
                                "release(delay, ttl) sets what is left of its life anew",
                                this::release_sets_what_is_left_of_its_life)
                        .needs(DELAY, TTL),
                rule("requeue goes to the end of its pri", this::requeue_goes_to_the_end),
                rule("requeue goes to the end of its pri, not of others", this::requeue_stays_in_its_pri)
                        .needs(PRI),
                rule("touch(increment) adds to the deadline and the ttl", this::touch_adds_to_deadline_and_ttl)
                        .needs(TTR, TTL),
                rule("touch: 0 does nothing; negative is an error", this::touch_of_nothing_does_nothing)
                        .needs(TTR),
                rule("heartbeat() sets the deadline to now + ttr", this::heartbeat_starts_the_ttr_anew)
                        .needs(TTR),
                rule(
                        "bury by the holder, or of a READY task by anybody; again: no change",
                        this::bury_is_the_holders_or_anybodys),
                rule("bury of a DELAYED task by anybody", this::a_delayed_task_can_be_buried)
                        .needs(DELAY),
                rule(
                        "kick(n) digs up to n in order, returns how many, 0 for n ≤ 0; kick() is 1",
                        this::kick_digs_in_order),
                rule("kick digs by pri first", this::kick_digs_by_pri).needs(PRI),
                rule("dig(id) one, an error if it is not buried", this::dig_digs_one),
                rule("ttl runs on from put through bury and kick", this::ttl_runs_on)
                        .needs(TTL),
                rule("Kicking resets the count of attempts", this::kicking_resets_the_attempts),
                rule("delete(id): any state, anybody. The old holder's ack then fails", this::delete_is_anybodys),
                rule("releaseAll: every taken task, whoever holds it; returns how many", this::release_all_frees_all),
                rule("truncate: every task in any state; returns how many", this::truncate_removes_all),
                rule("ackAll: all or none", this::ack_all_is_all_or_none),
                rule("peek(id): any state, changes nothing", this::peek_changes_nothing),
                rule("peekReady, peekBuried: the next of each", this::peeks_show_the_next),
                rule("peekDelayed: the next of the delayed", this::peek_delayed_shows_the_next)
                        .needs(DELAY),
                rule("tasksByState: a page at a time", this::tasks_are_listed_by_the_page),
                rule("meta(id): seed 004's fields", this::meta_tells_all));
    }

    private void a_task_belongs_to_who_took_it(Trial trial) {
        Task put = trial.has(TTR)
                ? trial.tube().put("a", with().ttr(ofMinutes(1)))
                : trial.tube().put("a");
        trial.take();
        TaskMeta meta = trial.tube().meta(put.id()).orElseThrow();
        assertThat(meta.session()).contains(trial.connection().identify());
        assertThat(Duration.between(meta.takenAt().orElseThrow(), meta.now())).isBetween(ZERO, ofSeconds(20));
        if (trial.has(TTR)) {
            Duration toDeadline =
                    Duration.between(meta.takenAt().orElseThrow(), meta.event().orElseThrow());
            // To the millisecond: H2 looks at the clock for each
            assertThat(toDeadline).isCloseTo(ofMinutes(1), ofMillis(1));
        } else {
            assertThat(meta.event()).isEmpty();
        }
    }

    /** What only the holder may do. */
    private static List<BiConsumer<Tube, Task>> moves(Trial trial) {
        List<BiConsumer<Tube, Task>> moves = new ArrayList<>(List.of(
                Tube::ack,
                Tube::release,
                Tube::requeue,
                (tube, task) -> tube.ack(task, TaskResult.completed("a")),
                (tube, task) -> tube.ackAll(List.of(task))));
        if (trial.has(TTR)) {
            moves.add((tube, task) -> tube.touch(task, ofSeconds(1)));
            moves.add(Tube::heartbeat);
        }
        return moves;
    }

    private void a_task_that_is_gone_is_not_found(Trial trial) {
        trial.tube().put("a");
        Task gone = trial.take();
        trial.tube().ack(gone);
        moves(trial).forEach(move -> assertThatThrownBy(() -> move.accept(trial.tube(), gone))
                .isInstanceOf(TaskNotFoundException.class)
                .hasMessageContaining(String.valueOf(gone.id()))
                .hasMessageContaining(trial.tube().name()));
        assertThatThrownBy(() -> trial.tube().bury(gone)).isInstanceOf(TaskNotFoundException.class);
        assertThatThrownBy(() -> trial.tube().dig(gone.id())).isInstanceOf(TaskNotFoundException.class);
        assertThatThrownBy(() -> trial.tube().delete(gone.id())).isInstanceOf(TaskNotFoundException.class);
    }

    private void a_task_that_nobody_holds_is_not_taken(Trial trial) {
        trial.tube().put("a");
        Task released = trial.take();
        trial.tube().release(released);
        moves(trial).forEach(move -> assertThatThrownBy(() -> move.accept(trial.tube(), released))
                .isInstanceOf(TaskNotTakenException.class)
                .hasMessageContaining(String.valueOf(released.id()))
                .hasMessageContaining("READY"));
        assertThat(state(trial.tube(), released.id())).isEqualTo(TaskState.READY);
    }

    private void a_task_of_anothers_is_taken_by_that(Trial trial) {
        trial.tube().put("a");
        Task task = trial.take();
        var thief = trial.connect();
        Tube other = thief.tube(trial.tube().name());
        List<BiConsumer<Tube, Task>> moves = moves(trial);
        moves.add(Tube::bury);
        moves.forEach(move -> assertThatThrownBy(() -> move.accept(other, task))
                .isInstanceOf(TaskTakenByAnotherException.class)
                .hasMessageContaining("is taken by " + trial.connection().identify())
                .hasMessageContaining("not you (" + thief.identify() + ")"));
        trial.tube().ack(task);
    }

    private void a_holder_after_its_ttr_is_anybody_else(Trial trial) {
        trial.tube().put("a", with().ttr(ofMillis(40)));
        Task late = trial.take();
        Task again = trial.another().take(ofSeconds(20)).orElseThrow();
        assertThat(again.id()).isEqualTo(late.id());
        assertThat(again.token()).isNotEqualTo(late.token());
        assertThatThrownBy(() -> trial.tube().ack(late))
                .isInstanceOfAny(TaskTakenByAnotherException.class, TaskNotTakenException.class);
        assertThat(gone(trial.tube(), late.id())).isFalse();
    }

    private void each_taking_has_its_own_token(Trial trial) {
        trial.tube().put("a");
        Task first = trial.take();
        trial.tube().releaseAll();
        Task second = trial.take();
        assertThat(second.id()).isEqualTo(first.id());
        assertThat(second.token()).isNotEqualTo(first.token());
        List<BiConsumer<Tube, Task>> moves = moves(trial);
        moves.add(Tube::bury);
        moves.forEach(move -> assertThatThrownBy(() -> move.accept(trial.tube(), first))
                .isInstanceOf(TaskTakenByAnotherException.class)
                .hasMessageContaining("in a later take"));
        trial.tube().ack(second);
    }

    private void release_keeps_its_place(Trial trial) {
        List.of("a", "b", "c").forEach(trial.tube()::put);
        List<Task> two = trial.tube().take(2, ZERO);
        trial.tube().release(two.get(1));
        trial.tube().release(two.get(0));
        assertThat(drain(trial.tube())).isEqualTo(trial.handedOut("a", "b", "c"));
    }

    private void release_adds_the_delay_to_the_ttl(Trial trial) {
        trial.tube().put("a", with().ttl(ofMinutes(10)));
        Task task = trial.take();
        trial.tube().release(task, ReleaseOptions.defaults().delay(ofMinutes(5)));
        TaskMeta meta = trial.tube().meta(task.id()).orElseThrow();
        assertThat(meta.state()).isEqualTo(TaskState.DELAYED);
        assertThat(meta.ttl()).contains(ofMinutes(15));
    }

    private void release_sets_what_is_left_of_its_life(Trial trial) {
        trial.tube().put("a", with().ttl(ofMinutes(10)));
        Task task = trial.take();
        trial.tube().release(task, ReleaseOptions.defaults().delay(ofMinutes(5)).ttl(ofMinutes(1)));
        assertThat(trial.tube().meta(task.id()).orElseThrow().ttl().orElseThrow())
                .isBetween(ofMinutes(6), ofSeconds(390));
        Task brief = trial.tube().put("b");
        trial.tube().release(trial.take(), ReleaseOptions.defaults().ttl(ofMillis(30)));
        Eventually.holds(() -> gone(trial.tube(), brief.id()), "what was left of its life is over");
    }

    private void requeue_goes_to_the_end(Trial trial) {
        List.of("a", "b").forEach(trial.tube()::put);
        Task first = trial.take();
        trial.tube().requeue(first);
        List<String> order = drain(trial.tube());
        assertThat(order).hasSize(2).last().isEqualTo(first.text());
    }

    private void requeue_stays_in_its_pri(Trial trial) {
        trial.tube().put("a", with().pri(1));
        trial.tube().put("b", with().pri(1));
        trial.tube().put("z", with().pri(2));
        Task first = trial.take();
        trial.tube().requeue(first);
        List<String> order = drain(trial.tube());
        assertThat(order).hasSize(3).last().isEqualTo("z");
        assertThat(order.get(1)).isEqualTo(first.text());
    }

    private void touch_adds_to_deadline_and_ttl(Trial trial) {
        trial.tube().put("a", with().ttl(ofMinutes(10)).ttr(ofMinutes(1)));
        Task task = trial.take();
        TaskMeta before = trial.tube().meta(task.id()).orElseThrow();
        trial.tube().touch(task, ofMinutes(2));
        TaskMeta after = trial.tube().meta(task.id()).orElseThrow();
        assertThat(after.event()).contains(before.event().orElseThrow().plus(ofMinutes(2)));
        assertThat(after.ttl()).contains(ofMinutes(12));
    }

    private void touch_of_nothing_does_nothing(Trial trial) {
        trial.tube().put("a", with().ttr(ofMinutes(1)));
        Task task = trial.take();
        Optional<?> before = trial.tube().meta(task.id()).orElseThrow().event();
        trial.tube().touch(task, ZERO);
        assertThat(trial.tube().meta(task.id()).orElseThrow().event()).isEqualTo(before);
        assertThatThrownBy(() -> trial.tube().touch(task, ofMillis(-1))).isInstanceOf(IllegalArgumentException.class);
    }

    private void heartbeat_starts_the_ttr_anew(Trial trial) {
        trial.tube().put("a", with().ttr(ofMinutes(1)));
        Task task = trial.take();
        trial.tube().touch(task, ofMinutes(30));
        trial.tube().heartbeat(task);
        TaskMeta meta = trial.tube().meta(task.id()).orElseThrow();
        assertThat(Duration.between(meta.now(), meta.event().orElseThrow())).isBetween(ofSeconds(40), ofMinutes(1));
    }

    private void bury_is_the_holders_or_anybodys(Trial trial) {
        Tube tube = trial.tube();
        Task put = tube.put("a");
        Tube other = trial.another();
        other.bury(put);
        other.bury(put);
        tube.dig(put.id());
        tube.bury(trial.take());
        assertThat(state(tube, put.id())).isEqualTo(TaskState.BURIED);
        assertThat(tube.meta(put.id()).orElseThrow().buried()).isEqualTo(2);
        assertThat(tube.take(ZERO)).isEmpty();
    }

    private void a_delayed_task_can_be_buried(Trial trial) {
        Task put = trial.tube().put("a", with().delay(ofMinutes(1)));
        trial.another().bury(put);
        assertThat(state(trial.tube(), put.id())).isEqualTo(TaskState.BURIED);
        trial.tube().kick();
        assertThat(trial.take().id()).isEqualTo(put.id());
    }

    private void kick_digs_in_order(Trial trial) {
        Tube tube = trial.tube();
        List.of("a", "b", "c").forEach(text -> tube.bury(tube.put(text)));
        assertThat(tube.kick(0)).isZero();
        assertThat(tube.kick(-1)).isZero();
        List<String> order = new ArrayList<>();
        assertThat(tube.kick()).isEqualTo(1);
        order.add(trial.take().text());
        assertThat(tube.kick(10)).isEqualTo(2);
        order.addAll(drain(tube));
        assertThat(order).isEqualTo(trial.handedOut("a", "b", "c"));
        assertThat(tube.kick()).isZero();
    }

    private void kick_digs_by_pri(Trial trial) {
        trial.tube().bury(trial.tube().put("late", with().pri(2)));
        trial.tube().bury(trial.tube().put("first", with().pri(1)));
        trial.tube().kick();
        assertThat(drain(trial.tube())).containsExactly("first");
    }

    private void dig_digs_one(Trial trial) {
        Tube tube = trial.tube();
        List<Task> put = List.of(tube.put("a"), tube.put("b"));
        put.forEach(tube::bury);
        tube.dig(put.get(1).id());
        assertThat(drain(tube)).containsExactly("b");
        assertThatThrownBy(() -> tube.dig(put.get(1).id()))
                .isInstanceOf(WrongStateException.class)
                .hasMessageContaining("TAKEN")
                .hasMessageContaining("BURIED");
    }

    private void ttl_runs_on(Trial trial) {
        Tube tube = trial.tube();
        Task task = tube.put("a", with().ttl(ofMillis(150)));
        Task longer = tube.put("b", with().ttl(ofMinutes(1)));
        tube.bury(task);
        tube.kick();
        tube.bury(longer);
        Eventually.holds(() -> gone(tube, task.id()), "its ttl ran on");
        assertThat(tube.meta(longer.id()).orElseThrow().ttl()).contains(ofMinutes(1));
    }

    private void kicking_resets_the_attempts(Trial trial) {
        Tube tube = trial.tube();
        tube.put("a");
        tube.release(trial.take());
        Task task = trial.take();
        assertThat(task.attempts()).isEqualTo(2);
        tube.bury(task);
        tube.kick();
        Task kicked = trial.take();
        assertThat(kicked.attempts()).isEqualTo(1);
        tube.bury(kicked);
        tube.dig(kicked.id());
        assertThat(trial.take().attempts()).isEqualTo(1);
        assertThat(tube.meta(task.id()).orElseThrow().taken()).isEqualTo(4);
    }

    private void delete_is_anybodys(Trial trial) {
        trial.tube().put("a");
        Task task = trial.take();
        trial.another().delete(task.id());
        assertThatThrownBy(() -> trial.tube().ack(task)).isInstanceOf(TaskNotFoundException.class);
        assertThat(trial.tube().statistics().total()).isZero();
    }

    private void release_all_frees_all(Trial trial) {
        List.of("a", "b").forEach(trial.tube()::put);
        Task held = trial.take();
        take(trial.another());
        assertThat(trial.tube().releaseAll()).isEqualTo(2);
        assertThatThrownBy(() -> trial.tube().ack(held)).isInstanceOf(TaskNotTakenException.class);
        assertThat(drain(trial.tube())).isEqualTo(trial.handedOut("a", "b"));
    }

    private void truncate_removes_all(Trial trial) {
        Tube tube = trial.tube();
        List.of("a", "b", "c").forEach(tube::put);
        take(trial.another());
        tube.ack(trial.take(), TaskResult.completed("done"));
        tube.bury(tube.put("d"));
        assertThat(tube.truncate()).isEqualTo(4);
        assertThat(tube.statistics().total()).isZero();
        assertThat(tube.truncate()).isZero();
        assertThat(tube.take(ZERO)).isEmpty();
    }

    private void ack_all_is_all_or_none(Trial trial) {
        Tube tube = trial.tube();
        List.of("a", "b", "c").forEach(tube::put);
        List<Task> mine = tube.take(2, ZERO);
        Task others = take(trial.another());
        assertThatThrownBy(() -> tube.ackAll(List.of(mine.get(0), others, mine.get(1))))
                .isInstanceOf(TaskTakenByAnotherException.class);
        assertThat(tube.statistics().taken()).isEqualTo(3);
        tube.ackAll(mine);
        assertThat(tube.statistics().total()).isEqualTo(1);
    }

    private void peek_changes_nothing(Trial trial) {
        Tube tube = trial.tube();
        Task put = tube.put("a");
        assertThat(tube.peek(put.id())).contains(put);
        assertThat(tube.peek(put.id())).contains(put);
        Task taken = trial.take();
        assertThat(tube.peek(put.id())).contains(taken);
        tube.ack(taken, TaskResult.completed("b"));
        assertThat(tube.peek(put.id()).map(Task::text)).contains("a");
        assertThat(tube.peek(Long.MAX_VALUE)).isEmpty();
    }

    private void peeks_show_the_next(Trial trial) {
        Tube tube = trial.tube();
        assertThat(tube.peekReady()).isEmpty();
        assertThat(tube.peekBuried()).isEmpty();
        List.of("a", "b").forEach(tube::put);
        List.of("c", "d").forEach(text -> tube.bury(tube.put(text)));
        assertThat(tube.peekReady().map(Task::text))
                .contains(trial.handedOut("a", "b").get(0));
        assertThat(tube.peekBuried().map(Task::text))
                .contains(trial.handedOut("c", "d").get(0));
        assertThat(drain(tube)).isEqualTo(trial.handedOut("a", "b"));
    }

    private void peek_delayed_shows_the_next(Trial trial) {
        trial.tube().put("later", with().delay(ofMinutes(2)));
        trial.tube().put("sooner", with().delay(ofMinutes(1)));
        assertThat(trial.tube().peekDelayed().map(Task::text)).contains("sooner");
    }

    private void tasks_are_listed_by_the_page(Trial trial) {
        Tube tube = trial.tube();
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

    private void meta_tells_all(Trial trial) {
        Tube tube = trial.tube();
        Task put =
                trial.has(PRI) ? tube.put("a", with().pri(4).ttl(ofMinutes(3)).ttr(ofMinutes(1))) : tube.put("a");
        TaskMeta ready = tube.meta(put.id()).orElseThrow();
        assertThat(ready.state()).isEqualTo(TaskState.READY);
        assertThat(ready.tube()).isEqualTo(tube.name());
        assertThat(ready.session()).isEmpty();
        assertThat(ready.takenAt()).isEmpty();
        assertThat(ready.taken()).isZero();
        assertThat(Duration.between(ready.created(), ready.now())).isBetween(ZERO, ofSeconds(20));
        Task task = trial.take();
        TaskMeta taken = tube.meta(put.id()).orElseThrow();
        assertThat(taken.session()).isPresent();
        assertThat(taken.pri()).isEqualTo(put.pri());
        assertThat(taken.taken()).isEqualTo(1);
        assertThat(taken.attempts()).isEqualTo(1);
        assertThat(taken.lastFailure()).isEmpty();
        if (trial.has(TTL)) {
            assertThat(ready.event()).contains(ready.created().plus(ofMinutes(3)));
            assertThat(taken.ttl()).contains(ofMinutes(3));
            assertThat(taken.ttr()).contains(ofMinutes(1));
        }
        tube.ack(task);
        assertThat(tube.meta(put.id())).isEmpty();
    }
}
