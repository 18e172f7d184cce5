package org.tasktube.rules;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.tasktube.FailureGroup;
import org.tasktube.History;
import org.tasktube.OnConflict;
import org.tasktube.Task;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeEvent;
import org.tasktube.admin.OldestReady;
import org.tasktube.admin.ServerStatus;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskFilter;
import org.tasktube.admin.TaskPage;
import org.tasktube.admin.TubeChange;
import org.tasktube.admin.WaitingTask;
import org.tasktube.admin.WaitingTask.Reason;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tasktube.rules.Rule.rule;
import static org.tasktube.rules.Scenario.with;
import static org.tasktube.spi.TubeOption.DELAY;
import static org.tasktube.spi.TubeOption.UTUBE;

/** What the administration answers about tasks, failures and servers. */
final class AdminRules extends RuleGroup {

    private static final ReentrantLock ONE = new ReentrantLock();

    @Override
    String heading() {
        return "Administration";
    }

    @Override
    List<Rule> rules() {
        return List.of(
                rule(
                        "`whyWaiting` of a TAKEN task names its session and server, and of a BURIED one its last failure",
                        this::the_holder_is_named),
                rule("`whyWaiting` of a DELAYED task has the end of the delay", this::the_end_of_the_delay_is_named)
                        .needs(DELAY),
                rule(
                        "`whyWaiting` of a READY task in a PAUSED tube names who paused it, when and why",
                        this::the_pause_is_named),
                rule(
                        "`whyWaiting` of a READY task is NO_CONSUMER if no bean and no take waits for the tube on this"
                                + " server, and no server holds a task of it",
                        this::no_consumer_is_said),
                rule(
                        "`whyWaiting` of a READY task has the number of tasks that a take prefers",
                        this::the_place_is_the_order_of_take),
                rule(
                                "`whyWaiting` of a task behind a TAKEN one of its sub-queue names that task and its server",
                                this::the_task_before_it_is_named)
                        .needs(UTUBE),
                rule(
                                "`whyWaiting` of a task that another transaction has taken and not committed is LOCKED",
                                this::an_open_take_is_a_lock)
                        .not(Store.H2, "H2 does not show locks"),
                rule(
                                "`whyWaiting` of a task behind one that an open transaction has taken says that it is"
                                        + " locked",
                                this::a_locked_head_is_said)
                        .needs(UTUBE)
                        .only(Store.POSTGRESQL, "only PostgreSQL shows the lock of another task"),
                rule(
                                "`whyWaiting` names the session of the database with an ack that is not committed",
                                this::an_open_ack_is_named)
                        .only(Store.POSTGRESQL, "only PostgreSQL shows who has a lock"),
                rule(
                        "`oldestReady` has the task of the earliest put of each tube with a READY task",
                        this::the_oldest_is_the_earliest_put),
                rule("`failures` counts the tasks of a kind by state, exactly", this::failures_are_counted_by_kind),
                rule(
                        "`servers` counts the tasks and sessions of this server, also of temporary tubes",
                        this::this_server_has_its_tasks),
                rule(
                        "The filter `key:` also finds the tasks of a key that are gone, where a history has their end",
                        this::the_gone_of_a_key_are_found),
                rule(
                                "In a transaction `whyWaiting`, `oldestReady` and `failures` see its own changes, and"
                                        + " others do not",
                                this::a_transaction_sees_its_own)
                        .only(Mode.IN_JTA, "outside a transaction each call commits"));
    }

    /** Asks alone: rules run at the same time on one server, which answers three questions at once. */
    static <T> T alone(Supplier<T> question) {
        ONE.lock();
        try {
            return question.get();
        } finally {
            ONE.unlock();
        }
    }

    private static <T> T ask(Scenario scenario, Function<TaskAdmin, T> question) throws Exception {
        List<T> answer = new ArrayList<>();
        scenario.together(() ->
                answer.add(alone(() -> question.apply(scenario.connection().unwrap(TaskAdmin.class)))));
        return answer.get(0);
    }

    private static WaitingTask why(Scenario scenario, Task task) throws Exception {
        return ask(scenario, admin -> admin.whyWaiting(task.tube(), task.id()));
    }

    private void the_gone_of_a_key_are_found(Scenario scenario) throws Exception {
        Tube tube = scenario.tube();
        String key = "order-" + tube.name();
        tube.putUnique(key, "before", with(), OnConflict.FAIL);
        tube.ack(scenario.take());
        scenario.admin().changeTube(tube.name(), TubeChange.NONE.history(History.ALL));
        Task acked = tube.putUnique(key, "a", with(), OnConflict.FAIL);
        tube.ack(scenario.take());
        Task done = tube.putUnique(key, "b", with(), OnConflict.FAIL);
        tube.ack(scenario.take(), TaskResult.completed("fine"));
        tube.delete(done.id());
        Task there = tube.putUnique(key, "c", with(), OnConflict.FAIL);
        TaskPage page = found(scenario, "key:" + key + " tube:" + tube.name());
        assertThat(page.tasks()).extracting(task -> task.meta().id()).containsExactly(there.id());
        assertThat(page.gone()).extracting(TaskPage.Gone::id).containsExactly(done.id(), acked.id());
        assertThat(page.gone()).extracting(TaskPage.Gone::event).containsExactly(TubeEvent.DELETE, TubeEvent.ACK);
        assertThat(page.gone()).extracting(TaskPage.Gone::tube).containsOnly(tube.name());
        for (String other : List.of("key:" + key + "*", "key:" + key + " state:ready", "-key:" + key)) {
            assertThat(found(scenario, other).gone()).isEmpty();
        }
    }

    private static TaskPage found(Scenario scenario, String filter) {
        return alone(() -> scenario.admin().search(TaskFilter.parse(filter), Optional.empty(), 50));
    }

    private static Optional<Long> oldest(Scenario scenario, TaskAdmin admin) {
        return alone(admin::oldestReady).stream()
                .filter(task -> task.tube().equals(scenario.tube().name()))
                .map(OldestReady::task)
                .findFirst();
    }

    private static Optional<Long> askOldest(Scenario scenario) throws Exception {
        return ask(scenario, admin -> oldest(scenario, admin));
    }

    private static Optional<FailureGroup> failures(Scenario scenario, TaskAdmin admin) {
        return alone(() -> admin.failures(TaskAdmin.MAX_PAGE)).stream()
                .filter(group -> group.tubes().contains(scenario.tube().name()))
                .findFirst();
    }

    private void the_holder_is_named(Scenario scenario) throws Exception {
        scenario.tube().put("a");
        Task task = scenario.take();
        WaitingTask taken = why(scenario, task);
        assertThat(taken.reason()).isEqualTo(Reason.TAKEN);
        assertThat(taken.holder().orElseThrow().session())
                .isEqualTo(
                        scenario.tube().meta(task.id()).orElseThrow().session().orElseThrow());
        assertThat(taken.sentence()).contains("'" + taken.holder().orElseThrow().server() + "'");
        scenario.tube().release(task);
        scenario.fail(new IllegalStateException("no answer"));
        WaitingTask buried = why(scenario, task);
        assertThat(buried.reason()).isEqualTo(Reason.BURIED);
        assertThat(buried.failure().orElseThrow().type()).isEqualTo("java.lang.IllegalStateException");
        assertThat(buried.sentence()).contains("java.lang.IllegalStateException: no answer");
    }

    private void the_end_of_the_delay_is_named(Scenario scenario) throws Exception {
        Task task = scenario.tube().put("a", with().delay(Duration.ofHours(1)));
        WaitingTask why = why(scenario, task);
        assertThat(why.reason()).isEqualTo(Reason.DELAYED);
        assertThat(why.state()).contains(TaskState.DELAYED);
        assertThat(why.until())
                .isEqualTo(scenario.tube().meta(task.id()).orElseThrow().event());
    }

    private void the_pause_is_named(Scenario scenario) throws Exception {
        Task task = scenario.tube().put("a");
        scenario.tube().pause("inventory", "ann");
        WaitingTask why = why(scenario, task);
        assertThat(why.reason()).isEqualTo(Reason.TUBE_PAUSED);
        assertThat(why.pause().orElseThrow().by()).isEqualTo("ann");
        assertThat(why.pause().orElseThrow().reason()).isEqualTo("inventory");
        assertThat(why.pause().orElseThrow().since())
                .isEqualTo(scenario.tube().statistics().modeSince());
        scenario.tube().resume();
        assertThat(why(scenario, task).reason()).isNotEqualTo(Reason.TUBE_PAUSED);
    }

    private void no_consumer_is_said(Scenario scenario) throws Exception {
        Tube tube = scenario.tube();
        tube.put("a");
        Task first = scenario.take();
        Task second = tube.put("b");
        assertThat(why(scenario, second).reason()).isEqualTo(Reason.NEXT);
        tube.ack(first);
        assertThat(why(scenario, second).reason()).isEqualTo(Reason.NO_CONSUMER);
    }

    private void the_place_is_the_order_of_take(Scenario scenario) throws Exception {
        Tube tube = scenario.tube();
        tube.put("held");
        scenario.take();
        tube.put("a");
        tube.put("b");
        tube.put("c");
        List<String> order = scenario.handedOut("a", "b", "c");
        List<Task> tasks = tube.tasks(TaskState.READY, 0, 9);
        Task next = named(tasks, order.get(0));
        assertThat(why(scenario, next).reason()).isEqualTo(Reason.NEXT);
        WaitingTask last = why(scenario, named(tasks, order.get(2)));
        assertThat(last.reason()).isEqualTo(Reason.BEHIND);
        assertThat(last.before()).contains(new WaitingTask.Position(2, false, OptionalLong.of(next.id())));
    }

    private static Task named(List<Task> tasks, String text) {
        return tasks.stream()
                .filter(task -> task.text().equals(text))
                .findFirst()
                .orElseThrow();
    }

    private void the_task_before_it_is_named(Scenario scenario) throws Exception {
        Tube tube = scenario.tube();
        tube.put("a", with().utube("shop"));
        Task waiting = tube.put("b", with().utube("shop"));
        Task first = scenario.take();
        WaitingTask why = why(scenario, waiting);
        assertThat(why.reason()).isEqualTo(Reason.BEHIND_IN_SUB_QUEUE);
        assertThat(why.utube()).contains("shop");
        assertThat(why.holder().orElseThrow().task()).isEqualTo(first.id());
        assertThat(why.before()).contains(new WaitingTask.Position(1, false, OptionalLong.of(first.id())));
        tube.ack(first);
        assertThat(why(scenario, waiting).reason()).isNotEqualTo(Reason.BEHIND_IN_SUB_QUEUE);
    }

    private void an_open_take_is_a_lock(Scenario scenario) throws Exception {
        Task task = scenario.tube().put("a");
        scenario.undone(() -> {
            assertThat(scenario.tube().take(Duration.ZERO)).isPresent();
            WaitingTask why = scenario.apart(() -> why(scenario, task));
            assertThat(why.reason()).isEqualTo(Reason.LOCKED);
            assertThat(why.state()).contains(TaskState.READY);
        });
        assertThat(why(scenario, task).reason()).isEqualTo(Reason.NO_CONSUMER);
    }

    private void a_locked_head_is_said(Scenario scenario) throws Exception {
        Tube tube = scenario.tube();
        Task first = tube.put("a", with().utube("shop"));
        Task waiting = tube.put("b", with().utube("shop"));
        tube.release(scenario.take());
        assertThat(tube.peekReady()).map(Task::id).contains(first.id());
        scenario.undone(() -> {
            assertThat(scenario.tube().take(Duration.ZERO)).isPresent();
            WaitingTask why = scenario.apart(() -> why(scenario, waiting));
            assertThat(why.reason()).isEqualTo(Reason.BEHIND_IN_SUB_QUEUE);
            assertThat(why.sentence()).contains("task " + first.id(), "which an open transaction has locked");
        });
    }

    private void an_open_ack_is_named(Scenario scenario) throws Exception {
        Task task = scenario.tube().put("a");
        Task taken = scenario.take();
        scenario.undone(() -> {
            scenario.tube().ack(taken);
            WaitingTask why = scenario.apart(() -> why(scenario, task));
            assertThat(why.reason()).isEqualTo(Reason.TAKEN);
            assertThat(why.sentence())
                    .containsPattern("An open transaction has locked it[.] It is that of process [0-9]+ of the"
                            + " database, of the client 127.0.0.1, open since .* and idle now[.]");
        });
        assertThat(why(scenario, task).sentence()).doesNotContain("locked");
    }

    private void the_oldest_is_the_earliest_put(Scenario scenario) throws Exception {
        assertThat(askOldest(scenario)).isEmpty();
        Task first = scenario.tube().put("a");
        scenario.tube().put("b");
        assertThat(askOldest(scenario)).contains(first.id());
        scenario.tube().take(2, Duration.ZERO);
        assertThat(askOldest(scenario)).isEmpty();
    }

    private void failures_are_counted_by_kind(Scenario scenario) throws Exception {
        scenario.tube().put("a");
        scenario.tube().put("b");
        scenario.fail(new IllegalStateException("order 1"));
        scenario.fail(new IllegalStateException("order 2"));
        FailureGroup before = ask(scenario, admin -> failures(scenario, admin)).orElseThrow();
        assertThat(before.fingerprint().message()).isEqualTo("order #");
        scenario.tube().kick(1);
        FailureGroup after = ask(scenario, admin -> failures(scenario, admin)).orElseThrow();
        assertThat(after.tasks().get(TaskState.READY)).isPositive();
        assertThat(after.tasks().get(TaskState.BURIED)).isPositive();
    }

    private void this_server_has_its_tasks(Scenario scenario) throws Exception {
        scenario.tube().put("a");
        scenario.take();
        // Other rules hold tasks at the same time; AdministrationTest counts exactly
        ServerStatus holding = here(scenario);
        assertThat(holding.taken()).isPositive();
        assertThat(holding.sessions()).isPositive();
        assertThat(holding.state()).isEqualTo(ServerStatus.State.RUNNING);
    }

    private static ServerStatus here(Scenario scenario) throws Exception {
        return ask(scenario, TaskAdmin::servers).stream()
                .filter(ServerStatus::isThis)
                .findFirst()
                .orElseThrow();
    }

    private void a_transaction_sees_its_own(Scenario scenario) throws Exception {
        TaskAdmin admin = scenario.connection().unwrap(TaskAdmin.class);
        scenario.undone(() -> {
            Task task = scenario.tube().put("a");
            assertThat(alone(() -> admin.whyWaiting(task.tube(), task.id())).reason())
                    .isEqualTo(Reason.NO_CONSUMER);
            assertThat(oldest(scenario, admin)).contains(task.id());
            assertThat(scenario.apart(() -> oldest(scenario, admin))).isEmpty();
            scenario.fail(new IllegalStateException("order 3"));
            assertThat(failures(scenario, admin)).isPresent();
            assertThat(scenario.apart(() -> failures(scenario, admin))).isEmpty();
        });
    }
}
