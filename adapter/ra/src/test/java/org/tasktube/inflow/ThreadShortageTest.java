package org.tasktube.inflow;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.testing.BoundedWorkManager;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.LogLines;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A server that has fewer threads than beans want. */
@Tag("full")
@Timeout(60)
class ThreadShortageTest {

    private final CountDownLatch finish = new CountDownLatch(1);
    private final AtomicInteger working = new AtomicInteger();

    private Bean waiting() {
        return new Bean(task -> {
            working.incrementAndGet();
            finish.await();
            working.decrementAndGet();
        });
    }

    private static List<Task> put(Tube tube, int count) {
        return tube.putAll(Collections.nCopies(count, "x"), PutOptions.defaults());
    }

    @ParameterizedTest
    @DatabaseSource
    void a_bean_that_wants_more_threads_than_pool_and_queue_have_works_with_those_and_can_be_stopped(TestDatabase kind)
            throws Exception {
        try (LogLines log = new LogLines("org.tasktube.inflow");
                RunningAdapter adapter = new RunningAdapter(kind, new BoundedWorkManager(6, 2), thrown -> false)) {
            Bean bean = waiting();
            TaskActivationSpec spec = adapter.activate(bean, s -> s.setMaxSession("30"));
            put(adapter.tube(), 30);

            // One of the six threads claims
            Eventually.holds(() -> working.get() == 5, "all threads work");
            assertThat(log.first("TASKTUBE0206"))
                    .contains("shop.war#Worker", adapter.tube().name(), "tasktube.threads");
            Eventually.holds(() -> adapter.tube().statistics().taken() == 5, "tasks without a thread are returned");

            Thread undeploying = new Thread(() -> adapter.activations().stop(bean, spec));
            undeploying.start();
            TimeUnit.MILLISECONDS.sleep(200);
            finish.countDown();
            undeploying.join(20_000);
            assertThat(undeploying.isAlive()).isFalse();
            assertThat(adapter.tube().statistics().taken()).isZero();
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void with_no_thread_at_all_tasks_are_returned_and_worked_on_when_there_is_one(TestDatabase kind) throws Exception {
        try (LogLines log = new LogLines("org.tasktube.inflow");
                RunningAdapter adapter = new RunningAdapter(kind, new BoundedWorkManager(2, 1), thrown -> false)) {
            // One thread claims for the bean, the other belongs to another work
            CountDownLatch others = new CountDownLatch(1);
            adapter.threads().scheduleWork(new org.tasktube.jca.LongRunning(() -> await(others)));
            finish.countDown();
            adapter.activate(waiting(), spec -> spec.setMaxSession("5"));

            List<Task> tasks = put(adapter.tube(), 3);
            assertThat(log.first("TASKTUBE0206")).contains("0 of 3");
            Eventually.holds(() -> adapter.tube().tasks(TaskState.READY, 0, 10).size() == 3, "all tasks are returned");
            assertThat(adapter.tube().tasks(TaskState.READY, 0, 10)).allMatch(task -> task.attempts() == 0);

            others.countDown();
            tasks.forEach(adapter::awaitRemoved);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_server_that_rejects_work_has_it_asked_for_again(TestDatabase kind) {
        try (LogLines log = new LogLines("org.tasktube.inflow");
                RunningAdapter adapter = new RunningAdapter(kind)) {
            adapter.activate(waiting());
            put(adapter.tube(), 1);
            Eventually.holds(() -> working.get() == 1, "the thread that there is works");
            adapter.threads().reject(true);
            List<Task> second = put(adapter.tube(), 1);
            log.first("TASKTUBE0206");
            adapter.threads().reject(false);
            Eventually.holds(() -> working.get() == 2, "the second is worked on");
            finish.countDown();
            second.forEach(adapter::awaitRemoved);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_virtual_machine_that_has_no_thread_for_the_requests_ends_no_delivery_and_is_asked_again(TestDatabase kind)
            throws Exception {
        try (LogLines log = new LogLines("org.tasktube.inflow");
                RunningAdapter adapter = new RunningAdapter(kind)) {
            Bean bean = waiting();
            TaskActivationSpec spec = adapter.activate(bean, s -> s.setMaxSession("3"));
            put(adapter.tube(), 1);
            Eventually.holds(() -> working.get() == 1, "the first is worked on");
            adapter.awaitRequestThreadEnd();
            adapter.outOfThreads(true);
            put(adapter.tube(), 1);
            assertThat(log.first("TASKTUBE0206")).contains("unable to create native thread");
            adapter.outOfThreads(false);
            Eventually.holds(() -> working.get() == 2, "the second is worked on");
            finish.countDown();
            adapter.activations().stop(bean, spec);
            assertThat(adapter.tube().statistics().taken()).isZero();
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_bean_that_no_thread_claims_for_is_named_and_activation_and_deactivation_return(TestDatabase kind)
            throws Exception {
        try (LogLines log = new LogLines("org.tasktube.inflow");
                RunningAdapter adapter = new RunningAdapter(kind, new BoundedWorkManager(1, 0), thrown -> false)) {
            CountDownLatch others = new CountDownLatch(1);
            adapter.threads().scheduleWork(new org.tasktube.jca.LongRunning(() -> await(others)));
            Bean bean = waiting();

            TaskActivationSpec spec = adapter.activate(bean);
            assertThat(log.first("TASKTUBE0211"))
                    .contains("shop.war#Worker", adapter.tube().name(), "tasktube.threads");
            adapter.activations().stop(bean, spec);

            adapter.activate(bean);
            others.countDown();
            // The claimer has the only thread now, so that nothing is delivered, and nothing kept
            Task task = adapter.tube().put("x");
            Eventually.holds(() -> log.of("TASKTUBE0206").size() == 1, "the shortage is logged");
            Eventually.holds(
                    () -> adapter.tube().peek(task.id()).orElseThrow().state() == TaskState.READY, "it is returned");
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void many_beans_share_the_threads_and_each_gets_its_tasks_in_the_end(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind, new BoundedWorkManager(8, 3), thrown -> false)) {
            finish.countDown();
            List<Tube> tubes = java.util.stream.IntStream.range(0, 5)
                    .mapToObj(i -> adapter.newTube())
                    .toList();
            for (Tube tube : tubes) {
                adapter.activate(waiting(), spec -> {
                    spec.setTube(tube.name());
                    spec.setMaxSession("20");
                });
            }
            tubes.forEach(tube -> put(tube, 40));
            for (Tube tube : tubes) {
                Eventually.holds(() -> tube.statistics().total() == 0, "all tasks of each tube are worked on");
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
