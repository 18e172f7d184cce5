package org.tasktube.console.metrics;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.tasktube.AdapterState;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeEvent;
import org.tasktube.TubeMode;
import org.tasktube.console.metrics.Scrape.TubeNumbers;
import org.tasktube.console.metrics.Scrape.Tubes;

import static org.assertj.core.api.Assertions.assertThat;

/** Prometheus reads what is served, and each number has one name and one meaning. */
class PrometheusTextTest {

    @Test
    void tasks_are_a_gauge_per_tube_and_state() {
        assertThat(lines(Samples.running()))
                .contains(
                        "# TYPE tasktube_tasks gauge",
                        "tasktube_tasks{tube=\"orders\",state=\"ready\",temporary=\"false\"} 12",
                        "tasktube_tasks{tube=\"orders\",state=\"delayed\",temporary=\"false\"} 1",
                        "tasktube_tasks{tube=\"orders\",state=\"taken\",temporary=\"false\"} 2",
                        "tasktube_tasks{tube=\"orders\",state=\"buried\",temporary=\"false\"} 3",
                        "tasktube_tasks{tube=\"orders\",state=\"done\",temporary=\"false\"} 4",
                        "tasktube_tasks{tube=\"signals\",state=\"ready\",temporary=\"true\"} 0");
    }

    @Test
    void events_are_a_counter_per_tube_and_kind() {
        List<String> lines = lines(Samples.running());

        assertThat(lines)
                .contains(
                        "# TYPE tasktube_task_events_total counter",
                        "tasktube_task_events_total{tube=\"orders\",event=\"put\"} 100",
                        "tasktube_task_events_total{tube=\"orders\",event=\"released_by_session\"} 17",
                        "tasktube_tasks_ended_total{tube=\"orders\"} 77");
        assertThat(lines)
                .filteredOn(line -> line.startsWith("tasktube_task_events_total{tube=\"signals\""))
                .hasSize(TubeEvent.values().length);
    }

    @Test
    void one_mode_of_a_tube_is_1_and_the_others_are_0() {
        assertThat(lines(Samples.running()))
                .contains(
                        "tasktube_tube_mode{tube=\"orders\",mode=\"open\"} 1",
                        "tasktube_tube_mode{tube=\"orders\",mode=\"paused\"} 0",
                        "tasktube_tube_mode{tube=\"signals\",mode=\"open\"} 0",
                        "tasktube_tube_mode{tube=\"signals\",mode=\"paused\"} 1",
                        "tasktube_tube_mode{tube=\"signals\",mode=\"draining\"} 0");
    }

    @Test
    void ages_are_in_seconds_and_0_for_a_tube_without_ready_tasks() {
        assertThat(lines(Samples.running()))
                .contains(
                        "tasktube_oldest_ready_age_seconds{tube=\"orders\"} 90.005",
                        "tasktube_oldest_ready_age_seconds{tube=\"signals\"} 0.000");
    }

    @Test
    void times_are_a_histogram_in_seconds_whose_buckets_have_all_times_up_to_their_bound() {
        assertThat(lines(Samples.running()))
                .contains(
                        "# TYPE tasktube_task_wait_seconds histogram",
                        "tasktube_task_wait_seconds_bucket{tube=\"orders\",le=\"0.001\"} 0",
                        "tasktube_task_wait_seconds_bucket{tube=\"orders\",le=\"0.005\"} 7",
                        "tasktube_task_wait_seconds_bucket{tube=\"orders\",le=\"7200\"} 7",
                        "tasktube_task_wait_seconds_bucket{tube=\"orders\",le=\"+Inf\"} 8",
                        "tasktube_task_wait_seconds_sum{tube=\"orders\"} 10800.021000",
                        "tasktube_task_wait_seconds_count{tube=\"orders\"} 8",
                        "tasktube_task_run_seconds_bucket{tube=\"signals\",le=\"1\"} 0",
                        "tasktube_task_run_seconds_bucket{tube=\"signals\",le=\"2.5\"} 1",
                        "tasktube_task_run_seconds_sum{tube=\"signals\"} 1.500000");
    }

    @Test
    void the_lag_of_deadlines_and_the_round_trips_are_those_of_the_server() {
        assertThat(lines(Samples.running()))
                .contains(
                        "tasktube_deadline_lag_seconds_bucket{le=\"30\"} 0",
                        "tasktube_deadline_lag_seconds_bucket{le=\"60\"} 1",
                        "tasktube_deadline_lag_seconds_sum 40.000000",
                        "tasktube_deadline_overdue_seconds 1.250",
                        "# TYPE tasktube_database_round_trips_total counter",
                        "tasktube_database_round_trips_total 4711");
    }

    @Test
    void only_a_tube_with_a_capacity_has_one() {
        assertThat(lines(Samples.running()))
                .filteredOn(line -> line.startsWith("tasktube_tube_capacity_tasks{"))
                .containsExactly("tasktube_tube_capacity_tasks{tube=\"orders\"} 1000");
    }

    @Test
    void a_running_adapter_is_up() {
        assertThat(lines(Samples.running()))
                .contains(
                        "tasktube_server_info{server=\"server1\",version=\"1.0\"} 1",
                        "tasktube_adapter_up 1",
                        "tasktube_adapter_state{state=\"running\"} 1",
                        "tasktube_adapter_state{state=\"waiting\"} 0");
    }

    @Test
    void a_waiting_adapter_is_not_up_and_has_no_numbers_of_tubes() {
        List<String> lines = lines(Samples.waiting());

        assertThat(lines).contains("tasktube_adapter_up 0", "tasktube_adapter_state{state=\"waiting\"} 1");
        assertThat(lines).noneMatch(line -> line.contains("tube=\"") || line.contains("collector"));
    }

    @Test
    void ages_that_could_not_be_read_are_missing_and_not_0() {
        Scrape read = Samples.running();
        List<String> lines =
                lines(new Scrape("", "", AdapterState.RUNNING, read.tubes(), Optional.empty(), Optional.empty()));

        assertThat(lines)
                .contains(
                        "tasktube_scrape_collector_success{collector=\"tubes\"} 1",
                        "tasktube_scrape_collector_success{collector=\"oldest_ready\"} 0",
                        "tasktube_scrape_collector_success{collector=\"timings\"} 0");
        assertThat(lines).noneMatch(line -> line.contains("oldest_ready_age") || line.contains("_seconds_sum"));
    }

    @Test
    void a_number_below_zero_is_shown_as_0() {
        TubeNumbers tube = new TubeNumbers(Samples.ORDERS, Samples.statistics("orders", -3, TubeMode.OPEN));

        assertThat(lines(Samples.scrape("s", new Tubes(1, List.of(tube)))))
                .contains("tasktube_tasks{tube=\"orders\",state=\"ready\",temporary=\"false\"} 0");
    }

    @Test
    void backslash_quote_and_newline_in_a_label_are_escaped_and_other_letters_stay() {
        assertThat(lines(Samples.scrape("C:\\\"x\"\nJörg 東京", new Tubes(0, List.of()))))
                .contains("tasktube_server_info{server=\"C:\\\\\\\"x\\\"\\nJörg 東京\",version=\"1.0\"} 1");
    }

    @Test
    void tubes_that_are_left_out_are_counted() {
        assertThat(lines(Samples.scrape("s", new Tubes(1_003, List.of()))))
                .contains("tasktube_tubes 1003", "tasktube_tubes_omitted 1003");
    }

    @Test
    void each_name_has_its_help_and_type_once_before_its_samples_and_each_series_occurs_once() {
        Set<String> families = new HashSet<>();
        Set<String> series = new HashSet<>();
        List<String> wrong = new ArrayList<>();
        String current = "";
        String before = "";
        for (String line : lines(Samples.running())) {
            if (line.startsWith("# HELP ")) {
                current = line.split(" ", 4)[2];
                addOnce(families, current, wrong);
            } else if (line.startsWith("# TYPE ")) {
                check(before.startsWith("# HELP " + current + " "), line, wrong);
                check(line.matches("# TYPE " + current + " (counter|gauge|histogram)"), line, wrong);
            } else {
                check(line.matches(current + "(_bucket|_sum|_count)?(\\{[^}]*})? -?\\d+(\\.\\d+)?"), line, wrong);
                addOnce(series, line.substring(0, line.lastIndexOf(' ')), wrong);
            }
            before = line;
        }
        assertThat(wrong).isEmpty();
        assertThat(families).hasSizeGreaterThan(10);
    }

    private static void addOnce(Set<String> known, String name, List<String> wrong) {
        check(known.add(name), name, wrong);
    }

    private static void check(boolean right, String line, List<String> wrong) {
        if (!right) {
            wrong.add(line);
        }
    }

    @Test
    void a_counter_ends_with_total_and_nothing_else_does() {
        assertThat(lines(Samples.running()))
                .filteredOn(line -> line.startsWith("# TYPE "))
                .allMatch(line -> line.endsWith(" counter") == line.contains("_total "));
    }

    @Test
    void the_text_ends_with_a_newline() {
        assertThat(PrometheusText.of(Samples.waiting())).endsWith("\n").doesNotContain("\n\n");
    }

    @Test
    void a_tube_has_about_70_lines() {
        TubeDefinition tube = TubeDefinition.fifo("orders");
        Scrape one = Samples.scrape(
                "s", new Tubes(1, List.of(new TubeNumbers(tube, Samples.statistics("orders", 1, TubeMode.OPEN)))));

        assertThat(lines(one))
                .filteredOn(line -> line.contains("tube=\"orders\""))
                .hasSizeBetween(60, 80);
    }

    private static List<String> lines(Scrape scrape) {
        return PrometheusText.of(scrape).lines().toList();
    }
}
