package org.tasktube.admin;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class DurationTextTest {

    @ParameterizedTest
    @CsvSource({
        "PT0S, 0s",
        "PT0.25S, 250ms",
        "PT1S, 1s",
        "PT1.5S, 1.5s",
        "PT90S, 90s",
        "PT10M, 10m",
        "PT36H, 36h",
        "P2D, 2d"
    })
    void a_duration_is_written_as_configuration_takes_it_and_is_read_back(Duration duration, String text) {
        assertThat(DurationText.of(duration)).isEqualTo(text);
        assertThat(DurationText.parse(text)).isEqualTo(duration);
    }
}
