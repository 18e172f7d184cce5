package org.tasktube.console.metrics;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tasktube.TubeMode;
import org.tasktube.console.metrics.Scrape.TubeNumbers;
import org.tasktube.console.metrics.Scrape.Tubes;
import org.tasktube.itest.watchdog.Tool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Prometheus' own tool accepts what is served and shipped, and each alert fires when it should. */
class PromtoolTest {

    private static final Path TESTS =
            Path.of("src/test/resources/org/tasktube/console/metrics/tasktube.rules.test.yml");

    @TempDir
    private Path directory;

    @BeforeAll
    static void needPromtool() {
        assumeTrue(Tool.PROMTOOL.isThere(), Tool.PROMTOOL::missing);
    }

    @Test
    void check_metrics_accepts_what_is_served() throws Exception {
        assertAccepted(PrometheusText.of(Samples.running()), "check", "metrics");
    }

    @Test
    void check_metrics_accepts_what_a_server_without_its_database_serves() throws Exception {
        assertAccepted(PrometheusText.of(Samples.waiting()), "check", "metrics");
    }

    @Test
    void check_metrics_accepts_escaped_labels() throws Exception {
        Scrape hostile = Samples.scrape("\\\"}\n# TYPE x counter\r\u0000\ud800 東京{", new Tubes(0, List.of()));

        assertAccepted(PrometheusText.of(hostile), "check", "metrics");
    }

    @Test
    void check_metrics_accepts_the_largest_numbers() throws Exception {
        TubeNumbers tube =
                new TubeNumbers(Samples.ORDERS, Samples.statistics("orders", Long.MAX_VALUE - 10, TubeMode.OPEN));

        assertAccepted(PrometheusText.of(Samples.scrape("s", new Tubes(1, List.of(tube)))), "check", "metrics");
    }

    @Test
    void check_rules_accepts_the_alerts() throws Exception {
        assertAccepted("", "check", "rules", Monitoring.RULES.toString());
    }

    @Test
    void each_alert_fires_when_it_should_and_not_before() throws Exception {
        Files.copy(Monitoring.RULES, directory.resolve("tasktube.rules.yml"));
        Path tests = Files.copy(TESTS, directory.resolve("test.yml"));

        assertAccepted("", "test", "rules", tests.toString());
    }

    /** There is no check of a query without a server, so each query becomes a rule. */
    @Test
    void check_rules_accepts_the_queries_of_the_dashboard() throws Exception {
        StringBuilder rules = new StringBuilder("groups: [{name: dashboard, rules: [");
        List<String> queries = Monitoring.queries();
        for (int i = 0; i < queries.size(); i++) {
            String query = queries.get(i).replace("$__rate_interval", "1m").replace("'", "''");
            rules.append("\n{record: 'query")
                    .append(i)
                    .append("', expr: '")
                    .append(query)
                    .append("'},");
        }
        Path file = Files.writeString(
                directory.resolve("dashboard.yml"), rules.append("]}]").toString());

        assertAccepted("", "check", "rules", file.toString());
    }

    private void assertAccepted(String input, String... command) throws Exception {
        List<String> all = new ArrayList<>(List.of("promtool"));
        all.addAll(List.of(command));
        Path in = Files.write(directory.resolve("in"), input.getBytes(UTF_8));
        Path out = directory.resolve("out");
        Process promtool = new ProcessBuilder(all)
                .redirectInput(in.toFile())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        assertThat(promtool.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(promtool.exitValue()).as(Files.readString(out)).isZero();
    }
}
