package org.tasktube.sample.check;

import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tasktube.sample.store.Totals;

import static org.assertj.core.api.Assertions.assertThat;

class ProgressTest {

    @ParameterizedTest
    @CsvSource({
        // known, checked, buried | waiting
        "0, 0, 0, 0",
        "9, 9, 0, 0",
        "9, 8, 1, 0",
        "9, 8, 0, 1",
        // one was kicked between the two counts
        "9, 9, 1, 0"
    })
    void a_check_is_finished_when_no_page_waits_but_those_given_up(
            long known, long checked, long buried, long waiting) {
        Instant start = Instant.parse("2026-11-21T12:00:00Z");
        Progress progress = Progress.of(buried, new Totals(known, checked, start, start.plusSeconds(2)));
        assertThat(progress).isEqualTo(new Progress(checked, waiting, buried, checked / 2.0));
        assertThat(progress.finished()).isEqualTo(waiting == 0);
    }
}
