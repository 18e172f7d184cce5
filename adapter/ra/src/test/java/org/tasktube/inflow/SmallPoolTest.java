package org.tasktube.inflow;

import jakarta.ejb.EJBException;
import jakarta.resource.ResourceException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.ConnectionException;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskListener;
import org.tasktube.testing.BoundedWorkManager;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.LogLines;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A pool of beans that is smaller than maxSession. */
@Tag("full")
@Timeout(60)
class SmallPoolTest {

    private static final String NO_PERMIT = "WFLYEJB0378";

    private static boolean isRefusal(Throwable thrown) {
        return thrown instanceof EJBException
                && String.valueOf(thrown.getMessage()).startsWith(NO_PERMIT);
    }

    @ParameterizedTest
    @DatabaseSource
    void a_task_for_which_the_pool_had_no_bean_is_not_tried_and_fewer_are_worked_on_at_once(TestDatabase kind) {
        AtomicInteger worked = new AtomicInteger();
        try (LogLines log = new LogLines("org.tasktube.inflow");
                RunningAdapter adapter =
                        new RunningAdapter(kind, new BoundedWorkManager(50, 50), SmallPoolTest::isRefusal)) {
            Bean bean = new Bean(task -> {
                        java.util.concurrent.locks.LockSupport.parkNanos(100_000_000);
                        assertThat(task.attempts()).isOne();
                        worked.incrementAndGet();
                    })
                    .withInstances(2);
            adapter.activate(bean, spec -> {
                spec.setMaxSession("8");
                spec.setMaxAttempts("1");
            });
            List<Task> tasks = adapter.tube().putAll(Collections.nCopies(30, "x"), PutOptions.defaults());
            tasks.forEach(adapter::awaitRemoved);

            assertThat(worked).hasValue(30);
            assertThat(log.first("TASKTUBE0212"))
                    .contains("shop.war#Worker", adapter.tube().name(), "maxSession", "8");
            assertThat(log.of("TASKTUBE0212")).hasSizeLessThanOrEqualTo(6);
        }
    }

    /** Three deliveries get no connection, as while a database has too many, and its attempts are three at most. */
    @ParameterizedTest
    @DatabaseSource
    void a_task_whose_bean_got_no_connection_is_not_tried(TestDatabase kind) {
        AtomicInteger refused = new AtomicInteger();
        try (LogLines log = new LogLines("org.tasktube.inflow");
                RunningAdapter adapter = new RunningAdapter(kind)) {
            Bean bean = new Bean(task -> {
                assertThat(task.attempts()).isOne();
                if (refused.incrementAndGet() <= 3) {
                    throw new IllegalStateException(
                            "no stock", new SQLException("sorry, too many clients already", "53300"));
                }
            });
            adapter.activate(bean, spec -> spec.setMaxAttempts("2"));
            adapter.awaitRemoved(adapter.tube().put("x"));

            assertThat(refused).hasValue(4);
            assertThat(log.first("TASKTUBE0217"))
                    .contains("shop.war#Worker", adapter.tube().name(), "too many clients");
        }
    }

    /** All deliveries of a bean are refused, as while its application is undeployed. */
    @ParameterizedTest
    @DatabaseSource
    void a_refused_bean_pauses_once_with_one_line_for_all_its_sessions_and_returns_its_tasks(TestDatabase kind) {
        AtomicInteger worked = new AtomicInteger();
        AtomicLong refusedUntil = new AtomicLong();
        try (LogLines log = new LogLines("org.tasktube.inflow");
                RunningAdapter adapter = new RunningAdapter(kind)) {
            Bean bean = new Bean(task -> {
                // The first ones make the bean quick, so that many tasks are claimed ahead
                if (worked.incrementAndGet() > 300) {
                    refusedUntil.compareAndSet(
                            0, System.nanoTime() + Duration.ofMillis(250).toNanos());
                    if (System.nanoTime() - refusedUntil.get() < 0) {
                        throw new IllegalStateException("no stock", new SQLException("too many clients", "53300"));
                    }
                }
            });
            adapter.activate(bean, spec -> spec.setMaxAttempts("1"));
            List<Task> tasks = adapter.tube().putAll(Collections.nCopies(1000, "x"), PutOptions.defaults());
            tasks.forEach(adapter::awaitRemoved);

            assertThat(log.of("TASKTUBE0217")).hasSizeBetween(1, 8);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_bean_that_has_used_up_the_pool_of_tasktube_was_tried(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            Bean bean = new Bean(task -> {
                throw new ConnectionException(
                        "no connection", new ResourceException("IJ000453", new SQLException("full", "53300")));
            });
            adapter.activate(bean, spec -> spec.setMaxAttempts("1"));
            adapter.awaitBuried(adapter.tube().put("x"));
        }
    }

    /** Calls another bean, whose pool is exhausted. */
    private static final class Caller implements TaskListener {

        @Override
        public void onTask(Task task) {
            throw new EJBException(NO_PERMIT + ": Failed to acquire a permit within 1 SECONDS");
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_bean_that_found_another_pool_exhausted_was_tried(TestDatabase kind) {
        try (RunningAdapter adapter =
                new RunningAdapter(kind, new BoundedWorkManager(50, 50), SmallPoolTest::isRefusal)) {
            adapter.activate(new Bean(new Caller()), spec -> spec.setMaxAttempts("2"));
            Task task = adapter.tube().put("x");
            adapter.awaitBuried(task);
            Eventually.holds(() -> adapter.tube().statistics().buried() == 1, "it is buried after two attempts");
        }
    }
}
