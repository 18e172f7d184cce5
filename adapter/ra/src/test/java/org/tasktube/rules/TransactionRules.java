package org.tasktube.rules;

import jakarta.transaction.RollbackException;
import jakarta.transaction.Synchronization;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.tasktube.OnConflict;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.TaskMeta;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.TransactionNotActiveException;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeStatistics;
import org.tasktube.rules.InTransactions.Fate;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.tasktube.rules.Rule.rule;
import static org.tasktube.rules.Scenario.LONG;
import static org.tasktube.rules.Scenario.get;
import static org.tasktube.rules.Scenario.take;
import static org.tasktube.rules.Scenario.with;
import static org.tasktube.spi.TubeOption.DELAY;
import static org.tasktube.spi.TubeOption.TTR;

/** What a transaction makes of all this. */
final class TransactionRules extends RuleGroup {

    private static final String SECOND = "the run takes one second; one type stands for all";
    private static final String NONE = "the rule is about a transaction";

    @Override
    String heading() {
        return "Transactions";
    }

    @Override
    List<Rule> rules() {
        List<Rule> rules = new ArrayList<>(List.of(
                rule("Outside a transaction each call is a transaction of its own", this::outside_each_call_is_its_own)
                        .only(Mode.OUTSIDE, "the rule is about calls outside a transaction")));
        List.of(
                        rule("Other sessions do not see a put before the commit", this::a_put_is_not_visible),
                        rule(
                                "Other sessions do not see a take before the commit, and cannot take the task",
                                this::a_take_is_not_visible),
                        rule("Other sessions do not see an ack before the commit", this::an_ack_is_not_visible),
                        rule("A transaction sees its own changes", this::a_transaction_sees_its_own_changes),
                        rule("A put wakes no waiter before the commit", this::a_put_wakes_no_waiter_before_the_commit),
                        rule(
                                "A release or a kick wakes no waiter before the commit",
                                this::a_release_wakes_no_waiter_before_the_commit),
                        rule("A rollback undoes put, putAll, putUnique and urgent puts", this::a_rollback_undoes_a_put),
                        rule("A rollback undoes putUnique of an existing key", this::a_rollback_undoes_a_replace),
                        rule("A rollback undoes take: the same task is next", this::a_rollback_undoes_a_take),
                        rule("A rollback undoes ack, without and with a result", this::a_rollback_undoes_an_ack),
                        rule("A rollback undoes release and requeue", this::a_rollback_undoes_a_release),
                        rule("A rollback undoes release with a delay", this::a_rollback_undoes_a_delayed_release)
                                .needs(DELAY),
                        rule("A rollback undoes touch and heartbeat", this::a_rollback_undoes_a_touch)
                                .needs(TTR),
                        rule("A rollback undoes bury of a TAKEN and of a READY task", this::a_rollback_undoes_a_bury),
                        rule("A rollback undoes kick and dig", this::a_rollback_undoes_a_kick),
                        rule("A rollback undoes delete", this::a_rollback_undoes_a_delete),
                        rule("A rollback undoes releaseAll and truncate", this::a_rollback_undoes_what_is_about_all),
                        rule("A rollback undoes drop", this::a_rollback_undoes_drop),
                        rule(
                                "A tube that a transaction creates is there for all at once, and stays after a rollback",
                                this::a_tube_is_created_at_once),
                        rule("A rollback undoes many operations together", this::a_rollback_undoes_many_together),
                        rule(
                                "A rollback wakes a waiting take for the task that is READY again",
                                this::a_rollback_wakes),
                        rule(
                                "After a commit the holder can ack in another transaction",
                                this::a_taking_lasts_over_transactions),
                        rule(
                                "putUnique waits for the commit or rollback of another transaction that puts the same "
                                        + "key",
                                this::put_unique_waits_for_the_other),
                        rule(
                                "On the application's datasource, its rows and the tasks commit and roll back together",
                                this::the_applications_rows_go_along),
                        rule(
                                        "After a transaction's timeout each operation on its thread"
                                                + " fails, and all its changes "
                                                + "are undone",
                                        scenario -> each_operation_fails(scenario, Fate.TIMED_OUT))
                                .testedWith(Type.FIFOTTL, SECOND),
                        rule(
                                "In a transaction marked for rollback each operation fails, and all its changes are "
                                        + "undone",
                                scenario -> each_operation_fails(scenario, Fate.MARKED_FOR_ROLLBACK)),
                        rule(
                                        "A take that waits in a transaction fails at the"
                                                + " transaction's timeout, and takes nothing",
                                        this::a_waiting_take_fails_at_the_timeout)
                                .testedWith(Type.FIFOTTL, SECOND),
                        rule(
                                "If a connection is closed in a transaction marked for rollback, its"
                                        + " tasks are released",
                                scenario -> a_close_releases(scenario, Fate.MARKED_FOR_ROLLBACK)),
                        rule(
                                        "If a connection is closed after its transaction's timeout,"
                                                + " its tasks are released",
                                        scenario -> a_close_releases(scenario, Fate.TIMED_OUT))
                                .testedWith(Type.FIFOTTL, SECOND),
                        rule(
                                "Operations in beforeCompletion of a transaction are part of it",
                                this::before_completion_is_in_the_transaction),
                        rule(
                                "Each operation in afterCompletion of a transaction fails",
                                this::after_completion_each_operation_fails),
                        rule(
                                        "put, take and ack of a temporary and of a persistent tube"
                                                + " commit and roll back "
                                                + "together",
                                        this::temporary_and_persistent_tubes_go_together)
                                .only(Store.TEMPORARY, "the rule is about a temporary and a persistent tube"))
                .forEach(rule -> rules.add(rule.only(Mode.IN_JTA, NONE)));
        return rules;
    }

    private void outside_each_call_is_its_own(Scenario scenario) {
        Task put = scenario.tube().put("a");
        assertThat(scenario.apart(() -> scenario.another().peek(put.id()))).isPresent();
        Task taken = scenario.take();
        assertThat(scenario.apart(
                        () -> scenario.another().peek(put.id()).orElseThrow().state()))
                .isEqualTo(TaskState.TAKEN);
        scenario.tube().ack(taken);
        assertThat(scenario.apart(() -> scenario.another().peek(put.id()))).isEmpty();
    }

    private void a_put_is_not_visible(Scenario scenario) throws Exception {
        Tube other = scenario.another();
        scenario.together(() -> {
            Task put = scenario.tube().put("a");
            scenario.tube().putAll(List.of("b", "c"), with());
            assertThat(scenario.apart(() -> other.peek(put.id()))).isEmpty();
            assertThat(scenario.apart(() -> other.take(ZERO))).isEmpty();
            assertThat(scenario.apart(other::peekReady)).isEmpty();
            assertThat(scenario.apart(() -> other.tasks(TaskState.READY, 0, 10)))
                    .isEmpty();
            assertThat(scenario.apart(other::statistics).total()).isZero();
        });
        assertThat(other.take(5, ZERO)).hasSize(3);
    }

    private void a_take_is_not_visible(Scenario scenario) throws Exception {
        Task put = scenario.tube().put("a");
        Tube other = scenario.another();
        scenario.together(() -> {
            take(scenario.tube());
            assertThat(scenario.apart(() -> other.peek(put.id()).orElseThrow().state()))
                    .isEqualTo(TaskState.READY);
            assertThat(scenario.apart(() -> other.take(ZERO))).isEmpty();
            assertThat(scenario.apart(other::statistics).taken()).isZero();
        });
        assertThat(Scenario.state(other, put.id())).isEqualTo(TaskState.TAKEN);
    }

    private void an_ack_is_not_visible(Scenario scenario) throws Exception {
        scenario.tube().put("a");
        Task task = scenario.take();
        Tube other = scenario.another();
        scenario.together(() -> {
            scenario.tube().ack(task);
            assertThat(scenario.apart(() -> other.peek(task.id()).orElseThrow().state()))
                    .isEqualTo(TaskState.TAKEN);
            assertThat(scenario.apart(other::statistics).taken()).isEqualTo(1);
        });
        assertThat(other.peek(task.id())).isEmpty();
    }

    private void a_transaction_sees_its_own_changes(Scenario scenario) throws Exception {
        scenario.together(() -> {
            Task put = scenario.tube().put("a");
            assertThat(scenario.tube().peek(put.id())).contains(put);
            assertThat(scenario.tube().tasks(TaskState.READY, 0, 10)).hasSize(1);
            Task taken = take(scenario.tube());
            assertThat(Scenario.state(scenario.tube(), put.id())).isEqualTo(TaskState.TAKEN);
            scenario.tube().ack(taken, TaskResult.completed("fine"));
            assertThat(scenario.tube().result(put.id())).isPresent();
            scenario.tube().delete(put.id());
            assertThat(scenario.tube().peek(put.id())).isEmpty();
        });
        assertThat(scenario.tube().statistics().total()).isZero();
    }

    private void a_put_wakes_no_waiter_before_the_commit(Scenario scenario) throws Exception {
        Future<Optional<Task>> waiting = waiting(scenario);
        scenario.together(() -> {
            scenario.tube().put("a");
            stillWaits(scenario, waiting);
        });
        assertThat(get(waiting)).isPresent();
    }

    private static Future<Optional<Task>> waiting(Scenario scenario) {
        Future<Optional<Task>> waiting = scenario.later(() -> scenario.another().take(LONG));
        scenario.awaitTakers(1);
        return waiting;
    }

    private static void stillWaits(Scenario scenario, Future<?> waiting) throws InterruptedException {
        // Nothing can signal that nothing happens
        Thread.sleep(5);
        scenario.awaitTakers(1);
        assertThat(waiting).isNotDone();
    }

    private void a_release_wakes_no_waiter_before_the_commit(Scenario scenario) throws Exception {
        scenario.tube().put("a");
        Task task = scenario.take();
        Future<Optional<Task>> waiting = waiting(scenario);
        scenario.together(() -> {
            scenario.tube().release(task);
            stillWaits(scenario, waiting);
        });
        Task again = get(waiting).orElseThrow();
        scenario.tube().delete(again.id());
        Task buried = scenario.tube().put("b");
        scenario.tube().bury(buried);
        Future<Optional<Task>> second = waiting(scenario);
        scenario.together(() -> {
            scenario.tube().kick();
            stillWaits(scenario, second);
        });
        assertThat(get(second).map(Task::id)).contains(buried.id());
    }

    // What a rollback undoes

    /** What can be seen of a tube. */
    private record Seen(List<TaskMeta> tasks, List<String> data, TubeStatistics numbers) {

        static Seen of(Tube tube) {
            List<Task> tasks = new ArrayList<>();
            for (TaskState state : TaskState.values()) {
                tasks.addAll(tube.tasks(state, 0, 100));
            }
            return new Seen(
                    tasks.stream()
                            .map(task -> timeless(tube.meta(task.id()).orElseThrow()))
                            .toList(),
                    tasks.stream().map(task -> task.text() + task.token()).toList(),
                    tube.statistics());
        }

        private static TaskMeta timeless(TaskMeta meta) {
            return new TaskMeta(
                    meta.id(),
                    meta.tube(),
                    meta.state(),
                    meta.event(),
                    meta.pri(),
                    meta.utube(),
                    meta.uniqueKey(),
                    meta.session(),
                    meta.takenAt(),
                    meta.created(),
                    meta.ttl(),
                    meta.ttr(),
                    meta.buriedCount(),
                    meta.takenCount(),
                    meta.attempts(),
                    meta.lastFailure(),
                    meta.created());
        }
    }

    private static void undoes(Scenario scenario, Consumer<Tube> operation) throws Exception {
        Seen before = Seen.of(scenario.tube());
        scenario.undone(() -> operation.accept(scenario.tube()));
        assertThat(Seen.of(scenario.tube())).isEqualTo(before);
    }

    private void a_rollback_undoes_a_put(Scenario scenario) throws Exception {
        undoes(scenario, tube -> tube.put("a"));
        undoes(scenario, tube -> tube.putAll(List.of("a", "b"), with()));
        undoes(scenario, tube -> tube.putUnique("key", "a", with(), OnConflict.FAIL));
        undoes(scenario, tube -> tube.put("a", with().asUrgent()));
        if (scenario.has(DELAY)) {
            undoes(scenario, tube -> tube.put("a", with().delay(ofMinutes(1))));
        }
        assertThat(scenario.tube()
                        .putUnique("key", "a", with(), OnConflict.FAIL)
                        .text())
                .isEqualTo("a");
    }

    private void a_rollback_undoes_a_replace(Scenario scenario) throws Exception {
        scenario.tube().putUnique("key", "a", with(), OnConflict.KEEP);
        undoes(scenario, tube -> tube.putUnique("key", "b", with(), OnConflict.REPLACE));
        undoes(scenario, tube -> tube.putUnique("key", "b", with(), OnConflict.KEEP));
        assertThat(scenario.take().text()).isEqualTo("a");
    }

    private void a_rollback_undoes_a_take(Scenario scenario) throws Exception {
        List.of("a", "b").forEach(scenario.tube()::put);
        undoes(scenario, tube -> assertThat(tube.take(2, ZERO)).hasSize(2));
        Task first = scenario.take();
        assertThat(first.text()).isEqualTo(scenario.handedOut("a", "b").get(0));
        assertThat(first.attempts()).isEqualTo(1);
    }

    private void a_rollback_undoes_an_ack(Scenario scenario) throws Exception {
        scenario.tube().put("a");
        Task task = scenario.take();
        undoes(scenario, tube -> tube.ack(task));
        undoes(scenario, tube -> tube.ackAll(List.of(task)));
        undoes(scenario, tube -> tube.ack(task, TaskResult.completed("fine")));
        scenario.tube().ack(task);
    }

    private void a_rollback_undoes_a_release(Scenario scenario) throws Exception {
        List.of("a", "b").forEach(scenario.tube()::put);
        Task task = scenario.take();
        undoes(scenario, tube -> tube.release(task));
        undoes(scenario, tube -> tube.requeue(task));
        scenario.tube().ack(task);
    }

    private void a_rollback_undoes_a_delayed_release(Scenario scenario) throws Exception {
        scenario.tube().put("a", with().ttl(ofMinutes(9)));
        Task task = scenario.take();
        undoes(scenario, tube -> tube.release(task, ReleaseOptions.defaults().delay(ofMinutes(1))));
        scenario.tube().ack(task);
    }

    private void a_rollback_undoes_a_touch(Scenario scenario) throws Exception {
        scenario.tube().put("a", with().ttl(ofMinutes(9)).ttr(ofMinutes(2)));
        Task task = scenario.take();
        undoes(scenario, tube -> tube.touch(task, ofMinutes(1)));
        undoes(scenario, tube -> tube.heartbeat(task));
        scenario.tube().ack(task);
    }

    private void a_rollback_undoes_a_bury(Scenario scenario) throws Exception {
        scenario.tube().put("a");
        Task task = scenario.take();
        undoes(scenario, tube -> tube.bury(task));
        scenario.tube().release(task);
        undoes(scenario, tube -> tube.bury(task));
        assertThat(scenario.take().id()).isEqualTo(task.id());
    }

    private void a_rollback_undoes_a_kick(Scenario scenario) throws Exception {
        Task put = scenario.tube().put("a");
        scenario.tube().bury(put);
        undoes(scenario, tube -> assertThat(tube.kick()).isEqualTo(1));
        undoes(scenario, tube -> tube.dig(put.id()));
        assertThat(scenario.tube().take(ZERO)).isEmpty();
    }

    private void a_rollback_undoes_a_delete(Scenario scenario) throws Exception {
        Task put = scenario.tube().put("a");
        undoes(scenario, tube -> tube.delete(put.id()));
        Task taken = scenario.take();
        undoes(scenario, tube -> tube.delete(taken.id()));
        scenario.tube().ack(taken);
    }

    private void a_rollback_undoes_what_is_about_all(Scenario scenario) throws Exception {
        List.of("a", "b", "c").forEach(scenario.tube()::put);
        Task taken = scenario.take();
        undoes(scenario, tube -> assertThat(tube.releaseAll()).isEqualTo(1));
        undoes(scenario, tube -> assertThat(tube.truncate()).isEqualTo(3));
        scenario.tube().ack(taken);
    }

    private void a_tube_is_created_at_once(Scenario scenario) throws Exception {
        TubeConnection connection = scenario.connection();
        var definition = scenario.define();
        scenario.undone(() -> {
            Tube made = connection.createTubeIfNotExists(definition);
            made.put("a");
            assertThat(take(made).text()).isEqualTo("a");
            // As a bean of REQUIRES_NEW does
            assertThat(CompletableFuture.supplyAsync(() -> connection
                                    .createTubeIfNotExists(definition)
                                    .put("b")
                                    .text())
                            .get(60, TimeUnit.SECONDS))
                    .isEqualTo("b");
        });
        assertThat(take(connection.tube(definition.name())).text()).isEqualTo("b");
    }

    private void a_rollback_undoes_drop(Scenario scenario) throws Exception {
        TubeConnection connection = scenario.connection();
        Task put = scenario.tube().put("a");
        scenario.undone(() -> scenario.tube().drop());
        assertThat(connection.tube(scenario.tube().name()).peek(put.id())).contains(put);
        assertThat(take(scenario.tube()).text()).isEqualTo("a");
    }

    private void a_rollback_undoes_many_together(Scenario scenario) throws Exception {
        List.of("a", "b", "c", "d").forEach(scenario.tube()::put);
        Task held = scenario.take();
        undoes(scenario, tube -> {
            tube.put("e");
            take(tube);
            tube.ack(held);
            tube.bury(take(tube));
            tube.kick();
            tube.release(take(tube));
            tube.ack(take(tube), TaskResult.completed("fine"));
            tube.truncate();
        });
        scenario.tube().ack(held);
        assertThat(scenario.tube().take(5, ZERO)).hasSize(3);
    }

    private void a_rollback_wakes(Scenario scenario) throws Exception {
        Task put = scenario.tube().put("a");
        List<Future<Optional<Task>>> waiting = new ArrayList<>();
        scenario.undone(() -> {
            take(scenario.tube());
            waiting.add(waiting(scenario));
        });
        assertThat(get(waiting.get(0)).map(Task::id)).contains(put.id());
    }

    private void a_taking_lasts_over_transactions(Scenario scenario) throws Exception {
        scenario.tube().put("a");
        List<Task> taken = new ArrayList<>();
        scenario.together(() -> taken.add(take(scenario.tube())));
        scenario.together(() -> scenario.tube().ack(taken.get(0)));
        assertThat(scenario.tube().statistics().total()).isZero();
    }

    private void put_unique_waits_for_the_other(Scenario scenario) throws Exception {
        List<Future<Task>> others = new ArrayList<>();
        scenario.undone(() -> {
            scenario.tube().putUnique("key", "undone", with(), OnConflict.KEEP);
            others.add(scenario.later(() -> scenario.another().putUnique("key", "kept", with(), OnConflict.KEEP)));
            Thread.sleep(5);
            assertThat(others.get(0)).isNotDone();
        });
        assertThat(get(others.get(0)).text()).isEqualTo("kept");
        scenario.tube().truncate();
        scenario.together(() -> {
            scenario.tube().putUnique("key", "first", with(), OnConflict.KEEP);
            others.add(scenario.later(() -> scenario.another().putUnique("key", "second", with(), OnConflict.KEEP)));
            Thread.sleep(5);
            assertThat(others.get(1)).isNotDone();
        });
        assertThat(get(others.get(1)).text()).isEqualTo("first");
        assertThat(Scenario.drain(scenario.tube())).containsExactly("first");
    }

    private void the_applications_rows_go_along(Scenario scenario) throws Exception {
        String table = RunningNode.newName();
        scenario.execute("CREATE TABLE " + table + " (text VARCHAR(10))");
        scenario.undone(() -> {
            scenario.execute("INSERT INTO " + table + " VALUES ('undone')");
            scenario.tube().put("undone");
        });
        assertThat(rows(scenario, table)).isZero();
        assertThat(scenario.tube().statistics().total()).isZero();
        scenario.together(() -> {
            scenario.tube().put("done");
            scenario.execute("INSERT INTO " + table + " VALUES ('done')");
            assertThat(scenario.apart(() -> rows(scenario, table))).isZero();
        });
        assertThat(rows(scenario, table)).isEqualTo(1);
        assertThat(scenario.take().text()).isEqualTo("done");
    }

    private static int rows(Scenario scenario, String table) throws SQLException {
        try (Connection connection = scenario.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM " + table)) {
            rows.next();
            return rows.getInt(1);
        }
    }

    // What becomes of a transaction while its thread goes on

    private static void each_operation_fails(Scenario scenario, Fate fate) throws Exception {
        scenario.tube().put("ready");
        Task buried = scenario.tube().put("buried");
        scenario.tube().bury(buried);
        Task held = scenario.take();
        Seen before = Seen.of(scenario.tube());
        scenario.meeting(
                fate,
                () -> {
                    scenario.tube().put("undone");
                    scenario.tube().delete(buried.id());
                    scenario.tube().ack(held);
                },
                () -> operations(scenario, held, buried)
                        .forEach((name, operation) -> assertThatThrownBy(() -> operation.accept(scenario.tube()))
                                .as(name)
                                .isInstanceOf(TransactionNotActiveException.class)
                                .hasMessageContaining("timeout")));
        assertThat(Seen.of(scenario.tube())).isEqualTo(before);
        scenario.tube().ack(held);
    }

    private static Map<String, Consumer<Tube>> operations(Scenario scenario, Task held, Task buried) {
        Map<String, Consumer<Tube>> operations = new LinkedHashMap<>();
        operations.put("put", tube -> tube.put("more"));
        operations.put("put with a timeout", tube -> tube.put("more", with(), ofMillis(1)));
        operations.put("putAll", tube -> tube.putAll(List.of("more", "and more"), with()));
        operations.put("putUnique", tube -> tube.putUnique("key", "more", with(), OnConflict.REPLACE));
        operations.put("take", tube -> tube.take(ZERO));
        operations.put("take with a timeout", tube -> tube.take(2, LONG));
        operations.put("ack", tube -> tube.ack(held));
        operations.put("ack with a result", tube -> tube.ack(held, TaskResult.completed("fine")));
        operations.put("ackAll", tube -> tube.ackAll(List.of(held)));
        operations.put("release", tube -> tube.release(held));
        operations.put("requeue", tube -> tube.requeue(held));
        operations.put("bury", tube -> tube.bury(held));
        if (scenario.has(TTR)) {
            operations.put("touch", tube -> tube.touch(held, ofMinutes(1)));
            operations.put("heartbeat", tube -> tube.heartbeat(held));
        }
        operations.put("kick", Tube::kick);
        operations.put("dig", tube -> tube.dig(buried.id()));
        operations.put("delete", tube -> tube.delete(buried.id()));
        operations.put("releaseAll", Tube::releaseAll);
        operations.put("truncate", Tube::truncate);
        operations.put("drop", Tube::drop);
        operations.put("peek", tube -> tube.peek(held.id()));
        operations.put("peekReady", Tube::peekReady);
        operations.put("tasks", tube -> tube.tasks(TaskState.READY, 0, 10));
        operations.put("meta", tube -> tube.meta(held.id()));
        operations.put("createTube", tube -> scenario.create(UnaryOperator.identity()));
        operations.put("tubes", tube -> scenario.connection().tubes());
        return operations;
    }

    private void a_waiting_take_fails_at_the_timeout(Scenario scenario) throws Exception {
        scenario.meeting(
                Fate.TIMED_OUT,
                () -> assertThatThrownBy(() -> scenario.tube().take(LONG))
                        .isInstanceOf(TransactionNotActiveException.class),
                () -> scenario.apart(() -> scenario.another().put("a")));
        assertThat(scenario.take().attempts()).isEqualTo(1);
    }

    private static void a_close_releases(Scenario scenario, Fate fate) throws Exception {
        Task put = scenario.tube().put("a");
        for (boolean used : new boolean[] {false, true}) {
            TubeConnection connection = scenario.connect();
            Tube tube = connection.tube(scenario.tube().name());
            take(tube);
            scenario.meeting(
                    fate,
                    () -> {
                        if (used) {
                            tube.put("undone");
                        }
                    },
                    () -> {
                        connection.close();
                        connection.state();
                    });
            Eventually.holds(
                    () -> Scenario.state(scenario.tube(), put.id()) == TaskState.READY, "the release by the close");
        }
    }

    private void before_completion_is_in_the_transaction(Scenario scenario) throws Exception {
        for (boolean interposed : new boolean[] {false, true}) {
            scenario.tube().put("held");
            Task held = scenario.take();
            Scenario.Step last = () -> {
                scenario.tube().put("at the end");
                scenario.tube().ack(held);
            };
            Scenario.Step undone = () -> {
                last.run();
                Jta.MANAGER.setRollbackOnly();
            };
            assertThatThrownBy(() -> scenario.together(() -> new Completion(undone, () -> {}).register(interposed)))
                    .isInstanceOf(RollbackException.class);
            assertThat(Scenario.state(scenario.tube(), held.id())).isEqualTo(TaskState.TAKEN);
            scenario.together(() -> new Completion(last, () -> {}).register(interposed));
            assertThat(Scenario.drain(scenario.tube())).containsExactly("at the end");
            scenario.tube().truncate();
        }
    }

    private void after_completion_each_operation_fails(Scenario scenario) throws Exception {
        for (boolean interposed : new boolean[] {false, true}) {
            List<Throwable> failures = new ArrayList<>();
            scenario.together(() -> {
                scenario.tube().put("in time");
                new Completion(
                                () -> {},
                                () -> failures.add(
                                        catchThrowable(() -> scenario.tube().put("too late"))))
                        .register(interposed);
            });
            assertThat(failures).singleElement().isInstanceOf(TransactionNotActiveException.class);
            assertThat(Scenario.drain(scenario.tube())).containsExactly("in time");
            scenario.tube().truncate();
        }
    }

    /** A Synchronization as an application has it. */
    private record Completion(Scenario.Step before, Scenario.Step after) implements Synchronization {

        void register(boolean interposed) throws Exception {
            if (interposed) {
                Jta.REGISTRY.registerInterposedSynchronization(this);
            } else {
                Jta.MANAGER.getTransaction().registerSynchronization(this);
            }
        }

        @Override
        public void beforeCompletion() {
            run(before);
        }

        @Override
        public void afterCompletion(int status) {
            run(after);
        }

        private static void run(Scenario.Step step) {
            try {
                step.run();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private void temporary_and_persistent_tubes_go_together(Scenario scenario) throws Exception {
        Tube kept = scenario.connection().createTube(scenario.type().define(RunningNode.newName()));
        scenario.undone(() -> {
            kept.put("a");
            scenario.tube().put("a");
        });
        assertThat(kept.statistics().total() + scenario.tube().statistics().total())
                .isZero();
        scenario.together(() -> {
            kept.put("a");
            scenario.tube().put("b");
        });
        scenario.undone(() -> {
            kept.ack(take(kept));
            scenario.tube().ack(take(scenario.tube()));
        });
        scenario.together(() -> {
            scenario.tube().put(take(kept).text());
            kept.put(take(scenario.tube()).text());
        });
        assertThat(kept.statistics().total()).isEqualTo(2);
        assertThat(scenario.tube().statistics().taken()).isEqualTo(1);
        assertThat(scenario.another().take(Duration.ZERO)).isPresent();
        assertThat(scenario.tube().take(ofMillis(1))).isEmpty();
    }
}
