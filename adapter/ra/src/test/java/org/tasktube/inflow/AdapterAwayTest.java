package org.tasktube.inflow;

import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.AdapterState;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskListener;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.LogLines;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Deliveries that end while the adapter is WAITING for its database. */
@Tag("full")
@Timeout(60)
class AdapterAwayTest {

    private final Queue<Integer> attempts = new ConcurrentLinkedQueue<>();

    @ParameterizedTest
    @DatabaseSource
    void tasks_that_could_not_be_acked_are_released_after_the_outage_and_no_attempt_is_counted(TestDatabase kind)
            throws Exception {
        CountDownLatch begun = new CountDownLatch(5);
        CountDownLatch away = new CountDownLatch(1);
        try (LogLines log = new LogLines("org.tasktube.inflow");
                RunningAdapter adapter = new RunningAdapter(kind)) {
            Bean bean = new Bean(task -> {
                attempts.add(task.attempts());
                begun.countDown();
                away.await();
            });
            adapter.activate(bean, spec -> {
                spec.setGatherAcks("false");
                spec.setMaxAttempts("1");
                spec.setMaxSession("5");
            });
            List<Task> tasks = adapter.tube().putAll(Collections.nCopies(5, "x"), PutOptions.defaults());
            begun.await();
            adapter.away(true);
            adapter.awaitState(AdapterState.WAITING);
            away.countDown();
            assertThat(log.first("TASKTUBE0213")).contains(adapter.tube().name());

            adapter.away(false);
            adapter.awaitState(AdapterState.RUNNING);
            tasks.forEach(adapter::awaitRemoved);
            assertThat(attempts).hasSize(10).containsOnly(1);
            assertThat(log.of("TASKTUBE0202")).isEmpty();
            assertThat(adapter.threads().escaped()).isEmpty();
        }
    }

    /** The adapter has not noticed yet. */
    @ParameterizedTest
    @DatabaseSource
    void an_ack_whose_connection_is_lost_counts_no_attempt(TestDatabase kind) {
        try (LogLines log = new LogLines("org.tasktube.inflow");
                RunningAdapter adapter = new RunningAdapter(kind)) {
            Bean bean = new Bean(task -> {
                attempts.add(task.attempts());
                if (attempts.size() == 1) {
                    adapter.away(true);
                }
            });
            adapter.activate(bean, spec -> {
                spec.setGatherAcks("false");
                spec.setMaxAttempts("1");
            });
            Task task = adapter.tube().put("x");
            assertThat(log.first("TASKTUBE0213")).contains(adapter.tube().name());
            adapter.awaitState(AdapterState.WAITING);
            adapter.away(false);
            adapter.awaitState(AdapterState.RUNNING);
            adapter.awaitRemoved(task);
            assertThat(attempts).containsExactly(1, 1);
            assertThat(log.of("TASKTUBE0202")).isEmpty();
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_bean_is_not_said_to_wait_for_a_tube_while_the_adapter_waits_for_its_database(TestDatabase kind) {
        try (LogLines log = new LogLines("org.tasktube.inflow");
                RunningAdapter adapter = new RunningAdapter(kind)) {
            adapter.away(true);
            adapter.awaitState(AdapterState.WAITING);
            adapter.activate(new Bean(task -> {}));
            adapter.away(false);
            adapter.awaitState(AdapterState.RUNNING);
            adapter.awaitRemoved(adapter.tube().put("x"));
            assertThat(log.of("TASKTUBE0200")).isEmpty();

            adapter.activate(new Bean(task -> {}), spec -> spec.setTube("nosuch"));
            assertThat(log.first("TASKTUBE0200")).contains("shop.war#Worker", "nosuch");
        }
    }

    /** WildFly's name is that of the adapter's archive and of the interface, the same for all beans. */
    @Test
    void a_bean_whose_server_has_one_name_for_all_is_called_by_its_class() {
        TaskListener worker = task -> {};
        try (LogLines log = new LogLines("org.tasktube.inflow");
                RunningAdapter adapter = new RunningAdapter(TestDatabase.H2)) {
            adapter.activate(
                    new Bean(worker).named("tasktube.rarorg.tasktube.TaskListener"), spec -> spec.setTube("nosuch"));
            assertThat(log.first("TASKTUBE0200")).contains(worker.getClass().getName(), "nosuch");
        }
    }
}
