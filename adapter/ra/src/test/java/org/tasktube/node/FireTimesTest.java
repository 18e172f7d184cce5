package org.tasktube.node;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.tasktube.Schedule;
import org.tasktube.itest.watchdog.FullRun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class FireTimesTest {

    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    private static List<String> fires(String cron, ZoneId zone, String from, int count) {
        FireTimes times = FireTimes.of(Schedule.cron("a", cron, zone).into("tube", "x"));
        List<String> fires = new ArrayList<>();
        Instant last = Instant.parse(from);
        for (int i = 0; i < count; i++) {
            last = times.next(last, last);
            fires.add(last.atZone(zone).toLocalDateTime() + " " + last);
        }
        return fires;
    }

    @Test
    void a_fire_in_the_gap_comes_later_by_its_length() {
        assertThat(fires("30 2 * * *", BERLIN, "2026-03-28T00:00:00Z", 3))
                .containsExactly(
                        "2026-03-28T02:30 2026-03-28T01:30:00Z",
                        "2026-03-29T03:30 2026-03-29T01:30:00Z",
                        "2026-03-30T02:30 2026-03-30T00:30:00Z");
    }

    @Test
    void each_fire_in_the_gap_comes_and_in_the_order_of_instants() {
        assertThat(fires("0,30 2 * * *", BERLIN, "2026-03-29T00:00:00Z", 3))
                .containsExactly(
                        "2026-03-29T03:00 2026-03-29T01:00:00Z",
                        "2026-03-29T03:30 2026-03-29T01:30:00Z",
                        "2026-03-30T02:00 2026-03-30T00:00:00Z");
        assertThat(fires("15,30 2,3 * * *", BERLIN, "2026-03-29T01:20:00Z", 2))
                .containsExactly("2026-03-29T03:30 2026-03-29T01:30:00Z", "2026-03-30T02:15 2026-03-30T00:15:00Z");
        // Half an hour
        assertThat(fires("15,40 2 * * *", ZoneId.of("Australia/Lord_Howe"), "2026-10-03T12:00:00Z", 3))
                .containsExactly(
                        "2026-10-04T02:40 2026-10-03T15:40:00Z",
                        "2026-10-04T02:45 2026-10-03T15:45:00Z",
                        "2026-10-05T02:15 2026-10-04T15:15:00Z");
    }

    @Test
    void a_fire_in_the_overlap_comes_once_at_the_first_of_both_times() {
        assertThat(fires("30 2 * * *", BERLIN, "2026-10-24T12:00:00Z", 2))
                .containsExactly("2026-10-25T02:30 2026-10-25T00:30:00Z", "2026-10-26T02:30 2026-10-26T01:30:00Z");
    }

    @Test
    void each_half_hour_goes_on_by_instants_in_the_overlap() {
        assertThat(fires("*/30 * * * *", BERLIN, "2026-10-25T00:00:00Z", 4))
                .containsExactly(
                        "2026-10-25T02:30 2026-10-25T00:30:00Z",
                        "2026-10-25T02:00 2026-10-25T01:00:00Z",
                        "2026-10-25T02:30 2026-10-25T01:30:00Z",
                        "2026-10-25T03:00 2026-10-25T02:00:00Z");
    }

    @Test
    void a_period_counts_from_its_first_fire() {
        FireTimes times =
                FireTimes.of(Schedule.every("a", Duration.ofSeconds(10)).into("tube", "x"));
        Instant first = Instant.parse("2026-01-01T00:00:03Z");
        assertThat(times.next(first, first)).isEqualTo(first.plusSeconds(10));
        assertThat(times.next(first, first.plusSeconds(25))).isEqualTo(first.plusSeconds(30));
        assertThat(times.latest(first, first.plusSeconds(1_000_009))).isEqualTo(first.plusSeconds(1_000_000));
    }

    @Test
    void the_latest_of_a_year_of_missed_fires_is_found() {
        Instant due = Instant.parse("2026-01-01T00:00:00Z");
        FireTimes often = FireTimes.of(Schedule.cron("a", "* * * * *", "UTC").into("tube", "x"));
        assertThat(often.latest(due, Instant.parse("2027-01-01T12:00:30Z")))
                .isEqualTo(Instant.parse("2027-01-01T12:00:00Z"));
        FireTimes yearly = FireTimes.of(Schedule.cron("a", "0 0 1 1 *", "UTC").into("tube", "x"));
        assertThat(yearly.latest(due, Instant.parse("2030-06-01T00:00:00Z")))
                .isEqualTo(Instant.parse("2030-01-01T00:00:00Z"));
    }

    @Test
    void an_expression_without_a_next_time_is_refused_with_its_text() {
        for (String cron : List.of("0 0 30 2 *", "61 * * * *", "daily", "0 3 * *", ", * * * *", "0 3 * * FRI#")) {
            assertThatThrownBy(() ->
                            FireTimes.checked(Schedule.cron("a", cron, "UTC").into("tube", "x"), Instant.EPOCH))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'" + cron + "'")
                    .hasMessageContaining("'a'");
        }
    }

    /** In a full run for four years. */
    @Test
    void in_all_zones_each_local_date_has_one_fire_and_the_fires_ascend() {
        LocalDate begin = LocalDate.of(2024, 1, 10);
        int days = FullRun.size(20, 1_461);
        for (String id : new TreeSet<>(ZoneId.getAvailableZoneIds())) {
            ZoneId zone = ZoneId.of(id);
            for (String cron : List.of("30 2 * * *", "0 0 * * *", "5 23 * * *")) {
                FireTimes times = FireTimes.of(Schedule.cron("a", cron, zone).into("tube", "x"));
                Instant last = begin.atStartOfDay(zone).toInstant().minusMillis(1);
                LocalDate date = begin;
                for (int day = 0; day < days; day++) {
                    Instant next = times.next(last, last);
                    assertThat(next).as(id).isAfter(last);
                    LocalDate of = next.atZone(zone).toLocalDate();
                    // Samoa and Kwajalein have left out a day
                    assertThat(of.isEqual(date) || of.isEqual(date.plusDays(1)))
                            .as("%s %s: %s, not %s", id, cron, next, date)
                            .isTrue();
                    assertThat(of).as(id).isAfterOrEqualTo(date);
                    // Nuuk puts its clock on from 23:00: the fire of that date comes after midnight
                    boolean isShifted =
                            cron.startsWith("5 23") && next.atZone(zone).getHour() != 23;
                    date = isShifted ? date.plusDays(1) : of.plusDays(1);
                    last = next;
                }
            }
        }
    }
}
