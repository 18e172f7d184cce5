package org.tasktube.itest.watchdog;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Timeout;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Ends the Java process of a test that does not end by itself. JUnit's own timeout, which interrupts a test, comes
 * first. It does not see dynamic tests, and a thread that waits for a database does not listen to an interrupt.
 */
public final class Watchdog implements TestExecutionListener {

    /** The system property with the seconds that a test has, unless its {@link Timeout} gives it more. */
    public static final String LIMIT = "test.timeout.seconds";

    /** The status of a process that the watchdog ended. */
    public static final int STATUS = 86;

    private static final long DEFAULT_LIMIT = 300;
    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

    private final Duration limit = Duration.ofSeconds(Long.getLong(LIMIT, DEFAULT_LIMIT));
    // JUnit strikes at the limit itself; its test has this long to fail and to clean up
    private final Duration grace = limit.dividedBy(5);
    private final Map<String, Running> running = new ConcurrentHashMap<>();

    private volatile long lastEvent;
    private volatile TestPlan plan;
    private volatile Thread thread;

    @Override
    public void testPlanExecutionStarted(TestPlan started) {
        plan = started;
        lastEvent = System.nanoTime();
        thread = new Thread(this::watch, "watchdog of the tests");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void testPlanExecutionFinished(TestPlan finished) {
        thread.interrupt();
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        lastEvent = System.nanoTime();
        if (test.isTest()) {
            running.put(test.getUniqueId(), new Running(name(test), lastEvent, limitOf(test)));
        }
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        lastEvent = System.nanoTime();
        running.remove(test.getUniqueId());
    }

    private void watch() {
        try {
            while (true) {
                Thread.sleep(CHECK_INTERVAL.toMillis());
                hanging().ifPresent(name -> HungProcess.end(name, STATUS));
            }
        } catch (InterruptedException e) {
            // The tests have ended: so does the watch
        }
    }

    private Optional<String> hanging() {
        long now = System.nanoTime();
        Optional<String> late = running.values().stream()
                .filter(test -> test.isOver(now, grace))
                .map(Running::name)
                .findFirst();
        // Between tests: a method before or after all of them, or one that makes dynamic tests
        boolean silent =
                running.isEmpty() && now - lastEvent > limit.plus(grace).toNanos();
        return late.or(() -> silent ? Optional.of("a method before or after all tests of a class") : Optional.empty());
    }

    private Duration limitOf(TestIdentifier test) {
        Optional<Duration> declared = test.getSource().flatMap(Watchdog::declared);
        return declared.filter(more -> more.compareTo(limit) > 0).orElse(limit);
    }

    private static Optional<Duration> declared(TestSource source) {
        if (!(source instanceof MethodSource method)) {
            return Optional.empty();
        }
        return AnnotationSupport.findAnnotation(method.getJavaMethod(), Timeout.class)
                .or(() -> AnnotationSupport.findAnnotation(method.getJavaClass(), Timeout.class))
                .map(timeout -> Duration.of(timeout.value(), timeout.unit().toChronoUnit()));
    }

    private String name(TestIdentifier test) {
        return plan.getParent(test)
                .map(parent -> parent.getDisplayName() + ": " + test.getDisplayName())
                .orElseGet(test::getDisplayName);
    }

    private record Running(String name, long since, Duration limit) {

        boolean isOver(long now, Duration grace) {
            return now - since > limit.plus(grace).toNanos();
        }
    }
}
