package org.tasktube.console.rest;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeMode;
import org.tasktube.TubeStatistics;
import org.tasktube.admin.OldestReady;
import org.tasktube.admin.TubeDetail;
import org.tasktube.console.json.TubeRow;
import org.tasktube.console.json.Views;
import org.tasktube.console.live.Frame;
import org.tasktube.console.overview.Problems.Found;

import static org.assertj.core.api.Assertions.assertThat;

class OverviewFramesTest {

    private static final Instant PUT = Instant.parse("2026-11-22T11:00:00Z");

    private static Frame at(String time, String state, List<Found> problems, TubeRow... rows) {
        List<TubeRow> tubes = List.of(rows);
        return OverviewFrames.frame(new Views.Overview(
                Instant.parse(time),
                new Views.Adapter(state, "app-1"),
                Views.Totals.of(tubes),
                problems,
                tubes,
                List.of(),
                Instant.parse(time),
                Duration.ofSeconds(3)));
    }

    private static Frame at(String time, String state) {
        return at(time, state, List.of());
    }

    /** A tube with one READY task. */
    private static TubeRow backlog(long task, Instant put, int age) {
        TubeStatistics one =
                new TubeStatistics("orders", 1, 0, 0, 0, 0, 0, 1, Map.of(), TubeMode.OPEN, "app-1", Instant.EPOCH, "");
        return TubeRow.of(
                new TubeDetail(TubeDefinition.fifo("orders"), one, OptionalInt.empty(), false),
                new OldestReady("orders", task, put, Duration.ofSeconds(age)));
    }

    private static List<Found> idle(String severity, String text) {
        return List.of(new Found("idle", severity, "orders", text, "/tasks"));
    }

    @Test
    void the_time_of_an_answer_is_in_the_event_and_is_no_change() {
        Frame one = at("2026-11-22T12:00:00Z", "RUNNING");
        assertThat(one.event()).isEqualTo("overview");
        assertThat(one.data()).contains("\"overview\":{", "\"now\":\"2026-11-22T12:00:00Z\"");
        assertThat(one.rows()).isEmpty();
        assertThat(at("2026-11-22T12:00:01Z", "RUNNING").key()).isEqualTo(one.key());
        assertThat(at("2026-11-22T12:00:00Z", "WAITING").key()).isNotEqualTo(one.key());
    }

    @Test
    void an_age_that_grows_is_in_the_event_and_is_no_change() {
        Frame one = at("2026-11-22T12:00:00Z", "RUNNING", List.of(), backlog(7, PUT, 3600));
        assertThat(one.rows().get("orders").data()).contains("\"oldestReady\":\"PT1H\"");
        Frame later = at("2026-11-22T12:00:01Z", "RUNNING", List.of(), backlog(7, PUT, 3601));
        assertThat(later.key()).isEqualTo(one.key());
        assertThat(later.rows().get("orders").key())
                .isEqualTo(one.rows().get("orders").key());
    }

    @Test
    void another_oldest_task_is_a_change_and_the_event_has_the_time_of_its_put() {
        Frame one = at("2026-11-22T12:00:00Z", "RUNNING", List.of(), backlog(7, PUT, 3600));
        Frame other = at("2026-11-22T12:00:00Z", "RUNNING", List.of(), backlog(8, PUT.plusSeconds(1), 3599));
        assertThat(other.rows().get("orders").key())
                .isNotEqualTo(one.rows().get("orders").key());
        assertThat(other.rows().get("orders").data()).contains("\"oldestReadySince\":\"2026-11-22T11:00:01Z\"");
    }

    @Test
    void a_problem_that_lasts_longer_is_no_change_before_it_is_worse() {
        Frame one = at("2026-11-22T12:00:00Z", "RUNNING", idle("warn", "… has taken none for 30 s."));
        Frame later = at("2026-11-22T12:00:01Z", "RUNNING", idle("warn", "… has taken none for 31 s."));
        Frame worse = at("2026-11-22T12:05:00Z", "RUNNING", idle("bad", "… has taken none for 5 min."));
        assertThat(one.data()).contains("for 30 s.");
        assertThat(later.key()).isEqualTo(one.key());
        assertThat(worse.key()).isNotEqualTo(one.key());
    }
}
