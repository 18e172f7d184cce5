package org.tasktube.inflow;

import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The adapter's stop. */
@Tag("full")
@Timeout(120)
class StopTest {

    private static final int BEANS = 3;
    private static final int QUICK = 1_000;

    private final CountDownLatch begun = new CountDownLatch(BEANS);
    private final CountDownLatch release = new CountDownLatch(1);

    /** Each of them is given ten seconds. */
    @Test
    void beans_that_do_not_end_are_waited_for_together() throws Exception {
        try (RunningAdapter adapter = new RunningAdapter(TestDatabase.H2)) {
            for (int i = 0; i < BEANS; i++) {
                Tube tube = adapter.newTube();
                adapter.activate(new Bean(task -> block()), spec -> spec.setTube(tube.name()));
                tube.put("a");
            }
            begun.await();
            long start = System.nanoTime();
            adapter.activations().stopAll();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(18));
        } finally {
            release.countDown();
        }
    }

    /** The next deployment of the same bean gets them, however long the hung one takes. */
    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void a_bean_that_never_ends_keeps_no_task_that_was_only_claimed_ahead(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            AtomicInteger worked = new AtomicInteger();
            CountDownLatch inTheMiddle = new CountDownLatch(1);
            Bean bean = new Bean(task -> {
                if (task.text().equals("hangs")) {
                    release.await();
                } else if (worked.incrementAndGet() == QUICK / 2) {
                    inTheMiddle.countDown();
                    Thread.sleep(200);
                }
            });
            adapter.tube().put("hangs");
            adapter.tube().putAll(Collections.nCopies(QUICK, "quick"), PutOptions.defaults());
            TaskActivationSpec spec = adapter.activate(bean, each -> each.setMaxSession("2"));
            inTheMiddle.await();
            adapter.activations().stop(bean, spec);
            assertThat(adapter.tube().tasks(TaskState.TAKEN, 0, 1_000))
                    .extracting(Task::text)
                    .as("tasks that are TAKEN when the stop has given up waiting")
                    .containsExactly("hangs");
            adapter.activate(bean, each -> each.setMaxSession("2"));
            Eventually.holds(
                    () -> adapter.tube().statistics().total() == 1,
                    "the next activation works on all but the hung one");
        } finally {
            release.countDown();
        }
    }

    private void block() throws InterruptedException {
        begun.countDown();
        release.await();
    }
}
