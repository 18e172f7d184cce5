package org.tasktube.ra.wildfly;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.tasktube.TubeEvent;
import org.tasktube.TubeMode;
import org.tasktube.TubeStatistics;
import org.tasktube.metrics.NumbersSource;
import org.tasktube.metrics.TubeNumbers;

import static org.assertj.core.api.Assertions.assertThat;

class TubesStatisticsTest {

    private final List<TubeStatistics> tubes = new ArrayList<>();
    private Optional<Map<String, Duration>> ages = Optional.of(Map.of("orders", Duration.ofMillis(90_005)));
    private final TubesStatistics statistics = new TubesStatistics(Numbers::new);

    /** The test's tubes. Two beans get tasks of each, and one of them waits. */
    private final class Numbers implements NumbersSource {

        @Override
        public List<TubeNumbers> all() {
            return tubes.stream().map(tube -> new TubeNumbers(tube, 2, 1)).toList();
        }

        @Override
        public Optional<Map<String, Duration>> oldestReady() {
            return ages;
        }
    }

    @Test
    void each_tube_has_a_line_with_its_numbers_under_the_names_of_the_sums() {
        tubes.add(open("reports", 0, 1, 0, 0, 0, 0, Map.of(TubeEvent.PUT, 1L, TubeEvent.RELEASED_AT_START, 0L)));
        tubes.add(open("orders", 2, 0, 3, 4, 5, 6, Map.of(TubeEvent.DONE, 5L, TubeEvent.TAKE_TIMEOUT, 7L)));

        assertThat((String) statistics.getValue("tubes")).hasLineCount(2).isEqualTo("""
                        orders: ready=2 delayed=0 taken=3 buried=4 results=5 total=14 done=6 calls-take-timeout=7 calls-done=5 beans=2 waiting=1 oldest-ready-seconds=90.005 mode=OPEN
                        reports: ready=0 delayed=1 taken=0 buried=0 results=0 total=1 done=0 calls-put=1 beans=2 waiting=1 oldest-ready-seconds=0.000 mode=OPEN""");
        assertThat(statistics.getValue("results")).isEqualTo(5L);
        assertThat(statistics.getValue("total")).isEqualTo(15L);
        assertThat(statistics.getValue("calls-done")).isEqualTo(5L);
        assertThat(statistics.getValue("beans")).isEqualTo(4L);
        assertThat(statistics.getValue("waiting")).isEqualTo(2L);
    }

    @Test
    void ages_that_cannot_be_read_are_missing_and_all_other_numbers_are_there() {
        tubes.add(open("orders", 2, 0, 0, 0, 0, 0, Map.of()));
        ages = Optional.empty();
        assertThat((String) statistics.getValue("tubes"))
                .startsWith("orders: ready=2 ")
                .endsWith(" beans=2 waiting=1 mode=OPEN");
    }

    @Test
    void a_sum_reads_no_ages() {
        ages = null;
        assertThat(statistics.getValue("ready")).isEqualTo(0L);
    }

    @Test
    void a_tube_that_is_not_open_is_shown_with_who_since_when_and_why() {
        Instant since = Instant.parse("2026-11-22T11:00:00Z");
        tubes.add(new TubeStatistics(
                "orders", 1, 0, 0, 0, 0, 0, 1, Map.of(), TubeMode.DRAINING, "anna", since, "the shop moves"));
        assertThat((String) statistics.getValue("tubes"))
                .isEqualTo(
                        "orders: ready=1 delayed=0 taken=0 buried=0 results=0 total=1 done=0 beans=2 waiting=1 oldest-ready-seconds=90.005 mode=DRAINING"
                                + " by=anna since=2026-11-22T11:00:00Z reason=the shop moves");
    }

    private static TubeStatistics open(
            String name,
            long ready,
            long delayed,
            long taken,
            long buried,
            long results,
            long done,
            Map<TubeEvent, Long> events) {
        long total = ready + delayed + taken + buried + results;
        return new TubeStatistics(
                name,
                ready,
                delayed,
                taken,
                buried,
                results,
                done,
                total,
                events,
                TubeMode.OPEN,
                "",
                Instant.EPOCH,
                "");
    }

    /** WildFly takes what is neither int nor long as a text. */
    @Test
    void all_names_have_a_description_and_a_value_of_their_type() {
        assertThat(statistics.getNames())
                .contains("tubes", "results", "calls-released-at-start")
                .allSatisfy(name -> {
                    assertThat(statistics.getDescription(name)).isNotBlank();
                    assertThat(statistics.getValue(name))
                            .isInstanceOf(statistics.getType(name) == long.class ? Long.class : String.class);
                });
    }

    @Test
    void a_tube_that_is_created_or_dropped_is_listed_or_not_at_the_next_read() {
        assertThat(statistics.getValue("tubes")).isEqualTo("");
        tubes.add(open("orders", 1, 0, 0, 0, 0, 0, Map.of()));
        assertThat((String) statistics.getValue("tubes")).startsWith("orders: ready=1 ");
        tubes.clear();
        assertThat(statistics.getValue("tubes")).isEqualTo("");
    }
}
