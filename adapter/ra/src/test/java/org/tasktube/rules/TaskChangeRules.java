package org.tasktube.rules;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.tasktube.OnConflict;
import org.tasktube.Task;
import org.tasktube.TaskChange;
import org.tasktube.TaskChangeListener;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.TaskTubeException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeEvent;
import org.tasktube.testing.Eventually;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.tasktube.rules.Rule.rule;
import static org.tasktube.rules.Scenario.take;
import static org.tasktube.rules.Scenario.with;
import static org.tasktube.spi.TubeOption.DELAY;
import static org.tasktube.spi.TubeOption.TTL;
import static org.tasktube.spi.TubeOption.TTR;

/** The listeners that are notified of the changes of a tube. */
final class TaskChangeRules extends RuleGroup {

    @Override
    String heading() {
        return "Task changes";
    }

    @Override
    List<Rule> rules() {
        return List.of(
                rule("onTaskChange(callback) returns the former callback", this::it_returns_the_former_one),
                rule(
                        "The callback is called once per operation, with the task and the event",
                        this::each_operation_notifies_once),
                rule("The callback is called at the ends of ttl, ttr and delay", this::the_ends_of_times_notify)
                        .needs(TTL, TTR, DELAY),
                rule("The callback is called after the commit", this::it_is_called_after_the_commit)
                        .only(Mode.IN_JTA, "no commit to wait for outside a transaction"),
                rule("The callback is not called after a rollback", this::it_is_not_called_after_a_rollback)
                        .only(Mode.IN_JTA, "no rollback outside a transaction"),
                rule(
                        "An exception of the callback is logged and changes nothing",
                        this::what_it_throws_changes_nothing),
                rule("An Error of the callback is logged and changes nothing", this::an_error_changes_nothing),
                rule(
                        "The callback of an undeployed application is dropped",
                        this::one_that_cannot_load_its_classes_is_dropped),
                rule(
                        "The callback gets the task as the operation left it, not as it is later",
                        this::a_change_has_the_task_as_the_operation_left_it),
                rule(
                        "The callback is called before the same operation wakes a waiter",
                        this::an_operation_notifies_of_all_tasks_before_waiters_are_woken),
                rule("Operations on many tasks notify of each task", this::operations_on_many_notify_of_each),
                rule("REPLACE notifies as a put, with the task as it is then", this::a_replace_notifies),
                rule(
                        "A bean misses no change after its start, not even of a tube that is created later",
                        this::a_bean_is_notified_of_a_tube_that_is_created_later));
    }

    /** Keeps the changes of which it is notified. */
    private record Recorder(List<TaskChange> changes) implements TaskChangeListener {

        Recorder() {
            this(Collections.synchronizedList(new ArrayList<>()));
        }

        @Override
        public void onTaskChange(TaskChange change) {
            changes.add(change);
        }

        List<TubeEvent> events() {
            return List.copyOf(changes).stream().map(TaskChange::event).toList();
        }
    }

    private void it_returns_the_former_one(Scenario scenario) {
        Recorder first = new Recorder();
        Recorder second = new Recorder();
        assertThat(scenario.tube().onTaskChange(first)).isEmpty();
        scenario.tube().put("a");
        assertThat(scenario.another().onTaskChange(second)).containsSame(first);
        scenario.tube().put("b");
        assertThat(scenario.tube().onTaskChange(null)).containsSame(second);
        scenario.tube().put("c");
        assertThat(texts(first)).containsExactly("a");
        assertThat(texts(second)).containsExactly("b");
    }

    private static List<String> texts(Recorder recorder) {
        return recorder.changes().stream()
                .map(change -> change.task().orElseThrow().text())
                .toList();
    }

    private void each_operation_notifies_once(Scenario scenario) {
        Tube tube = scenario.tube();
        Recorder recorder = new Recorder();
        tube.onTaskChange(recorder);
        Task put = tube.put("a");
        Task taken = scenario.take();
        assertThat(recorder.changes().get(1).task().map(Task::token)).contains(taken.token());
        tube.release(taken);
        tube.requeue(scenario.take());
        tube.bury(scenario.take());
        tube.kick();
        tube.bury(put);
        tube.dig(put.id());
        tube.putUnique("key", "b", with(), OnConflict.KEEP);
        tube.putUnique("key", "b", with(), OnConflict.KEEP);
        tube.put("c", with().asUrgent());
        tube.delete(take(tube).id());
        tube.ack(scenario.take());
        tube.ack(scenario.take(), TaskResult.completed("fine"));
        tube.take(ZERO);
        tube.truncate();
        assertThat(recorder.events())
                .containsExactly(
                        TubeEvent.PUT,
                        TubeEvent.TAKE,
                        TubeEvent.RELEASE,
                        TubeEvent.TAKE,
                        TubeEvent.REQUEUE,
                        TubeEvent.TAKE,
                        TubeEvent.BURY,
                        TubeEvent.KICK,
                        TubeEvent.BURY,
                        TubeEvent.DIG,
                        TubeEvent.PUT,
                        TubeEvent.URGENT,
                        TubeEvent.TAKE,
                        TubeEvent.DELETE,
                        TubeEvent.TAKE,
                        TubeEvent.ACK,
                        TubeEvent.TAKE,
                        TubeEvent.DONE,
                        TubeEvent.TAKE_TIMEOUT,
                        TubeEvent.TRUNCATE);
        assertThat(recorder.changes().subList(0, 10)).allSatisfy(change -> {
            assertThat(change.tube()).isEqualTo(tube.name());
            assertThat(change.task().map(Task::id)).contains(put.id());
        });
        assertThat(states(recorder.changes().subList(0, 10)))
                .containsExactly(
                        TaskState.READY,
                        TaskState.TAKEN,
                        TaskState.READY,
                        TaskState.TAKEN,
                        TaskState.READY,
                        TaskState.TAKEN,
                        TaskState.BURIED,
                        TaskState.READY,
                        TaskState.BURIED,
                        TaskState.READY);
        assertThat(recorder.changes().get(18).task()).isEmpty();
        // What was kept with its result, and nothing else was there
        assertThat(recorder.changes().get(19).task().map(Task::state)).contains(TaskState.DONE);
    }

    private static List<TaskState> states(List<TaskChange> changes) {
        return changes.stream()
                .map(change -> change.task().orElseThrow().state())
                .toList();
    }

    private void the_ends_of_times_notify(Scenario scenario) {
        Tube tube = scenario.tube();
        Recorder recorder = new Recorder();
        tube.onTaskChange(recorder);
        Future<Optional<Task>> take = scenario.later(() -> scenario.another().take(Scenario.LONG));
        scenario.awaitTakers(1);
        Task put = tube.put("a", with().delay(ofMillis(20)).ttr(ofMillis(20)));
        assertThat(Scenario.get(take).map(Task::id)).contains(put.id());
        Eventually.holds(
                () -> recorder.events().contains(TubeEvent.TTR), "the listener is notified of the end of its ttr");
        tube.put("b", with().ttl(ofMillis(20)));
        Eventually.holds(() -> recorder.changes().size() == 6, "the listener is notified of the end of its ttl");
        // The sweep, or a poll that wakes the take, may notify before the thread of the commit does
        assertThat(recorder.events())
                .containsExactlyInAnyOrder(
                        TubeEvent.PUT, TubeEvent.DELAY, TubeEvent.TAKE, TubeEvent.TTR, TubeEvent.PUT, TubeEvent.TTL);
        assertThat(texts(recorder)).containsExactly("a", "a", "a", "a", "b", "b");
    }

    private void it_is_called_after_the_commit(Scenario scenario) throws Exception {
        Recorder recorder = new Recorder();
        scenario.tube().onTaskChange(recorder);
        scenario.together(() -> {
            scenario.tube().put("a");
            scenario.tube().ack(take(scenario.tube()));
            assertThat(recorder.changes()).isEmpty();
        });
        assertThat(recorder.events()).containsExactly(TubeEvent.PUT, TubeEvent.TAKE, TubeEvent.ACK);
    }

    private void it_is_not_called_after_a_rollback(Scenario scenario) throws Exception {
        Recorder recorder = new Recorder();
        scenario.tube().put("a");
        scenario.tube().onTaskChange(recorder);
        scenario.undone(() -> {
            scenario.tube().put("b");
            scenario.tube().ack(take(scenario.tube()));
            scenario.tube().truncate();
        });
        assertThat(recorder.changes()).isEmpty();
    }

    private void what_it_throws_changes_nothing(Scenario scenario) {
        scenario.tube().onTaskChange(change -> {
            throw new IllegalStateException("thrown on purpose at " + change.event());
        });
        scenario.tube().put("a");
        Optional<Task> taken = scenario.another().take(ZERO);
        assertThat(taken).isPresent();
        scenario.tube().releaseAll();
        scenario.tube().ack(scenario.take());
        assertThat(scenario.tube().statistics().total()).isZero();
        assertThat(scenario.tube().statistics().endedSinceStart()).isEqualTo(1);
    }

    private void an_error_changes_nothing(Scenario scenario) {
        Tube tube = scenario.tube();
        tube.onTaskChange(change -> {
            throw new AssertionError("thrown on purpose at " + change.event());
        });
        workThrough(scenario);
        assertThat(tube.onTaskChange(null)).as("it stays").isPresent();
    }

    private void one_that_cannot_load_its_classes_is_dropped(Scenario scenario) {
        Tube tube = scenario.tube();
        tube.onTaskChange(change -> {
            throw new NoClassDefFoundError("thrown on purpose at " + change.event());
        });
        workThrough(scenario);
        assertThat(tube.onTaskChange(null)).isEmpty();
    }

    /** What a waiter, a sweep and the end of a connection do with a task, too. */
    private static void workThrough(Scenario scenario) {
        Tube tube = scenario.tube();
        Future<Optional<Task>> waiting = scenario.later(() -> scenario.another().take(Scenario.LONG));
        scenario.awaitTakers(1);
        Task put = tube.put("a");
        assertThat(Scenario.get(waiting).map(Task::id)).contains(put.id());
        tube.releaseAll();
        tube.bury(scenario.take());
        tube.kick();
        if (scenario.has(TTR)) {
            tube.putUnique("key", "b", with().ttr(ofMillis(10)).pri(1), OnConflict.KEEP);
            tube.take(2, ZERO);
            Eventually.holds(() -> tube.statistics().events().get(TubeEvent.TTR) == 1, "its ttr is over");
            assertThat(tube.truncate()).isEqualTo(2);
        } else {
            tube.ack(scenario.take());
        }
        assertThat(scenario.connection().sweep()).isPositive();
        assertThat(tube.statistics().total()).isZero();
    }

    private void a_change_has_the_task_as_the_operation_left_it(Scenario scenario) throws Exception {
        Tube tube = scenario.tube();
        Recorder recorder = new Recorder();
        tube.onTaskChange(recorder);
        Future<Integer> taker = scenario.later(() -> {
            Tube there = scenario.another();
            int taken = 0;
            while (taken < 40) {
                // Not woken by anything: it may be between a commit and the effects of that
                for (Task task : there.take(1, ZERO)) {
                    there.ack(task);
                    taken++;
                }
            }
            return taken;
        });
        for (int i = 0; i < 10; i++) {
            Task kicked = tube.put("a", with());
            kickOrDig(tube, kicked, true);
            Task dug = tube.put("b", with());
            kickOrDig(tube, dug, false);
        }
        tube.putAll(IntStream.range(0, 40).boxed().toList(), with());
        Scenario.get(taker);
        assertThat(List.copyOf(recorder.changes())).allSatisfy(change -> {
            if (change.event() == TubeEvent.KICK || change.event() == TubeEvent.DIG) {
                Task task = change.task().orElseThrow();
                assertThat(task.state()).isEqualTo(TaskState.READY);
                assertThat(task.attempts()).isZero();
                assertThat(task.token()).isZero();
            }
        });
        long kicked = recorder.events().stream()
                .filter(event -> event == TubeEvent.KICK || event == TubeEvent.DIG)
                .count();
        assertThat(kicked).isEqualTo(Scenario.calls(tube, TubeEvent.KICK) + Scenario.calls(tube, TubeEvent.DIG));
    }

    /** If the taker was not quicker. */
    private static void kickOrDig(Tube tube, Task task, boolean kick) {
        try {
            tube.bury(task.id());
            if (kick) {
                tube.kick();
            } else {
                tube.dig(task.id());
            }
        } catch (TaskTubeException e) {
            assertThat(e).hasMessageContaining("task " + task.id());
        }
    }

    /** A taker that has not begun to wait may find the tasks by itself, so that one clean round is enough. */
    private void an_operation_notifies_of_all_tasks_before_waiters_are_woken(Scenario scenario) {
        Recorder recorder = new Recorder();
        Semaphore taken = new Semaphore(0);
        scenario.tube().onTaskChange(change -> {
            if (change.event() == TubeEvent.TAKE) {
                taken.release();
            } else if (recorder.changes().isEmpty()) {
                // A waiter that is awake already gets the time to take
                Scenario.get(scenario.later(() -> taken.tryAcquire(50, TimeUnit.MILLISECONDS)));
            }
            recorder.onTaskChange(change);
        });
        List<TubeEvent> inOrder = List.of(TubeEvent.PUT, TubeEvent.PUT, TubeEvent.TAKE, TubeEvent.TAKE);
        Eventually.holds(
                () -> {
                    List<Future<Optional<Task>>> takes = IntStream.range(0, 2)
                            .mapToObj(
                                    i -> scenario.later(() -> scenario.another().take(Scenario.LONG)))
                            .toList();
                    scenario.awaitTakers(2);
                    scenario.tube().putAll(List.of("a", "b"), with());
                    takes.forEach(Scenario::get);
                    boolean isClean = recorder.events().equals(inOrder);
                    scenario.tube().truncate();
                    recorder.changes().clear();
                    taken.drainPermits();
                    return isClean;
                },
                "a round in which both waited");
    }

    private void operations_on_many_notify_of_each(Scenario scenario) {
        Tube tube = scenario.tube();
        tube.putAll(List.of("a", "b", "c"), with());
        Recorder recorder = new Recorder();
        tube.onTaskChange(recorder);
        assertThat(scenario.another().take(2, ZERO)).hasSize(2);
        assertThat(tube.releaseAll()).isEqualTo(2);
        tube.take(2, ZERO).forEach(tube::bury);
        recorder.changes().clear();
        assertThat(tube.kick(5)).isEqualTo(2);
        assertThat(recorder.events()).containsExactly(TubeEvent.KICK, TubeEvent.KICK);
        recorder.changes().clear();
        Tube closing = scenario.connect().tube(tube.name());
        closing.take(2, ZERO);
        assertThat(tube.releaseAll()).isEqualTo(2);
        assertThat(recorder.events())
                .containsExactly(TubeEvent.TAKE, TubeEvent.TAKE, TubeEvent.RELEASE, TubeEvent.RELEASE);
        assertThat(states(recorder.changes().subList(2, 4))).containsOnly(TaskState.READY);
        recorder.changes().clear();
        scenario.take();
        assertThat(tube.truncate()).isEqualTo(3);
        assertThat(recorder.events())
                .containsExactly(TubeEvent.TAKE, TubeEvent.TRUNCATE, TubeEvent.TRUNCATE, TubeEvent.TRUNCATE);
        assertThat(states(recorder.changes().subList(1, 4)))
                .containsExactlyInAnyOrder(TaskState.READY, TaskState.READY, TaskState.TAKEN);
        assertThat(texts(recorder)).contains("a", "b", "c");
        assertThat(tube.statistics().total()).isZero();
    }

    private void a_replace_notifies(Scenario scenario) {
        Tube tube = scenario.tube();
        Task put = tube.putUnique("key", "old", with(), OnConflict.KEEP);
        Recorder recorder = new Recorder();
        tube.onTaskChange(recorder);
        tube.putUnique("key", "new", with(), OnConflict.REPLACE);
        assertThat(recorder.events()).containsExactly(TubeEvent.PUT);
        assertThat(recorder.changes().get(0).task().map(Task::id)).contains(put.id());
        assertThat(texts(recorder)).containsExactly("new");
    }

    private void a_bean_is_notified_of_a_tube_that_is_created_later(Scenario scenario) throws Exception {
        Recorder recorder = new Recorder();
        TubeDefinition later = scenario.define();
        Runnable unlisten = scenario.listen(later.name(), recorder);
        scenario.together(() -> scenario.connection().createTube(later).put("first"));
        Tube tube = scenario.connection().tube(later.name());
        tube.put("second");
        unlisten.run();
        tube.put("third");
        assertThat(texts(recorder)).containsExactly("first", "second");
    }
}
