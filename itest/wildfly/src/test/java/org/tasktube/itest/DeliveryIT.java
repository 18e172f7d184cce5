package org.tasktube.itest;

import jakarta.annotation.Resource;
import jakarta.ejb.EJB;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.container.annotation.ArquillianTest;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.TaskMeta;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.TubeDefinition;
import org.tasktube.itest.app.ChangeRecorder;
import org.tasktube.itest.app.Deployments;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.app.PlainWorker;
import org.tasktube.itest.app.Rows;
import org.tasktube.itest.app.Script;
import org.tasktube.itest.app.SubQueueWorker;
import org.tasktube.itest.app.Worker;

import static org.assertj.core.api.Assertions.assertThat;

/** A bean's work and its task's ack: both or neither; failures are retried later, and are buried in the end. */
@ArquillianTest
@Tag("arquillian")
class DeliveryIT {

    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory tubes;

    @EJB
    private Script script;

    @EJB
    private Rows rows;

    private TubeConnection connection;
    private Tube tube;

    @Deployment
    static WebArchive application() {
        return Deployments.application();
    }

    @BeforeEach
    void open() {
        connection = tubes.getConnection();
        tube = connection.createTubeIfNotExists(TubeDefinition.fifottl(Worker.TUBE));
        tube.tasks(TaskState.BURIED, 0, 1_000).forEach(task -> tube.delete(task.id()));
    }

    @AfterEach
    void close() {
        connection.close();
    }

    private static String named(String what) {
        return what + "-" + UUID.randomUUID();
    }

    private void awaitRemoved(Task task) {
        Eventually.holds(() -> tube.peek(task.id()).isEmpty(), "the task is acked");
    }

    private TaskMeta awaitBuried(Task task) {
        Eventually.holds(
                () -> tube.peek(task.id())
                        .map(Task::state)
                        .filter(s -> s == TaskState.BURIED)
                        .isPresent(),
                "the task is buried");
        return tube.meta(task.id()).orElseThrow();
    }

    @Test
    void the_beans_work_and_the_ack_commit_together() {
        String text = named("fine");
        awaitRemoved(tube.put(text));
        assertThat(rows.count(text)).isEqualTo(1);
        assertThat(script.begun(text)).hasSize(1);
    }

    @Test
    void the_servers_json_processing_keeps_the_headers() {
        Map<String, String> headers = Map.of("traceparent", "\"Grüße\"\n");
        Task task = tube.put(
                named("headers"),
                PutOptions.defaults().delay(Duration.ofHours(1)).headers(headers));
        assertThat(tube.peek(task.id()).orElseThrow().headers()).isEqualTo(headers);
        tube.delete(task.id());
    }

    @Test
    void an_exception_undoes_both_and_the_task_is_retried_later_and_later_until_it_is_buried() {
        failsThreeTimes(named("throw"), IllegalStateException.class.getName());
    }

    @Test
    void a_checked_exception_is_a_failure_too() {
        failsThreeTimes(named("checked"), java.io.IOException.class.getName());
    }

    private void failsThreeTimes(String text, String type) {
        Task task = tube.put(text);
        TaskMeta meta = awaitBuried(task);
        assertThat(rows.count(text)).isZero();
        assertThat(meta.attempts()).isEqualTo(3);
        List<Long> begun = script.begun(text);
        assertThat(begun).hasSize(3);
        assertThat(millisBetween(begun.get(0), begun.get(1))).isGreaterThanOrEqualTo(100);
        assertThat(millisBetween(begun.get(1), begun.get(2))).isGreaterThanOrEqualTo(240);
        TaskFailure failure = meta.lastFailure().orElseThrow();
        assertThat(failure.type()).isEqualTo(type);
        assertThat(failure.message()).isEqualTo("as asked: " + text);
        assertThat(failure.trace()).contains("Worker.onTask");
        assertThat(meta.buriedCount()).isEqualTo(1);
    }

    private static long millisBetween(long one, long other) {
        return TimeUnit.NANOSECONDS.toMillis(other - one);
    }

    @Test
    void set_rollback_only_is_seen_and_is_a_failure() {
        String text = named("rollback");
        Task task = tube.put(text);
        TaskMeta meta = awaitBuried(task);
        assertThat(rows.count(text)).isZero();
        assertThat(script.begun(text)).hasSize(3);
        assertThat(meta.lastFailure().orElseThrow().message()).contains("setRollbackOnly");
    }

    @Test
    void a_kicked_task_is_tried_as_often_again() {
        String text = named("throw");
        Task task = tube.put(text);
        awaitBuried(task);
        tube.dig(task.id());
        Eventually.holds(() -> script.begun(text).size() == 6, "three more attempts");
        awaitBuried(task);
    }

    @Test
    void a_bean_that_runs_out_of_the_ttr_does_not_ack_and_its_work_is_undone() {
        String text = named("wait");
        Task task = tube.put(text, PutOptions.defaults().ttr(Duration.ofMillis(300)));
        Eventually.holds(() -> script.begun(text).size() == 2, "it is delivered again while the first still works");
        script.go(text);
        script.go(text);
        awaitRemoved(task);
        assertThat(rows.count(text)).as("only one of the two committed").isEqualTo(1);
    }

    @Test
    void the_ack_of_a_task_that_was_deleted_during_the_delivery_fails_and_undoes_the_beans_work() {
        String text = named("wait");
        Task task = tube.put(text);
        Eventually.holds(() -> script.begun(text).size() == 1, "the bean has begun");
        tube.delete(task.id());
        script.go(text);
        String after = named("fine");
        awaitRemoved(tube.put(after));
        assertThat(rows.count(text)).isZero();
    }

    @Test
    void not_more_than_max_session_are_worked_on_at_once_and_the_rest_waits_its_turn() {
        String text = named("wait");
        for (int i = 0; i < 6; i++) {
            tube.put(text);
        }
        Eventually.holds(() -> script.begun(text).size() == 4, "four have begun");
        Eventually.holds(
                () -> tube.statistics().taken() == 4 && tube.statistics().ready() == 2,
                "what was claimed ahead is returned when the bean turns out to be slow");
        assertThat(script.begun(text)).hasSize(4);
        for (int i = 0; i < 6; i++) {
            script.go(text);
        }
        Eventually.holds(() -> rows.count(text) == 6, "all are done");
        assertThat(tube.peekReady()).isEmpty();
    }

    @Test
    void without_a_transaction_the_task_is_acked_when_the_bean_returns() {
        Tube plain = connection.createTubeIfNotExists(TubeDefinition.fifo(PlainWorker.TUBE));
        String text = named("fine");
        Task task = plain.put(text);
        Eventually.holds(() -> plain.peek(task.id()).isEmpty(), "it is acked");
        assertThat(script.begun(text)).hasSize(1);
        String bad = named("throw");
        Task failing = plain.put(bad);
        Eventually.holds(
                () -> plain.peekBuried()
                        .map(Task::id)
                        .filter(id -> id == failing.id())
                        .isPresent(),
                "it is buried");
        assertThat(script.begun(bad)).hasSize(2);
        plain.delete(failing.id());
    }

    @Test
    void a_bean_gets_the_tasks_of_a_tube_that_is_created_after_it() {
        Tube late = connection.createTubeIfNotExists(TubeDefinition.fifo("late"));
        String text = named("late");
        late.put(text);
        Eventually.holds(() -> script.begun(text).size() == 1, "the bean got it");
    }

    @Test
    void many_tasks_are_each_worked_on_once() {
        String run = named("many");
        for (int i = 0; i < 500; i++) {
            tube.put(run + "/" + i);
        }
        Eventually.holds(() -> tube.statistics().total() == 0, "all are acked");
        for (int i = 0; i < 500; i++) {
            assertThat(script.begun(run + "/" + i)).hasSize(1);
        }
    }

    // what a bean does with its own task

    @Test
    void a_bean_that_identifies_as_its_holder_acks_with_a_result() {
        String text = named("result");
        Task task = tube.put(text);
        assertThat(tube.await(task.id(), Duration.ofMinutes(1)).map(result -> result.data(String.class)))
                .contains("of " + text);
        assertThat(tube.peek(task.id()).map(Task::state)).contains(TaskState.DONE);
        assertThat(rows.count(text)).isEqualTo(1);
        assertThat(script.begun(text)).hasSize(1);
        tube.delete(task.id());
    }

    @Test
    void a_beans_own_ack_with_a_result_is_undone_with_its_work() {
        String text = named("result and rollback");
        Task task = tube.put(text);
        assertThat(tube.await(task.id(), Duration.ofMinutes(1))).isPresent();
        assertThat(script.begun(text)).hasSize(2);
        assertThat(rows.count(text)).isEqualTo(1);
        tube.delete(task.id());
    }

    @Test
    void a_bean_that_buries_its_own_task_commits_its_work_with_that() {
        String text = named("bury");
        TaskMeta meta = awaitBuried(tube.put(text));
        assertThat(meta.lastFailure()).isEmpty();
        assertThat(rows.count(text)).isEqualTo(1);
    }

    @Test
    void a_bean_that_touches_its_own_task_keeps_it_over_its_ttr() {
        String text = named("touch");
        Task task = tube.put(text, PutOptions.defaults().ttr(Duration.ofMillis(500)));
        Eventually.holds(() -> script.begun(text).size() == 1, "the bean has begun");
        String later = named("fine");
        awaitRemoved(tube.put(later, PutOptions.defaults().delay(Duration.ofSeconds(1))));
        script.go(text);
        awaitRemoved(task);
        assertThat(script.begun(text))
                .as("its first ttr was over when the later task was done")
                .hasSize(1);
        assertThat(rows.count(text)).isEqualTo(1);
    }

    // sub-queues

    @Test
    void of_a_sub_queue_one_is_worked_on_at_a_time_in_the_order_of_put() {
        Tube subQueues = connection.createTubeIfNotExists(TubeDefinition.utubettl(SubQueueWorker.TUBE));
        String run = named("utube");
        for (int i = 0; i < 50; i++) {
            for (int utube = 0; utube < 10; utube++) {
                subQueues.put(run + "/" + utube + "/" + i, PutOptions.defaults().utube(run + utube));
            }
        }
        Eventually.holds(() -> subQueues.statistics().total() == 0, "all are acked");
        assertThat(script.faults()).isEmpty();
        for (int utube = 0; utube < 10; utube++) {
            String prefix = run + "/" + utube + "/";
            assertThat(script.order(run + utube))
                    .containsExactlyElementsOf(
                            IntStream.range(0, 50).mapToObj(i -> prefix + i).toList());
        }
    }

    // listeners

    @Test
    void a_bean_is_notified_of_each_change_of_a_tube_once_after_the_commit() {
        Tube listened = connection.createTubeIfNotExists(TubeDefinition.fifo(ChangeRecorder.TUBE));
        Eventually.holds(
                () -> {
                    String probe = named("probe");
                    listened.put(probe);
                    return rows.count("PUT " + probe) == 1;
                },
                "the bean listens");
        listened.truncate();
        String text = named("notified");
        listened.put(text);
        String failing = named("throw");
        listened.put(failing);
        listened.ack(listened.take(Duration.ZERO).orElseThrow());
        Eventually.holds(() -> rows.count("ACK " + text) == 1, "the bean is notified of all");
        assertThat(rows.count("PUT " + text)).isEqualTo(1);
        assertThat(rows.count("TAKE " + text)).isEqualTo(1);
        assertThat(rows.count("PUT " + failing))
                .as("undone by what the bean threw")
                .isZero();
    }
}
