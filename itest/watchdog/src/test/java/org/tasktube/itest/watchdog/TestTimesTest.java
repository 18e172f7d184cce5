package org.tasktube.itest.watchdog;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** 60 s of waiting and 10,000 loops of 4 ms are recorded: 100 s, and 125 s are the bound. */
class TestTimesTest {

    private final Instant begin = Instant.now().minus(Duration.ofMinutes(10));

    @TempDir
    private Path root;

    private Path recorded;

    @BeforeEach
    void record() throws IOException {
        recorded = Files.writeString(root.resolve("recorded"), "waiting.seconds=60\nwork.loops=10000\n");
        calibrate(4_000);
    }

    private void calibrate(int microseconds) throws IOException {
        Path target = Files.createDirectories(root.resolve("a/b/target"));
        Files.writeString(
                target.resolve(Calibration.FILE),
                begin.minusSeconds(60) + ",900000\n" + begin.plusSeconds(60) + "," + microseconds + "\n");
    }

    private Path report(String directory, String seconds) throws IOException {
        Path reports = Files.createDirectories(root.resolve("a/b/target").resolve(directory));
        return Files.writeString(
                reports.resolve("TEST-org.Some.xml"),
                "<?xml version=\"1.0\"?>\n<testsuite xmlns:x=\"y\" version=\"3.0\" name=\"org.Some\" time=\"" + seconds
                        + "\" tests=\"3\">");
    }

    private void check() throws IOException {
        TestTimes.main(new String[] {root.toString(), begin.toString(), recorded.toString()});
    }

    @Test
    void tests_within_a_quarter_of_what_is_recorded_are_accepted() throws IOException {
        report("surefire-reports", "60.5");
        report("failsafe-reports/h2", "64.4");
        assertThatCode(this::check).doesNotThrowAnyException();
    }

    @Test
    void tests_that_take_a_quarter_more_are_refused_with_both_sums() throws IOException {
        report("surefire-reports", "60.5");
        report("failsafe-reports", "1,064.6");
        assertThatThrownBy(this::check).hasMessageContaining("1125 s").hasMessageContaining("100 s");
    }

    @Test
    void a_slow_machine_has_more_time_for_work_and_not_for_waiting() throws IOException {
        report("surefire-reports", "174");
        assertThatThrownBy(this::check).hasMessageContaining("100 s");
        calibrate(8_000);
        assertThatCode(this::check).doesNotThrowAnyException();
    }

    @Test
    void reports_of_an_earlier_build_do_not_count() throws IOException {
        Files.setLastModifiedTime(report("surefire-reports", "9,000"), FileTime.from(begin.minusSeconds(1)));
        report("failsafe-reports", "1");
        assertThatCode(this::check).doesNotThrowAnyException();
    }
}
