package org.tasktube.inflow;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.PutItem;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskBatchListener;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.BeanStatus;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A bean that gets batches: one transaction for all of a batch, and a bad task costs the others no attempt. */
@Timeout(120)
@Tag("large")
class BatchBeanTest {

    private final List<List<String>> calls = new CopyOnWriteArrayList<>();

    private static List<String> texts(List<Task> tasks) {
        return tasks.stream().map(task -> task.data(String.class)).toList();
    }

    /** Notes each call before the bean's work. */
    private Bean bean(TaskBatchListener work) {
        return Bean.ofBatches(tasks -> {
            calls.add(texts(tasks));
            work.onTasks(tasks);
        });
    }

    private static List<Task> put(RunningAdapter adapter, String... data) {
        return adapter.tube().putAll(List.of(data), PutOptions.defaults());
    }

    /** One session, so that a batch has all tasks that are there. */
    private static TaskActivationSpec activate(RunningAdapter adapter, Bean bean, int batchSize) {
        return adapter.activateBatches(bean, spec -> {
            spec.setMaxSession("1");
            spec.setMaxAttempts("2");
            spec.setBatchSize(Integer.toString(batchSize));
        });
    }

    private static List<BeanStatus> beans(RunningAdapter adapter) {
        return adapter.node()
                .admin(new ClientConnection())
                .servers()
                .get(0)
                .beans()
                .orElseThrow();
    }

    private static void awaitEmpty(Tube tube) {
        Eventually.holds(() -> tube.statistics().total() == 0, "the tube is empty");
    }

    @ParameterizedTest
    @DatabaseSource
    void batches_are_as_large_as_they_may_and_in_the_tubes_order(TestDatabase kind) {
        List<String> all = IntStream.range(0, 100).mapToObj(Integer::toString).toList();
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            adapter.tube().putAll(all, PutOptions.defaults());
            activate(adapter, bean(tasks -> {}), 40);
            awaitEmpty(adapter.tube());
        }
        assertThat(calls).extracting(List::size).containsExactly(40, 40, 20);
        assertThat(calls).flatMap(each -> each).isEqualTo(all);
    }

    @ParameterizedTest
    @DatabaseSource
    @Tag("full")
    void a_batch_has_one_task_of_each_sub_queue(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            Tube tube =
                    adapter.node().createTube(new ClientConnection(), TubeDefinition.utubettl(RunningNode.newName()));
            tube.putAll(List.of(inSubQueue("a1"), inSubQueue("a2"), inSubQueue("b1")));
            adapter.activateBatches(bean(tasks -> {}), spec -> {
                spec.setTube(tube.name());
                spec.setMaxSession("1");
            });
            awaitEmpty(tube);
        }
        assertThat(calls).containsExactly(List.of("a1", "b1"), List.of("a2"));
    }

    @ParameterizedTest
    @DatabaseSource
    @Tag("full")
    void a_cancelled_task_of_a_failed_batch_is_not_delivered_again(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            long cancelled = put(adapter, "a", "b", "c").get(1).id();
            activate(
                    adapter,
                    bean(tasks -> {
                        if (tasks.size() > 1) {
                            CompletableFuture.runAsync(() -> adapter.tube().cancel(cancelled, "late"))
                                    .join();
                            throw new IllegalStateException("one of them is cancelled");
                        }
                    }),
                    10);
            awaitEmpty(adapter.tube());
        }
        assertThat(calls).containsExactly(List.of("a", "b", "c"), List.of("a"), List.of("c"));
    }

    private static PutItem inSubQueue(String data) {
        return PutItem.of(data, PutOptions.defaults().utube(data.substring(0, 1)));
    }

    @ParameterizedTest
    @DatabaseSource
    void the_work_and_all_acks_commit_in_one_transaction(TestDatabase kind) {
        List<Object> transactions = new CopyOnWriteArrayList<>();
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            Tube results = adapter.newTube();
            put(adapter, "a", "b", "c");
            activate(
                    adapter,
                    bean(tasks -> {
                        transactions.add(Jta.REGISTRY.getTransactionKey());
                        tasks.forEach(task -> results.put(task.data(String.class)));
                    }),
                    10);
            awaitEmpty(adapter.tube());
            assertThat(results.statistics().total()).isEqualTo(3);
        }
        assertThat(transactions).hasSize(1);
    }

    @ParameterizedTest
    @DatabaseSource
    void each_task_of_a_failed_batch_is_delivered_by_itself_and_only_the_bad_one_loses_an_attempt(TestDatabase kind) {
        Map<String, Integer> attempts = Collections.synchronizedMap(new HashMap<>());
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            Tube results = adapter.newTube();
            List<Task> tasks = put(adapter, "a", "bad", "c");
            activate(
                    adapter,
                    bean(batch -> batch.forEach(task -> {
                        String data = task.data(String.class);
                        results.put(data);
                        attempts.put(data, task.attempts());
                        if (data.equals("bad")) {
                            throw new IllegalStateException("bad data");
                        }
                    })),
                    10);
            adapter.awaitBuried(tasks.get(1));
            assertThat(adapter.tube().statistics().total()).isEqualTo(1);
            assertThat(adapter.tube().meta(tasks.get(1).id()).orElseThrow().lastFailure())
                    .hasValueSatisfying(failure -> assertThat(failure.message()).contains("bad data"));
            assertThat(results.statistics().total())
                    .as("the work of each delivery that did not fail")
                    .isEqualTo(2);
        }
        assertThat(calls.subList(0, 4))
                .containsExactly(List.of("a", "bad", "c"), List.of("a"), List.of("bad"), List.of("c"));
        assertThat(attempts).isEqualTo(Map.of("a", 1, "bad", 2, "c", 1));
    }

    @ParameterizedTest
    @DatabaseSource
    void a_batch_that_is_marked_for_rollback_is_delivered_task_by_task(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            put(adapter, "a", "b");
            activate(
                    adapter,
                    bean(tasks -> {
                        if (tasks.size() > 1) {
                            Jta.MANAGER.setRollbackOnly();
                        }
                    }),
                    10);
            awaitEmpty(adapter.tube());
        }
        assertThat(calls).containsExactly(List.of("a", "b"), List.of("a"), List.of("b"));
    }

    @ParameterizedTest
    @DatabaseSource
    void what_the_bean_has_ended_itself_is_not_acked_and_all_else_is(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            List<Task> put = put(adapter, "a", "b", "c");
            activate(adapter, bean(tasks -> adapter.tube().bury(tasks.get(1))), 10);
            adapter.awaitBuried(put.get(1));
            Eventually.holds(() -> adapter.tube().statistics().total() == 1, "the others are acked");
        }
        assertThat(calls).hasSize(1);
    }

    @ParameterizedTest
    @DatabaseSource
    void an_end_that_was_rolled_back_with_its_batch_does_not_count(TestDatabase kind) {
        AtomicBoolean first = new AtomicBoolean(true);
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            put(adapter, "a", "b");
            activate(
                    adapter,
                    bean(tasks -> {
                        adapter.tube().bury(tasks.get(0));
                        if (first.getAndSet(false)) {
                            throw new IllegalStateException("after the burial");
                        }
                    }),
                    10);
            Eventually.holds(() -> adapter.tube().statistics().buried() == 2, "both are buried");
        }
        assertThat(calls).containsExactly(List.of("a", "b"), List.of("a"), List.of("b"));
    }

    @ParameterizedTest
    @DatabaseSource
    void without_a_transaction_what_the_bean_has_ended_is_not_delivered_again(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            put(adapter, "a", "b", "c");
            activate(
                    adapter,
                    bean(tasks -> {
                                if (tasks.size() > 1) {
                                    adapter.tube().ack(tasks.get(0));
                                    throw new IllegalStateException("after the ack");
                                }
                            })
                            .withoutTransactions(),
                    10);
            awaitEmpty(adapter.tube());
        }
        assertThat(calls).containsExactly(List.of("a", "b", "c"), List.of("b"), List.of("c"));
    }

    @ParameterizedTest
    @DatabaseSource
    void without_a_transaction_one_lost_task_does_not_keep_the_others(TestDatabase kind) {
        for (boolean gather : List.of(true, false)) {
            calls.clear();
            try (RunningAdapter adapter = new RunningAdapter(kind)) {
                List<Task> put = put(adapter, "a", "b", "c");
                adapter.activateBatches(
                        bean(tasks -> outside(
                                        () -> adapter.tube().delete(put.get(1).id())))
                                .withoutTransactions(),
                        spec -> {
                            spec.setMaxSession("1");
                            spec.setGatherAcks(Boolean.toString(gather));
                        });
                awaitEmpty(adapter.tube());
            }
            assertThat(calls).containsExactly(List.of("a", "b", "c"));
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void the_work_of_a_batch_that_lost_a_task_is_rolled_back_and_the_others_are_delivered_by_themselves(
            TestDatabase kind) {
        AtomicBoolean first = new AtomicBoolean(true);
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            Tube results = adapter.newTube();
            List<Task> put = put(adapter, "a", "b", "c");
            activate(
                    adapter,
                    bean(tasks -> {
                        results.put("x");
                        if (first.getAndSet(false)) {
                            outside(() -> adapter.tube().delete(put.get(1).id()));
                        }
                    }),
                    10);
            awaitEmpty(adapter.tube());
            assertThat(results.statistics().total()).isEqualTo(2);
        }
        assertThat(calls).containsExactly(List.of("a", "b", "c"), List.of("a"), List.of("c"));
    }

    /** On a thread of its own, as another consumer would. */
    private static void outside(Runnable work) {
        Thread other = new Thread(work);
        other.start();
        try {
            other.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void the_ttr_of_each_task_begins_again_before_its_own_delivery(TestDatabase kind) {
        List<Instant> deadlines = new CopyOnWriteArrayList<>();
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            adapter.tube().putAll(List.of("a", "b"), PutOptions.defaults().ttr(Duration.ofSeconds(60)));
            activate(
                    adapter,
                    bean(tasks -> {
                        Task last = tasks.get(tasks.size() - 1);
                        outside(() -> deadlines.add(adapter.tube()
                                .meta(last.id())
                                .orElseThrow()
                                .event()
                                .orElseThrow()));
                        if (tasks.size() > 1) {
                            throw new IllegalStateException("too many");
                        }
                    }),
                    10);
            awaitEmpty(adapter.tube());
        }
        assertThat(calls).containsExactly(List.of("a", "b"), List.of("a"), List.of("b"));
        assertThat(deadlines.get(2)).as("of task b").isAfter(deadlines.get(0));
    }

    @ParameterizedTest
    @DatabaseSource
    void a_stop_amid_the_deliveries_of_a_failed_batch_returns_the_others_without_an_attempt(TestDatabase kind)
            throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            List<Task> put = put(adapter, "a", "b", "c");
            Bean bean = bean(tasks -> {
                if (tasks.size() > 1) {
                    throw new IllegalStateException("too many");
                }
                begun.countDown();
                end.await();
            });
            TaskActivationSpec spec = activate(adapter, bean, 10);
            assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
            Thread stop = new Thread(() -> adapter.activations().stop(bean, spec));
            stop.start();
            Eventually.holds(() -> stop.getState() == Thread.State.TIMED_WAITING, "the stop waits for the delivery");
            end.countDown();
            stop.join();
            for (Task task : put.subList(1, 3)) {
                assertThat(adapter.tube().peek(task.id())).hasValueSatisfying(left -> {
                    assertThat(left.state()).isEqualTo(TaskState.READY);
                    assertThat(left.attempts()).isZero();
                });
            }
            assertThat(adapter.tube().peek(put.get(0).id())).isEmpty();
        }
        assertThat(calls).containsExactly(List.of("a", "b", "c"), List.of("a"));
    }

    @ParameterizedTest
    @DatabaseSource
    @Tag("full")
    void the_ttr_of_those_that_wait_for_their_own_delivery_is_renewed(TestDatabase kind) {
        AtomicBoolean first = new AtomicBoolean(true);
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            adapter.tube()
                    .putAll(List.of("a", "b", "c", "d"), PutOptions.defaults().ttr(Duration.ofSeconds(2)));
            adapter.activateBatches(
                    bean(tasks -> {
                        if (first.getAndSet(false)) {
                            throw new IllegalStateException("bad");
                        }
                        // As long as the work of a slow bean
                        TimeUnit.MILLISECONDS.sleep(800);
                    }),
                    spec -> {
                        spec.setMaxSession("1");
                        spec.setMaxAttempts("1");
                    });
            awaitEmpty(adapter.tube());
        }
        assertThat(calls).hasSize(5);
    }

    @ParameterizedTest
    @DatabaseSource
    @Tag("full")
    void a_task_that_outlasts_its_ttr_comes_alone_the_next_time_and_buries_no_other(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            List<Task> put = adapter.tube()
                    .putAll(List.of("a", "slow", "c"), PutOptions.defaults().ttr(Duration.ofSeconds(1)));
            activate(
                    adapter,
                    bean(tasks -> {
                        if (texts(tasks).contains("slow")) {
                            long task = put.get(1).id();
                            Eventually.holds(
                                    () -> state(adapter, task) != TaskState.TAKEN, "the ttr of the slow one is over");
                        }
                    }),
                    10);
            adapter.awaitBuried(put.get(1));
            Eventually.holds(() -> adapter.tube().statistics().total() == 1, "the others are done");
        }
        assertThat(calls).contains(List.of("a"), List.of("c"));
    }

    private static TaskState state(RunningAdapter adapter, long task) {
        List<TaskState> state = new CopyOnWriteArrayList<>();
        outside(() -> state.add(adapter.tube().peek(task).orElseThrow().state()));
        return state.get(0);
    }

    @ParameterizedTest
    @DatabaseSource
    void a_pause_amid_the_deliveries_of_a_failed_batch_returns_the_others(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            put(adapter, "a", "b", "c");
            activate(
                    adapter,
                    bean(tasks -> {
                        if (tasks.size() > 1) {
                            throw new IllegalStateException("too many");
                        }
                        outside(() -> adapter.tube().pause("a rest"));
                    }),
                    10);
            Eventually.holds(() -> adapter.tube().statistics().ready() == 2, "two have returned");
            assertThat(calls).containsExactly(List.of("a", "b", "c"), List.of("a"));
        }
    }

    @ParameterizedTest
    @DatabaseSource
    @Tag("full")
    void a_refusal_amid_the_deliveries_of_a_failed_batch_returns_the_others_at_once(TestDatabase kind) {
        AtomicInteger begun = new AtomicInteger();
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            put(adapter, "a", "b", "c");
            Bean bean = bean(tasks -> {
                        if (calls.size() == 1) {
                            throw new IllegalStateException("bad");
                        }
                    })
                    .withFaults(step -> {
                        if (step == Bean.Step.BEFORE && begun.incrementAndGet() == 2) {
                            throw new IllegalStateException("suspended");
                        }
                    });
            activate(adapter, bean, 10);
            awaitEmpty(adapter.tube());
        }
        assertThat(calls).as("whole again").containsExactly(List.of("a", "b", "c"), List.of("a", "b", "c"));
    }

    @ParameterizedTest
    @DatabaseSource
    void a_bean_that_ends_all_its_tasks_and_is_refused_a_connection_goes_on(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            put(adapter, "a", "b");
            activate(
                    adapter,
                    bean(tasks -> {
                                tasks.forEach(adapter.tube()::ack);
                                throw new SQLException("too many connections", "53300");
                            })
                            .withoutTransactions(),
                    10);
            awaitEmpty(adapter.tube());
            put(adapter, "c", "d");
            awaitEmpty(adapter.tube());
        }
    }

    @ParameterizedTest
    @DatabaseSource
    @Tag("full")
    void a_batch_that_the_server_refuses_comes_again_whole_and_no_attempt_counts(TestDatabase kind) {
        AtomicInteger refused = new AtomicInteger();
        Map<String, Integer> attempts = Collections.synchronizedMap(new HashMap<>());
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            put(adapter, "a", "b");
            Bean bean = bean(tasks -> tasks.forEach(task -> attempts.put(task.data(String.class), task.attempts())))
                    .withFaults(step -> {
                        if (step == Bean.Step.BEFORE && refused.incrementAndGet() < 3) {
                            throw new IllegalStateException("suspended");
                        }
                    });
            activate(adapter, bean, 10);
            awaitEmpty(adapter.tube());
        }
        assertThat(attempts).isEqualTo(Map.of("a", 1, "b", 1));
        assertThat(calls).containsExactly(List.of("a", "b"));
    }

    @ParameterizedTest
    @DatabaseSource
    void a_batch_is_one_delivery_and_shows_all_its_tasks(TestDatabase kind) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            List<Task> put = put(adapter, "a", "b");
            activate(
                    adapter,
                    bean(tasks -> {
                        begun.countDown();
                        end.await();
                    }),
                    10);
            assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
            BeanStatus status = beans(adapter).get(0);
            assertThat(status.busy()).isEqualTo(1);
            assertThat(status.deliveries())
                    .extracting(BeanStatus.Delivery::task)
                    .containsExactly(put.get(0).id(), put.get(1).id());
            end.countDown();
            awaitEmpty(adapter.tube());
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_lone_task_that_is_put_for_the_idle_bean_does_not_wait_for_others(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            activate(adapter, bean(tasks -> {}), 1000);
            Eventually.holds(() -> beans(adapter).get(0).hindrance().isEmpty(), "nothing hinders the bean");
            adapter.tube().put("alone");
            awaitEmpty(adapter.tube());
        }
        assertThat(calls).containsExactly(List.of("alone"));
    }
}
