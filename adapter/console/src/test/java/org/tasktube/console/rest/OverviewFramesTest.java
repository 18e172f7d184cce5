package org.tasktube.console.rest;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tasktube.console.json.Views;
import org.tasktube.console.live.Frame;

import static org.assertj.core.api.Assertions.assertThat;

class OverviewFramesTest {

    private static Frame at(String time, String state) {
        return OverviewFrames.frame(new Views.Overview(
                Instant.parse(time),
                new Views.Adapter(state, "app-1"),
                Views.Totals.of(List.of()),
                List.of(),
                List.of()));
    }

    @Test
    void the_time_of_an_answer_is_in_the_event_and_is_no_change() {
        Frame one = at("2026-11-22T12:00:00Z", "RUNNING");
        assertThat(one.event()).isEqualTo("overview");
        assertThat(one.data()).contains("\"overview\":{", "\"now\":\"2026-11-22T12:00:00Z\"", "\"tubes\":[]");
        assertThat(at("2026-11-22T12:00:01Z", "RUNNING").key()).isEqualTo(one.key());
        assertThat(at("2026-11-22T12:00:00Z", "WAITING").key()).isNotEqualTo(one.key());
    }
}
