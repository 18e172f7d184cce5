package org.tasktube.inflow;

import jakarta.ejb.EJBException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.AdapterState;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.admin.BeanStatus;
import org.tasktube.admin.BeanStatus.Reason;
import org.tasktube.admin.ServerStatus;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.WaitingTask;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.BoundedWorkManager;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The administration shows the beans of this server: what they work on, and what keeps tasks from them. */
@Tag("full")
@Timeout(60)
class BeanReportTest {

    private static TaskAdmin admin(RunningAdapter adapter) {
        return adapter.node().admin(new ClientConnection());
    }

    private static List<BeanStatus> beans(RunningAdapter adapter) {
        return admin(adapter).servers().stream()
                .filter(ServerStatus::isThis)
                .flatMap(server -> server.beans().stream())
                .flatMap(List::stream)
                .toList();
    }

    private static BeanStatus bean(RunningAdapter adapter) {
        return beans(adapter).get(0);
    }

    private static Optional<Reason> reason(RunningAdapter adapter) {
        return bean(adapter).hindrance().map(BeanStatus.Hindrance::reason);
    }

    private static void awaitReason(RunningAdapter adapter, Reason reason) {
        Eventually.holds(() -> reason(adapter).equals(Optional.of(reason)), "the reason " + reason);
    }

    private static WaitingTask why(RunningAdapter adapter, Task task) {
        return admin(adapter).whyWaiting(task.tube(), task.id());
    }

    @ParameterizedTest
    @DatabaseSource
    void a_bean_is_shown_with_the_tasks_that_it_works_on(TestDatabase kind) throws Exception {
        CountDownLatch begun = new CountDownLatch(2);
        CountDownLatch end = new CountDownLatch(1);
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            assertThat(beans(adapter)).isEmpty();
            TaskActivationSpec spec = new TaskActivationSpec();
            Bean bean = new Bean(task -> {
                begun.countDown();
                end.await();
            });
            spec.setTube(adapter.tube().name());
            spec.setMaxSession("2");
            adapter.activations().start(bean, spec);
            Eventually.holds(() -> reason(adapter).isEmpty(), "nothing hinders the bean");
            List<Task> tasks = adapter.tube().putAll(Collections.nCopies(2, "x"), PutOptions.defaults());
            assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
            Task waiting = adapter.tube().put("waits");

            awaitReason(adapter, Reason.BUSY);
            BeanStatus status = bean(adapter);
            assertThat(status.name()).isEqualTo("shop.war#Worker");
            assertThat(status.tube()).isEqualTo(adapter.tube().name());
            assertThat(status.maxSession()).isEqualTo(2);
            assertThat(status.limit()).isEqualTo(2);
            assertThat(status.deliveries())
                    .extracting(BeanStatus.Delivery::task)
                    .containsExactlyInAnyOrder(tasks.get(0).id(), tasks.get(1).id());
            assertThat(status.deliveries()).allSatisfy(delivery -> {
                assertThat(delivery.attempts()).isEqualTo(1);
                assertThat(delivery.duration()).isBetween(Duration.ZERO, Duration.ofMinutes(5));
            });

            WaitingTask worked = why(adapter, tasks.get(0));
            assertThat(worked.reason()).isEqualTo(WaitingTask.Reason.TAKEN);
            assertThat(worked.bean()).contains("shop.war#Worker");
            assertThat(worked.sentence()).contains("bean 'shop.war#Worker' of server 'test' has worked on it for");
            assertThat(why(adapter, waiting).reason())
                    .isIn(WaitingTask.Reason.CONSUMERS_HINDERED, WaitingTask.Reason.CLAIMED_AHEAD);
            Eventually.holds(
                    () -> why(adapter, waiting).reason() == WaitingTask.Reason.CONSUMERS_HINDERED,
                    "a task that was claimed ahead is returned");
            assertThat(why(adapter, waiting).sentence())
                    .isEqualTo("Bean 'shop.war#Worker' has 2 deliveries running, as many at once as it can.");
            end.countDown();
            adapter.awaitRemoved(waiting);
            Eventually.holds(() -> bean(adapter).deliveries().isEmpty(), "its deliveries have ended");
            adapter.activations().stop(bean, spec);
            assertThat(beans(adapter)).isEmpty();
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void tasks_claimed_ahead_are_counted_and_say_so(TestDatabase kind) throws Exception {
        CountDownLatch slow = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger worked = new AtomicInteger();
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            List<Task> tasks = adapter.tube().putAll(Collections.nCopies(400, "x"), PutOptions.defaults());
            adapter.activate(
                    new Bean(task -> {
                        if (worked.incrementAndGet() == 200) {
                            slow.countDown();
                            end.await();
                        }
                    }),
                    spec -> spec.setMaxSession("1"));
            assertThat(slow.await(60, TimeUnit.SECONDS)).isTrue();
            BeanStatus status = bean(adapter);
            WaitingTask next = why(adapter, tasks.get(200));
            // After 500 ms the tasks are returned, and a loaded machine may be later than that
            if (status.claimed() > 0 && next.reason() == WaitingTask.Reason.CLAIMED_AHEAD) {
                assertThat(next.bean()).contains("shop.war#Worker");
                assertThat(next.sentence()).contains("is claimed ahead for bean 'shop.war#Worker' of server 'test'");
            }
            Eventually.holds(() -> bean(adapter).claimed() == 0, "the tasks claimed ahead are returned");
            end.countDown();
            tasks.forEach(adapter::awaitRemoved);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_bean_that_was_refused_is_shown_until_the_server_deactivates_it(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            Runnable deactivate = adapter.refuse(new Bean(task -> {}), "property maxSession is '0'");
            assertThat(reason(adapter)).contains(Reason.REFUSED);
            assertThat(admin(adapter).beans())
                    .extracting(bean -> bean.hindrance().orElseThrow().text())
                    .containsExactly("Bean 'shop.war#Worker' gets no tasks: property maxSession is '0'.");
            assertThat(admin(adapter).work().tubes()).as("it works on no tube").isEmpty();
            deactivate.run();
            assertThat(admin(adapter).beans()).isEmpty();
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_bean_names_what_keeps_tasks_from_it(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            adapter.activate(new Bean(task -> {}), spec -> spec.setTube("missing"));
            awaitReason(adapter, Reason.NO_TUBE);
            assertThat(bean(adapter).hindrance().orElseThrow().text())
                    .isEqualTo("Bean 'shop.war#Worker' gets no tasks: tube 'missing' does not exist.");
        }
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            adapter.activate(new Bean(task -> {}));
            adapter.awaitRemoved(adapter.tube().put("x"));
            adapter.tube().pause("inventory");
            awaitReason(adapter, Reason.TUBE_PAUSED);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_bean_of_a_small_pool_says_so(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(
                kind,
                new BoundedWorkManager(50, 50),
                thrown -> thrown instanceof EJBException
                        && String.valueOf(thrown.getMessage()).startsWith("WFLYEJB0378"))) {
            Bean bean =
                    new Bean(task -> java.util.concurrent.locks.LockSupport.parkNanos(200_000_000)).withInstances(1);
            adapter.activate(bean, spec -> spec.setMaxSession("3"));
            adapter.tube().putAll(Collections.nCopies(6, "x"), PutOptions.defaults());
            awaitReason(adapter, Reason.NO_INSTANCE);
            assertThat(bean(adapter).limit()).isLessThan(3);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_bean_without_a_thread_for_its_claims_says_so(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind, new BoundedWorkManager(1, 0), thrown -> false)) {
            adapter.activate(new Bean(task -> {}));
            adapter.activate(new Bean(task -> {}), spec -> spec.setMaxSession("3"));
            Eventually.holds(
                    () -> beans(adapter).stream()
                            .flatMap(bean -> bean.hindrance().stream())
                            .anyMatch(hindrance -> hindrance.reason() == Reason.NO_THREAD),
                    "one has no thread");
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void while_the_database_is_away_no_task_is_known(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            Task task = adapter.tube().put("x");
            TaskAdmin admin = admin(adapter);
            adapter.away(true);
            Eventually.holds(
                    () -> {
                        adapter.node().state();
                        return adapter.node().state() == AdapterState.WAITING || !isKnown(admin, task);
                    },
                    "the adapter notices");
            adapter.awaitState(AdapterState.WAITING);
            assertThat(admin.whyWaiting(task.tube(), task.id()).reason())
                    .isEqualTo(WaitingTask.Reason.ADAPTER_NOT_RUNNING);
            adapter.away(false);
            adapter.awaitState(AdapterState.RUNNING);
        }
    }

    private static boolean isKnown(TaskAdmin admin, Task task) {
        try {
            return admin.whyWaiting(task.tube(), task.id()).state().isPresent();
        } catch (RuntimeException e) {
            return false;
        }
    }
}
