package org.tasktube.itest.watchdog;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestPlan;

/**
 * Measures how long a fixed amount of work takes between the tests, on a machine that may be slow, or busy with other
 * things. {@link TestTimes} judges the times of the tests by it.
 */
public final class Calibration implements TestExecutionListener {

    static final String FILE = "calibration.txt";

    private static final int ROUNDS = 2_000_000;

    @Override
    public void testPlanExecutionFinished(TestPlan plan) {
        // The first loop is for the compiler; no result is left out by it, because one is compared
        long expected = loop();
        long begin = System.nanoTime();
        if (loop() == expected) {
            write(Instant.now() + "," + (System.nanoTime() - begin) / 1_000 + "\n");
        }
    }

    private static long loop() {
        long value = 1;
        for (int i = 0; i < ROUNDS; i++) {
            value = value * 6_364_136_223_846_793_005L + 1_442_695_040_888_963_407L;
            value ^= value >>> 33;
        }
        return value;
    }

    private static void write(String line) {
        try {
            Path target = Files.createDirectories(Path.of("target"));
            Files.writeString(target.resolve(FILE), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
