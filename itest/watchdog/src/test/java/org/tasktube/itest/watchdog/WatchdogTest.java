package org.tasktube.itest.watchdog;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Each test here runs others, which hang, in a process of its own. */
@Tag("large")
class WatchdogTest {

    private static final String CHILD = "watchdog.child";

    @TempDir
    private Path directory;

    @Test
    void a_test_that_does_not_listen_to_an_interrupt_ends_with_a_dump_of_all_threads() throws Exception {
        assertEndsWithDump(HangingTest.class, "never_ends()");
    }

    @Test
    @Tag("full")
    void a_dynamic_test_that_hangs_ends_with_a_dump_of_all_threads() throws Exception {
        assertEndsWithDump(HangingDynamicTest.class, "never ends");
    }

    @Test
    @Tag("full")
    void a_method_before_all_tests_that_hangs_ends_with_a_dump_of_all_threads() throws Exception {
        assertEndsWithDump(HangingClassTest.class, "before or after all tests");
    }

    private void assertEndsWithDump(Class<?> tests, String name) throws IOException, InterruptedException {
        Path output = directory.resolve("output");
        Process process = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-D" + CHILD + "=true",
                        "-D" + Watchdog.LIMIT + "=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Run.class.getName(),
                        tests.getName())
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).as(() -> read(output)).isEqualTo(Watchdog.STATUS);
        assertThat(output).content().contains(name, "Forever.hang");
        assertThat(directory.resolve("target/hung-threads.txt")).content().contains(name, "Forever.hang");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** What surefire does. */
    static final class Run {

        private Run() {}

        public static void main(String... arguments) {
            Launcher launcher = LauncherFactory.create();
            launcher.execute(LauncherDiscoveryRequestBuilder.request()
                    .selectors(List.of(DiscoverySelectors.selectClass(arguments[0])))
                    .build());
        }
    }

    static final class Forever {

        private Forever() {}

        static void hang() {
            assumeTrue(Boolean.getBoolean(CHILD));
            while (true) {
                LockSupport.park();
                Thread.interrupted();
            }
        }
    }

    static class HangingTest {

        @Test
        void never_ends() {
            Forever.hang();
        }
    }

    static class HangingDynamicTest {

        @TestFactory
        Stream<DynamicTest> tests() {
            return Stream.of(DynamicTest.dynamicTest("never ends", Forever::hang));
        }
    }

    static class HangingClassTest {

        @BeforeAll
        static void never_ends() {
            Forever.hang();
        }

        @Test
        void is_never_run() {}
    }
}
