package org.tasktube.rules;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.tasktube.OnConflict;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.TaskMeta;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeNotFoundException;
import org.tasktube.TubeStatistics;
import org.tasktube.testing.RunningQueue;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tasktube.rules.Rule.rule;
import static org.tasktube.rules.Trial.LONG;
import static org.tasktube.rules.Trial.get;
import static org.tasktube.rules.Trial.take;
import static org.tasktube.rules.Trial.with;
import static org.tasktube.spi.TubeOption.DELAY;
import static org.tasktube.spi.TubeOption.TTR;

/** What a transaction makes of all this. */
final class TransactionRules implements Chapter {

    private static final String NONE = "there is no transaction outside JTA";

    @Override
    public String heading() {
        return "Transactions";
    }

    @Override
    public List<Rule> rules() {
        List<Rule> rules = new ArrayList<>(
                List.of(rule("Outside one, each call is its own transaction", this::outside_each_call_is_its_own)
                        .only(Mode.OUTSIDE, "this is about calls outside JTA")));
        List.of(
                        rule("A put is not visible to others before the commit", this::a_put_is_not_visible),
                        rule(
                                "A take is not visible to others before the commit, and hands the task to nobody else",
                                this::a_take_is_not_visible),
                        rule("An ack is not visible to others before the commit", this::an_ack_is_not_visible),
                        rule("A transaction sees its own changes", this::a_transaction_sees_its_own_changes),
                        rule(
                                "No waiter is woken by a put before the commit",
                                this::a_put_wakes_nobody_before_the_commit),
                        rule(
                                "No waiter is woken by a release or a kick before the commit",
                                this::a_release_wakes_nobody_before_the_commit),
                        rule("A rollback undoes put, putAll, putUnique, urgent", this::a_rollback_undoes_a_put),
                        rule("A rollback undoes putUnique of a task that is there", this::a_rollback_undoes_a_replace),
                        rule("A rollback undoes take: the same task is taken again", this::a_rollback_undoes_a_take),
                        rule("A rollback undoes ack, also with a result", this::a_rollback_undoes_an_ack),
                        rule("A rollback undoes release and requeue", this::a_rollback_undoes_a_release),
                        rule("A rollback undoes release(delay)", this::a_rollback_undoes_a_delayed_release)
                                .needs(DELAY),
                        rule("A rollback undoes touch and heartbeat", this::a_rollback_undoes_a_touch)
                                .needs(TTR),
                        rule(
                                "A rollback undoes bury, of a taken task and of a ready one",
                                this::a_rollback_undoes_a_bury),
                        rule("A rollback undoes kick and dig", this::a_rollback_undoes_a_kick),
                        rule("A rollback undoes delete", this::a_rollback_undoes_a_delete),
                        rule("A rollback undoes releaseAll and truncate", this::a_rollback_undoes_what_is_about_all),
                        rule("A rollback undoes createTube and drop", this::a_rollback_undoes_tubes),
                        rule("A rollback undoes many operations together", this::a_rollback_undoes_many_together),
                        rule("A rollback wakes those who can take what it gives back", this::a_rollback_wakes),
                        rule(
                                "After a commit the holder acks in another transaction",
                                this::a_taking_lasts_over_transactions),
                        rule(
                                "putUnique waits for the end of the other's transaction: its commit, or its rollback",
                                this::put_unique_waits_for_the_other),
                        rule(
                                "On the datasource that the application uses too, all of it commits and rolls back together",
                                this::the_applications_rows_go_along),
                        rule(
                                        "put, take, ack of memory and database commit and roll back together",
                                        this::memory_and_database_go_together)
                                .only(Store.MEMORY, "this is about a temporary tube and a persistent one"))
                .forEach(rule -> rules.add(rule.only(Mode.IN_JTA, NONE)));
        return rules;
    }

    private void outside_each_call_is_its_own(Trial trial) {
        Task put = trial.tube().put("a");
        assertThat(trial.apart(() -> trial.another().peek(put.id()))).isPresent();
        Task taken = trial.take();
        assertThat(trial.apart(
                        () -> trial.another().peek(put.id()).orElseThrow().state()))
                .isEqualTo(TaskState.TAKEN);
        trial.tube().ack(taken);
        assertThat(trial.apart(() -> trial.another().peek(put.id()))).isEmpty();
    }

    private void a_put_is_not_visible(Trial trial) throws Exception {
        Tube other = trial.another();
        trial.together(() -> {
            Task put = trial.tube().put("a");
            trial.tube().putAll(List.of("b", "c"), with());
            assertThat(trial.apart(() -> other.peek(put.id()))).isEmpty();
            assertThat(trial.apart(() -> other.take(ZERO))).isEmpty();
            assertThat(trial.apart(other::peekReady)).isEmpty();
            assertThat(trial.apart(() -> other.tasks(TaskState.READY, 0, 10))).isEmpty();
            assertThat(trial.apart(other::statistics).total()).isZero();
        });
        assertThat(other.take(5, ZERO)).hasSize(3);
    }

    private void a_take_is_not_visible(Trial trial) throws Exception {
        Task put = trial.tube().put("a");
        Tube other = trial.another();
        trial.together(() -> {
            take(trial.tube());
            assertThat(trial.apart(() -> other.peek(put.id()).orElseThrow().state()))
                    .isEqualTo(TaskState.READY);
            assertThat(trial.apart(() -> other.take(ZERO))).isEmpty();
            assertThat(trial.apart(other::statistics).taken()).isZero();
        });
        assertThat(Trial.state(other, put.id())).isEqualTo(TaskState.TAKEN);
    }

    private void an_ack_is_not_visible(Trial trial) throws Exception {
        trial.tube().put("a");
        Task task = trial.take();
        Tube other = trial.another();
        trial.together(() -> {
            trial.tube().ack(task);
            assertThat(trial.apart(() -> other.peek(task.id()).orElseThrow().state()))
                    .isEqualTo(TaskState.TAKEN);
            assertThat(trial.apart(other::statistics).taken()).isEqualTo(1);
        });
        assertThat(other.peek(task.id())).isEmpty();
    }

    private void a_transaction_sees_its_own_changes(Trial trial) throws Exception {
        trial.together(() -> {
            Task put = trial.tube().put("a");
            assertThat(trial.tube().peek(put.id())).contains(put);
            assertThat(trial.tube().tasks(TaskState.READY, 0, 10)).hasSize(1);
            Task taken = take(trial.tube());
            assertThat(Trial.state(trial.tube(), put.id())).isEqualTo(TaskState.TAKEN);
            trial.tube().ack(taken, TaskResult.completed("fine"));
            assertThat(trial.tube().result(put.id())).isPresent();
            trial.tube().delete(put.id());
            assertThat(trial.tube().peek(put.id())).isEmpty();
        });
        assertThat(trial.tube().statistics().total()).isZero();
    }

    private void a_put_wakes_nobody_before_the_commit(Trial trial) throws Exception {
        Future<Optional<Task>> waiting = waiting(trial);
        trial.together(() -> {
            trial.tube().put("a");
            stillWaits(trial, waiting);
        });
        assertThat(get(waiting)).isPresent();
    }

    private static Future<Optional<Task>> waiting(Trial trial) {
        Future<Optional<Task>> waiting = trial.later(() -> trial.another().take(LONG));
        trial.awaitTakers(1);
        return waiting;
    }

    private static void stillWaits(Trial trial, Future<?> waiting) throws InterruptedException {
        // Nothing can signal that nothing happens
        Thread.sleep(5);
        trial.awaitTakers(1);
        assertThat(waiting).isNotDone();
    }

    private void a_release_wakes_nobody_before_the_commit(Trial trial) throws Exception {
        trial.tube().put("a");
        Task task = trial.take();
        Future<Optional<Task>> waiting = waiting(trial);
        trial.together(() -> {
            trial.tube().release(task);
            stillWaits(trial, waiting);
        });
        Task again = get(waiting).orElseThrow();
        trial.tube().delete(again.id());
        Task buried = trial.tube().put("b");
        trial.tube().bury(buried);
        Future<Optional<Task>> second = waiting(trial);
        trial.together(() -> {
            trial.tube().kick();
            stillWaits(trial, second);
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
                    meta.buried(),
                    meta.taken(),
                    meta.attempts(),
                    meta.lastFailure(),
                    meta.created());
        }
    }

    private static void undoes(Trial trial, Consumer<Tube> operation) throws Exception {
        Seen before = Seen.of(trial.tube());
        trial.undone(() -> operation.accept(trial.tube()));
        assertThat(Seen.of(trial.tube())).isEqualTo(before);
    }

    private void a_rollback_undoes_a_put(Trial trial) throws Exception {
        undoes(trial, tube -> tube.put("a"));
        undoes(trial, tube -> tube.putAll(List.of("a", "b"), with()));
        undoes(trial, tube -> tube.putUnique("key", "a", with(), OnConflict.FAIL));
        undoes(trial, tube -> tube.put("a", with().asUrgent()));
        if (trial.has(DELAY)) {
            undoes(trial, tube -> tube.put("a", with().delay(ofMinutes(1))));
        }
        assertThat(trial.tube().putUnique("key", "a", with(), OnConflict.FAIL).text())
                .isEqualTo("a");
    }

    private void a_rollback_undoes_a_replace(Trial trial) throws Exception {
        trial.tube().putUnique("key", "a", with(), OnConflict.KEEP);
        undoes(trial, tube -> tube.putUnique("key", "b", with(), OnConflict.REPLACE));
        undoes(trial, tube -> tube.putUnique("key", "b", with(), OnConflict.KEEP));
        assertThat(trial.take().text()).isEqualTo("a");
    }

    private void a_rollback_undoes_a_take(Trial trial) throws Exception {
        List.of("a", "b").forEach(trial.tube()::put);
        undoes(trial, tube -> assertThat(tube.take(2, ZERO)).hasSize(2));
        Task first = trial.take();
        assertThat(first.text()).isEqualTo(trial.handedOut("a", "b").get(0));
        assertThat(first.attempts()).isEqualTo(1);
    }

    private void a_rollback_undoes_an_ack(Trial trial) throws Exception {
        trial.tube().put("a");
        Task task = trial.take();
        undoes(trial, tube -> tube.ack(task));
        undoes(trial, tube -> tube.ackAll(List.of(task)));
        undoes(trial, tube -> tube.ack(task, TaskResult.completed("fine")));
        trial.tube().ack(task);
    }

    private void a_rollback_undoes_a_release(Trial trial) throws Exception {
        List.of("a", "b").forEach(trial.tube()::put);
        Task task = trial.take();
        undoes(trial, tube -> tube.release(task));
        undoes(trial, tube -> tube.requeue(task));
        trial.tube().ack(task);
    }

    private void a_rollback_undoes_a_delayed_release(Trial trial) throws Exception {
        trial.tube().put("a", with().ttl(ofMinutes(9)));
        Task task = trial.take();
        undoes(trial, tube -> tube.release(task, ReleaseOptions.defaults().delay(ofMinutes(1))));
        trial.tube().ack(task);
    }

    private void a_rollback_undoes_a_touch(Trial trial) throws Exception {
        trial.tube().put("a", with().ttl(ofMinutes(9)).ttr(ofMinutes(2)));
        Task task = trial.take();
        undoes(trial, tube -> tube.touch(task, ofMinutes(1)));
        undoes(trial, tube -> tube.heartbeat(task));
        trial.tube().ack(task);
    }

    private void a_rollback_undoes_a_bury(Trial trial) throws Exception {
        trial.tube().put("a");
        Task task = trial.take();
        undoes(trial, tube -> tube.bury(task));
        trial.tube().release(task);
        undoes(trial, tube -> tube.bury(task));
        assertThat(trial.take().id()).isEqualTo(task.id());
    }

    private void a_rollback_undoes_a_kick(Trial trial) throws Exception {
        Task put = trial.tube().put("a");
        trial.tube().bury(put);
        undoes(trial, tube -> assertThat(tube.kick()).isEqualTo(1));
        undoes(trial, tube -> tube.dig(put.id()));
        assertThat(trial.tube().take(ZERO)).isEmpty();
    }

    private void a_rollback_undoes_a_delete(Trial trial) throws Exception {
        Task put = trial.tube().put("a");
        undoes(trial, tube -> tube.delete(put.id()));
        Task taken = trial.take();
        undoes(trial, tube -> tube.delete(taken.id()));
        trial.tube().ack(taken);
    }

    private void a_rollback_undoes_what_is_about_all(Trial trial) throws Exception {
        List.of("a", "b", "c").forEach(trial.tube()::put);
        Task taken = trial.take();
        undoes(trial, tube -> assertThat(tube.releaseAll()).isEqualTo(1));
        undoes(trial, tube -> assertThat(tube.truncate()).isEqualTo(3));
        trial.tube().ack(taken);
    }

    private void a_rollback_undoes_tubes(Trial trial) throws Exception {
        TubeConnection connection = trial.connection();
        var definition = trial.define();
        trial.undone(() -> {
            Tube made = connection.createTube(definition);
            made.put("a");
            assertThat(take(made).text()).isEqualTo("a");
        });
        assertThatThrownBy(() -> connection.tube(definition.name())).isInstanceOf(TubeNotFoundException.class);
        Task put = trial.tube().put("a");
        trial.undone(() -> trial.tube().drop());
        assertThat(connection.tube(trial.tube().name()).peek(put.id())).contains(put);
        assertThat(take(trial.tube()).text()).isEqualTo("a");
    }

    private void a_rollback_undoes_many_together(Trial trial) throws Exception {
        List.of("a", "b", "c", "d").forEach(trial.tube()::put);
        Task held = trial.take();
        undoes(trial, tube -> {
            tube.put("e");
            take(tube);
            tube.ack(held);
            tube.bury(take(tube));
            tube.kick();
            tube.release(take(tube));
            tube.ack(take(tube), TaskResult.completed("fine"));
            tube.truncate();
        });
        trial.tube().ack(held);
        assertThat(trial.tube().take(5, ZERO)).hasSize(3);
    }

    private void a_rollback_wakes(Trial trial) throws Exception {
        Task put = trial.tube().put("a");
        List<Future<Optional<Task>>> waiting = new ArrayList<>();
        trial.undone(() -> {
            take(trial.tube());
            waiting.add(waiting(trial));
        });
        assertThat(get(waiting.get(0)).map(Task::id)).contains(put.id());
    }

    private void a_taking_lasts_over_transactions(Trial trial) throws Exception {
        trial.tube().put("a");
        List<Task> taken = new ArrayList<>();
        trial.together(() -> taken.add(take(trial.tube())));
        trial.together(() -> trial.tube().ack(taken.get(0)));
        assertThat(trial.tube().statistics().total()).isZero();
    }

    private void put_unique_waits_for_the_other(Trial trial) throws Exception {
        List<Future<Task>> others = new ArrayList<>();
        trial.undone(() -> {
            trial.tube().putUnique("key", "undone", with(), OnConflict.KEEP);
            others.add(trial.later(() -> trial.another().putUnique("key", "kept", with(), OnConflict.KEEP)));
            Thread.sleep(5);
            assertThat(others.get(0)).isNotDone();
        });
        assertThat(get(others.get(0)).text()).isEqualTo("kept");
        trial.tube().truncate();
        trial.together(() -> {
            trial.tube().putUnique("key", "first", with(), OnConflict.KEEP);
            others.add(trial.later(() -> trial.another().putUnique("key", "second", with(), OnConflict.KEEP)));
            Thread.sleep(5);
            assertThat(others.get(1)).isNotDone();
        });
        assertThat(get(others.get(1)).text()).isEqualTo("first");
        assertThat(Trial.drain(trial.tube())).containsExactly("first");
    }

    private void the_applications_rows_go_along(Trial trial) throws Exception {
        String table = RunningQueue.newName();
        trial.execute("CREATE TABLE " + table + " (text VARCHAR(10))");
        trial.undone(() -> {
            trial.execute("INSERT INTO " + table + " VALUES ('undone')");
            trial.tube().put("undone");
        });
        assertThat(rows(trial, table)).isZero();
        assertThat(trial.tube().statistics().total()).isZero();
        trial.together(() -> {
            trial.tube().put("done");
            trial.execute("INSERT INTO " + table + " VALUES ('done')");
            assertThat(trial.apart(() -> rows(trial, table))).isZero();
        });
        assertThat(rows(trial, table)).isEqualTo(1);
        assertThat(trial.take().text()).isEqualTo("done");
    }

    private static int rows(Trial trial, String table) throws SQLException {
        try (Connection connection = trial.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM " + table)) {
            rows.next();
            return rows.getInt(1);
        }
    }

    private void memory_and_database_go_together(Trial trial) throws Exception {
        Tube kept = trial.connection().createTube(trial.type().define(RunningQueue.newName()));
        trial.undone(() -> {
            kept.put("a");
            trial.tube().put("a");
        });
        assertThat(kept.statistics().total() + trial.tube().statistics().total())
                .isZero();
        trial.together(() -> {
            kept.put("a");
            trial.tube().put("b");
        });
        trial.undone(() -> {
            kept.ack(take(kept));
            trial.tube().ack(take(trial.tube()));
        });
        trial.together(() -> {
            trial.tube().put(take(kept).text());
            kept.put(take(trial.tube()).text());
        });
        assertThat(kept.statistics().total()).isEqualTo(2);
        assertThat(trial.tube().statistics().taken()).isEqualTo(1);
        assertThat(trial.another().take(Duration.ZERO)).isPresent();
        assertThat(trial.tube().take(ofMillis(1))).isEmpty();
    }
}
