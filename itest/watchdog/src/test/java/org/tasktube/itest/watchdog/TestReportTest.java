package org.tasktube.itest.watchdog;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class TestReportTest {

    private final Instant begin = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir
    private Path root;

    private Path report(String directory, String seconds, String cases) throws IOException {
        Path reports = Files.createDirectories(root.resolve("a/b/target").resolve(directory));
        return Files.writeString(
                reports.resolve("TEST-org.Some.xml"),
                "<?xml version=\"1.0\"?>\n<testsuite xmlns:x=\"y\" version=\"3.0\" name=\"org.Some\" time=\"" + seconds
                        + "\" tests=\"3\">" + cases);
    }

    private String report() throws IOException {
        return TestReport.of(root, begin);
    }

    @Test
    void the_seconds_of_a_module_and_of_a_class_are_those_of_all_its_reports() throws IOException {
        report("surefire-reports", "60.5", "");
        report("failsafe-reports/h2", "1,064.6", "");
        assertThat(report()).contains("1125.1 s  a/b\n").contains("1125.1 s  org.Some\n");
    }

    @Test
    void reports_of_an_earlier_build_do_not_count() throws IOException {
        Files.setLastModifiedTime(report("surefire-reports", "9,000", ""), FileTime.from(begin.minusSeconds(1)));
        assertThat(report()).isEqualTo("All modules are built; no tests have run.\n");
        report("failsafe-reports", "1", "");
        assertThat(report()).contains("1.0 s  a/b\n");
    }

    @Test
    void a_failed_test_has_its_first_lines_and_the_file_with_its_log() throws IOException {
        report(
                "failsafe-reports/h2",
                "1",
                "<testcase name=\"one\" classname=\"org.Some\" time=\"0.1\"/>"
                        + "<testcase name=\"two\" classname=\"org.Some\" time=\"0.2\">\n<failure message=\"m\" type=\"t\">"
                        + "<![CDATA[first\nsecond\nthird\nfourth]]></failure></testcase>"
                        + "<testcase name=\"three\" classname=\"org.Some\">\n<error type=\"t\">only</error></testcase>");
        assertThat(report()).endsWith("""
                FAILED: org.Some.two
                    first
                    second
                    third
                    log: a/b/target/failsafe-reports/h2/org.Some-output.txt
                FAILED: org.Some.three
                    only
                    log: a/b/target/failsafe-reports/h2/org.Some-output.txt
                3 tests, 2 failed.
                """);
    }

    @Test
    void what_a_machine_has_not_is_named_once() throws IOException {
        report("surefire-reports", "1", "");
        Files.writeString(root.resolve("a/b/target").resolve(Tool.LEFT_OUT), "tests (Debian: x)\ntests (Debian: x)\n");
        assertThat(report()).endsWith("not what they need: tests (Debian: x)\n0 tests, none failed.\n");
    }
}
