package org.tasktube.inflow;

import jakarta.transaction.Transaction;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskRejectedException;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Jta;
import org.tasktube.testing.LogLines;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** What becomes of a task between its claim and its outcome, whatever the bean and the container do. */
class DeliveryTest {

    @ParameterizedTest
    @DatabaseSource
    void a_bean_gets_the_headers_at_each_attempt(TestDatabase kind) {
        List<Map<String, String>> seen = new CopyOnWriteArrayList<>();
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            adapter.activate(new Bean(task -> {
                seen.add(task.headers());
                if (seen.size() == 1) {
                    throw new IllegalStateException("the first attempt fails");
                }
            }));
            Task put = adapter.tube().put("x", PutOptions.defaults().header("a", "1"));
            adapter.awaitRemoved(put);
        }
        assertThat(seen).containsExactly(Map.of("a", "1"), Map.of("a", "1"));
    }

    @ParameterizedTest
    @DatabaseSource
    void a_task_that_its_bean_rejects_is_buried_at_once(TestDatabase kind) {
        AtomicInteger calls = new AtomicInteger();
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            adapter.activate(new Bean(task -> {
                calls.incrementAndGet();
                throw new TaskRejectedException("no such order");
            }));
            Task put = adapter.tube().put("x");
            Eventually.holds(
                    () -> adapter.tube().peek(put.id()).orElseThrow().state() == TaskState.BURIED, "it is BURIED");
            assertThat(calls).hasValue(1);
            assertThat(adapter.tube()
                            .meta(put.id())
                            .orElseThrow()
                            .lastFailure()
                            .orElseThrow()
                            .message())
                    .contains("no such order");
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_bean_creates_the_tube_that_it_declares(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            List<String> texts = new CopyOnWriteArrayList<>();
            String name = RunningNode.newName();
            adapter.activate(new Bean(task -> texts.add(task.text())), spec -> {
                spec.setTube(name);
                spec.setTubeType("limfifottl");
                spec.setTubeCapacity("3");
            });
            Eventually.holds(() -> adapter.node().find(name).isPresent(), "the tube is there");
            Tube tube = adapter.node().tube(new ClientConnection(), name);
            assertThat(tube.definition()).isEqualTo(TubeDefinition.limfifottl(name, 3));
            tube.put("a");
            Eventually.holds(() -> texts.equals(List.of("a")), "the bean gets its tasks");
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_bean_whose_tube_is_another_one_gets_nothing_and_says_why(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind);
                LogLines log = new LogLines("org.tasktube.inflow")) {
            AtomicInteger calls = new AtomicInteger();
            Task task = adapter.tube().put("a");
            adapter.activate(new Bean(each -> calls.incrementAndGet()), spec -> spec.setTubeType("fifo"));
            assertThat(log.first("TASKTUBE0220")).contains("type is fifottl, not fifo");
            String without = RunningNode.newName();
            adapter.activate(new Bean(each -> calls.incrementAndGet()), spec -> {
                spec.setTube(without);
                spec.setTubeType("limfifottl");
            });
            Eventually.holds(
                    () -> log.of("TASKTUBE0220").stream().anyMatch(line -> line.contains("needs a capacity")),
                    "a type without its capacity is told");
            assertThat(log.of("TASKTUBE0214")).isEmpty();
            assertThat(adapter.tube().peek(task.id()).orElseThrow().state()).isEqualTo(TaskState.READY);
            assertThat(calls).hasValue(0);
        }
    }

    // Exceptions that cannot be described

    private static final class NoMessage extends Exception {
        @Override
        public String getMessage() {
            throw new NullPointerException("in getMessage");
        }
    }

    @SuppressWarnings("OverrideThrowableToString") // as applications do it
    private static final class NoText extends Exception {
        @Override
        public String toString() {
            throw new IllegalStateException("in toString");
        }
    }

    private static final class NoCause extends Exception {
        @Override
        public synchronized Throwable getCause() {
            throw new StackOverflowError("in getCause");
        }
    }

    private static final class NoTrace extends Exception {
        @Override
        public void printStackTrace(PrintWriter out) {
            throw new LinkageError("in printStackTrace");
        }

        @Override
        public void printStackTrace(PrintStream out) {
            throw new LinkageError("in printStackTrace");
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            throw new LinkageError("in getStackTrace");
        }
    }

    private static Exception cyclic() {
        Exception outer = new Exception("outer");
        outer.initCause(new Exception("inner", outer));
        return outer;
    }

    private static final class Endless extends Exception {
        @Override
        public synchronized Throwable getCause() {
            return new Endless();
        }
    }

    static Stream<Arguments> indescribable() {
        List<Supplier<Throwable>> all = List.of(
                NoMessage::new,
                NoText::new,
                NoCause::new,
                NoTrace::new,
                DeliveryTest::cyclic,
                Endless::new,
                StackOverflowError::new);
        return Arrays.stream(TestDatabase.values())
                .flatMap(kind -> all.stream().map(thrown -> Arguments.of(kind, thrown)));
    }

    @ParameterizedTest
    @DatabaseSource
    void a_failure_after_the_bean_has_removed_its_task_is_not_logged_as_a_retry(TestDatabase kind) {
        try (LogLines log = new LogLines("org.tasktube.inflow");
                RunningAdapter adapter = new RunningAdapter(kind)) {
            adapter.activate(new Bean(task -> {
                Transaction mine = Jta.MANAGER.suspend();
                adapter.tube().delete(task.id());
                Jta.MANAGER.resume(mine);
                throw new IllegalStateException("after the end of the task");
            }));
            adapter.tube().put("x");
            assertThat(log.first("TASKTUBE0216")).contains(adapter.tube().name(), "after the end of the task");
            assertThat(log.of("TASKTUBE0201")).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("indescribable")
    void an_exception_that_cannot_be_described_is_a_failure_like_any_other(
            TestDatabase kind, Supplier<Throwable> thrown) {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            Bean bean = new Bean(task -> {
                if (task.text().equals("fails")) {
                    DeliveryTest.<RuntimeException>sneak(thrown.get());
                }
            });
            adapter.activate(bean, spec -> {
                spec.setMaxSession("1");
                spec.setMaxAttempts("2");
            });

            Task failing = adapter.tube().put("fails");
            adapter.awaitBuried(failing);
            adapter.awaitRemoved(adapter.tube().put("fine"));

            assertThat(adapter.tube().peek(failing.id()).orElseThrow().attempts())
                    .isEqualTo(2);
            assertThat(adapter.tube().meta(failing.id()).orElseThrow().lastFailure())
                    .isPresent();
            assertThat(adapter.threads().escaped()).isEmpty();
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> void sneak(Throwable thrown) throws E {
        throw (E) thrown;
    }

    // Containers that fail

    static Stream<Arguments> faults() {
        List<Function<String, Throwable>> all = List.of(IllegalStateException::new, NoClassDefFoundError::new);
        return Arrays.stream(TestDatabase.values()).flatMap(kind -> Arrays.stream(Bean.Step.values())
                .flatMap(step -> all.stream().map(thrown -> Arguments.of(kind, step, thrown))));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void whatever_a_container_throws_no_task_and_no_thread_is_lost(
            TestDatabase kind, Bean.Step failing, Function<String, Throwable> thrown) {
        AtomicBoolean broken = new AtomicBoolean(true);
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            Bean bean = new Bean(task -> {
                        if (task.text().equals("fails") && task.attempts() == 1) {
                            throw new Exception("once, so that the endpoint is released");
                        }
                    })
                    .withFaults(step -> {
                        if (step == failing && broken.getAndSet(false)) {
                            DeliveryTest.<RuntimeException>sneak(thrown.apply("at " + step));
                        }
                    });
            TaskActivationSpec spec = adapter.activate(bean, s -> s.setMaxSession("1"));

            List<Task> tasks = adapter.tube().putAll(List.of("fails", "fine", "fine"), PutOptions.defaults());
            tasks.forEach(adapter::awaitRemoved);

            assertThat(broken).isFalse();
            adapter.activations().stop(bean, spec);
            assertThat(bean.openEndpoints()).isZero();
            assertThat(adapter.tube().statistics().taken()).isZero();
            assertThat(adapter.threads().escaped()).isEmpty();
        }
    }

    // Interrupts

    @ParameterizedTest
    @DatabaseSource
    void an_interrupt_that_a_bean_leaves_set_does_not_undo_its_work(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            Bean bean = new Bean(task -> Thread.currentThread().interrupt());
            adapter.activate(bean, spec -> spec.setMaxAttempts("1"));

            List<Task> tasks = adapter.tube().putAll(List.of("one", "two", "three"), PutOptions.defaults());
            tasks.forEach(adapter::awaitRemoved);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    @Tag("full")
    void an_interrupt_that_a_container_leaves_set_does_not_end_a_thread(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            java.util.Set<Thread> used = java.util.concurrent.ConcurrentHashMap.newKeySet();
            Bean bean = new Bean(task -> used.add(Thread.currentThread())).withFaults(step -> {
                if (step == Bean.Step.AFTER) {
                    Thread.currentThread().interrupt();
                }
            });
            adapter.activate(bean, spec -> spec.setMaxSession("1"));
            adapter.awaitRemoved(adapter.tube().put("one"));
            int created = bean.openEndpoints();
            adapter.awaitRemoved(adapter.tube().put("two"));
            assertThat(bean.openEndpoints()).isEqualTo(created).isOne();
            assertThat(used).hasSize(1);
        }
    }

    // Tasks that a bean finishes itself

    @ParameterizedTest
    @DatabaseSource
    void a_beans_own_ack_that_rolled_back_leaves_the_ack_to_the_delivery(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            Bean bean = new Bean(task -> {
                Transaction outer = Jta.MANAGER.suspend();
                Jta.MANAGER.begin();
                adapter.tube().ack(task);
                Jta.MANAGER.rollback();
                Jta.MANAGER.resume(outer);
            });
            adapter.activate(bean);
            adapter.awaitRemoved(adapter.tube().put("acked in vain"));
            Eventually.holds(() -> adapter.tube().statistics().taken() == 0, "nothing is TAKEN");
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_beans_own_ack_counts_in_its_own_transaction_and_in_one_that_committed(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            Bean bean = new Bean(task -> {
                if (task.text().equals("in its own")) {
                    adapter.tube().ack(task);
                } else {
                    Transaction outer = Jta.MANAGER.suspend();
                    Jta.MANAGER.begin();
                    adapter.tube().ack(task);
                    Jta.MANAGER.commit();
                    Jta.MANAGER.resume(outer);
                }
            });
            adapter.activate(bean);
            adapter.awaitRemoved(adapter.tube().put("in its own"));
            adapter.awaitRemoved(adapter.tube().put("in a committed one"));
            assertThat(adapter.threads().escaped()).isEmpty();
        }
    }
}
