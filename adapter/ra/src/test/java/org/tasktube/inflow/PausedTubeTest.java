package org.tasktube.inflow;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Jta;
import org.tasktube.testing.LogLines;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A bean whose tube is paused and resumed. */
class PausedTubeTest {

    private static final int TASKS = 300;

    /** By then the bean counts as quick, and has tasks claimed ahead. */
    private static final int QUICK = 150;

    @ParameterizedTest
    @DatabaseSource
    void a_bean_begins_no_task_of_a_paused_tube_and_all_of_them_when_it_is_resumed(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            AtomicInteger begun = new AtomicInteger();
            adapter.activate(new Bean(task -> begun.incrementAndGet()));
            adapter.awaitRemoved(adapter.tube().put("before"));
            adapter.tube().pause("inventory");
            Task waiting = adapter.tube().put("waits");
            assertThat(adapter.tube().statistics().ready()).isEqualTo(1);
            assertThat(begun).hasValue(1);
            adapter.tube().resume();
            adapter.awaitRemoved(waiting);
            assertThat(begun).hasValue(2);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void what_was_claimed_ahead_and_not_begun_is_returned_at_the_pause(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            AtomicInteger begun = new AtomicInteger();
            CountDownLatch reached = new CountDownLatch(1);
            CountDownLatch paused = new CountDownLatch(1);
            putAll(adapter);
            adapter.activate(new Bean(task -> work(begun, reached, paused)), spec -> spec.setMaxSession("1"));
            assertThat(reached.await(60, TimeUnit.SECONDS)).isTrue();

            adapter.tube().pause("inventory");
            paused.countDown();

            Eventually.holds(() -> adapter.tube().statistics().taken() == 0, "the one that was begun has ended");
            assertThat(begun).hasValue(QUICK);
            List<Task> returned = adapter.tube().tasks(TaskState.READY, 0, TASKS);
            assertThat(returned).hasSize(TASKS - QUICK);
            assertThat(returned).extracting(Task::attempts).containsOnly(0);
            adapter.tube().resume();
            Eventually.holds(() -> begun.get() == TASKS, "all are delivered");
            Eventually.holds(() -> adapter.tube().statistics().total() == 0, "all are acked");
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_pause_that_is_rolled_back_leaves_the_bean_its_tasks(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            AtomicInteger begun = new AtomicInteger();
            adapter.activate(new Bean(task -> begun.incrementAndGet()));
            Jta.MANAGER.begin();
            adapter.tube().pause("inventory");
            Jta.MANAGER.rollback();
            adapter.awaitRemoved(adapter.tube().put("a"));
            assertThat(begun).hasValue(1);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void each_change_is_a_line_of_the_log_with_who_and_why(TestDatabase kind) {
        try (LogLines log = new LogLines("org.tasktube.tube");
                RunningAdapter adapter = new RunningAdapter(kind)) {
            String name = adapter.tube().name();
            adapter.tube().pause("inventory", "anna");
            adapter.tube().pause("inventory", "ben");
            adapter.tube().drain("the shop moves");
            adapter.tube().resume("carl");
            assertThat(log.of("TASKTUBE0117"))
                    .filteredOn(line -> line.contains(name))
                    .singleElement()
                    .asString()
                    .startsWith("INFO")
                    .contains("anna", "inventory");
            assertThat(log.of("TASKTUBE0118"))
                    .filteredOn(line -> line.contains(name))
                    .singleElement()
                    .asString()
                    .contains("test", "the shop moves");
            assertThat(log.of("TASKTUBE0119"))
                    .filteredOn(line -> line.contains(name))
                    .singleElement()
                    .asString()
                    .contains("carl");
        }
    }

    private static void putAll(RunningAdapter adapter) {
        adapter.tube()
                .putAll(IntStream.range(0, TASKS).mapToObj(i -> "task " + i).toList(), PutOptions.defaults());
    }

    private static void work(AtomicInteger begun, CountDownLatch reached, CountDownLatch paused)
            throws InterruptedException {
        if (begun.incrementAndGet() == QUICK) {
            reached.countDown();
            assertThat(paused.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }
}
