package org.tasktube;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

class TaskFailureTest {

    private static StackTraceElement frame(String type, String method) {
        return new StackTraceElement(type, method, type.substring(type.lastIndexOf('.') + 1) + ".java", 7);
    }

    /** As WildFly has it: 150 frames of interceptors and proxies below the bean. */
    private static List<StackTraceElement> inContainer(StackTraceElement... own) {
        List<StackTraceElement> frames = new ArrayList<>(List.of(own));
        for (int i = 0; i < 50; i++) {
            frames.add(frame("org.jboss.invocation.InterceptorContext", "proceed"));
            frames.add(frame("org.jboss.as.ejb3.tx.CMTTxInterceptor", "invokeInCallerTx"));
            frames.add(frame("jdk.internal.reflect.DirectMethodHandleAccessor", "invoke"));
        }
        frames.add(frame("shop.Worker$$$endpoint1", "onTask"));
        frames.add(frame("org.tasktube.inflow.Delivery", "invoke"));
        frames.add(frame("java.lang.Thread", "run"));
        return frames;
    }

    private static <T extends Throwable> T thrownAt(T thrown, List<StackTraceElement> frames) {
        thrown.setStackTrace(frames.toArray(StackTraceElement[]::new));
        return thrown;
    }

    @Test
    void the_root_cause_and_the_beans_frames_are_kept_however_long_the_rest_is() {
        Throwable root = thrownAt(
                new IllegalArgumentException("the root"),
                inContainer(frame("shop.Dao", "save"), frame("shop.Worker", "onTask")));
        Throwable thrown = root;
        for (int i = 0; i < 12; i++) {
            thrown = thrownAt(
                    new IllegalStateException("wrapped " + i + " " + "x".repeat(2_000), thrown),
                    inContainer(frame("shop.Worker", "onTask")));
        }
        TaskFailure failure = TaskFailure.of(thrown);
        assertThat(failure.trace())
                .contains("caused by java.lang.IllegalArgumentException: the root\n")
                .contains("  at shop.Dao.save(Dao.java:7)\n  at shop.Worker.onTask(Worker.java:7)\n")
                .contains("frames of the container")
                .doesNotContain("  at org.jboss", "  at jdk.internal", "endpoint1");
        assertThat(failure.trace().length()).isLessThanOrEqualTo(TaskFailure.MAX_TRACE);
        assertThat(failure.message()).startsWith("wrapped 11");
    }

    @Test
    void causes_come_before_frames() {
        TaskFailure failure = TaskFailure.of(new IllegalStateException("outer", new java.io.IOException("disk full")));
        assertThat(failure.trace())
                .startsWith("java.lang.IllegalStateException: outer\ncaused by java.io.IOException: disk full\n  at ");
    }

    @Test
    void of_too_many_frames_those_in_the_middle_go() {
        List<StackTraceElement> frames = new ArrayList<>();
        frames.add(frame("lib.Thrower", "fail"));
        IntStream.range(0, 300).forEach(i -> frames.add(frame("lib.Engine", "step" + i)));
        frames.add(frame("shop.Worker", "onTask"));
        TaskFailure failure =
                TaskFailure.of(thrownAt(new Exception("deep"), inContainer(frames.toArray(StackTraceElement[]::new))));
        assertThat(failure.trace())
                .contains("lib.Thrower.fail")
                .contains("shop.Worker.onTask")
                .containsPattern("\\.\\.\\. \\d+ frames\n");
        assertThat(failure.trace().length()).isLessThanOrEqualTo(TaskFailure.MAX_TRACE);
    }

    @Test
    void an_exception_of_the_container_without_a_cause_keeps_its_own_text() {
        List<StackTraceElement> frames = new ArrayList<>(inContainer());
        Throwable refused = thrownAt(new IllegalStateException("WFLYEE0042: Failed to construct"), frames);
        TaskFailure failure = TaskFailure.of(refused);
        assertThat(failure.message()).isEqualTo("WFLYEE0042: Failed to construct");
        assertThat(failure.trace())
                .startsWith("java.lang.IllegalStateException: WFLYEE0042: Failed to construct\n  at org.jboss.");
    }

    @Test
    void a_summary_names_the_root_cause_in_one_line() {
        Throwable thrown = new IllegalStateException(
                "cannot save\norder 5", new RuntimeException("between", new java.io.IOException("disk full")));
        assertThat(TaskFailure.summary(thrown))
                .isEqualTo("java.lang.IllegalStateException: cannot save order 5;"
                        + " root cause java.io.IOException: disk full");
        assertThat(TaskFailure.summary(new Exception())).isEqualTo("java.lang.Exception");
    }

    @Test
    void suppressed_exceptions_are_named() {
        Exception thrown = new Exception("first");
        thrown.addSuppressed(new java.io.IOException("while closing"));
        assertThat(TaskFailure.of(thrown).trace()).contains("suppressed java.io.IOException: while closing\n");
    }

    @Test
    void no_half_character_and_no_nul_is_kept() {
        String half = "x".repeat(TaskFailure.MAX_MESSAGE - 1) + "\uD83D\uDE00";
        assertThat(TaskFailure.of(new Exception(half)).message()).endsWith("x?");
        assertThat(TaskFailure.of(new Exception("a\0b\uDE00")).message()).isEqualTo("a b?");
    }

    private static final class Hostile extends RuntimeException {
        @Override
        public String getMessage() {
            throw new StackOverflowError("in getMessage");
        }

        @Override
        public synchronized Throwable getCause() {
            throw new NullPointerException("in getCause");
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            throw new LinkageError("in getStackTrace");
        }

        @Override
        public void printStackTrace(PrintWriter out) {
            throw new LinkageError("in printStackTrace");
        }

        @Override
        public void printStackTrace(PrintStream out) {
            throw new LinkageError("in printStackTrace");
        }
    }

    private static final class Endless extends Exception {
        @Override
        public synchronized Throwable getCause() {
            return new Endless();
        }
    }

    private static final class Empty extends Exception {
        @Override
        public StackTraceElement[] getStackTrace() {
            return null;
        }
    }

    static Stream<Supplier<Throwable>> hostile() {
        return Stream.of(Hostile::new, Endless::new, Empty::new, TaskFailureTest::cyclic);
    }

    private static Throwable cyclic() {
        Exception outer = new Exception("outer");
        outer.initCause(new Exception("inner", outer));
        return outer;
    }

    @ParameterizedTest
    @MethodSource("hostile")
    void an_exception_whose_methods_throw_or_never_end_is_described_by_its_class(Supplier<Throwable> hostile) {
        Throwable thrown = hostile.get();
        String type = thrown.getClass().getName();
        assertThat(TaskFailure.of(thrown).type()).isEqualTo(type);
        assertThat(TaskFailure.of(thrown).trace()).startsWith(type);
        assertThat(TaskFailure.of(thrown).fingerprint())
                .isEqualTo(TaskFailure.of(hostile.get()).fingerprint());
        assertThat(TaskFailure.summary(thrown)).startsWith(type);
        assertThat(TaskFailure.describe(thrown)).startsWith(type);
        assertThat(TaskFailure.causes(thrown)).hasSizeBetween(1, 50);
    }
}
