package org.tasktube.console.metrics;

import jakarta.json.JsonObject;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Dashboard, alerts and page name the metrics that are served. */
class MonitoringTest {

    private static final Pattern METRIC = Pattern.compile("\\btasktube_[a-z_]+");
    private static final Pattern FAMILY = Pattern.compile("(?m)^# TYPE (\\S+) ");

    /** A comparison of a label with a text, as in {@code state="ready"}. */
    private static final Pattern LABEL = Pattern.compile("\\b([a-z]+)(?:=|!=)\"([a-z_]+)\"");

    private static final String SERVED = PrometheusText.of(Samples.running());

    @Test
    void each_metric_of_the_dashboard_is_served() {
        Set<String> named = metrics(String.join("\n", Monitoring.queries()));
        Monitoring.variables().forEach(variable -> named.addAll(metrics(variable.toString())));

        assertThat(named).hasSizeGreaterThan(7).isSubsetOf(families());
    }

    @Test
    void each_metric_of_an_alert_is_served() {
        assertThat(metrics(Monitoring.read(Monitoring.RULES)))
                .hasSizeGreaterThan(7)
                .isSubsetOf(families());
    }

    @Test
    void each_label_with_a_value_in_a_query_or_an_alert_is_served() {
        String all = String.join("\n", Monitoring.queries()) + Monitoring.read(Monitoring.RULES);

        Set<String> labels = LABEL.matcher(all)
                .results()
                .map((MatchResult result) -> result.group(1) + "=\"" + result.group(2) + "\"")
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(labels).contains("state=\"ready\"").allSatisfy(label -> assertThat(SERVED)
                .contains(label));
    }

    @Test
    void the_page_has_each_metric_that_is_served_and_no_other() {
        assertThat(found(Pattern.compile("(?m)^\\| `(tasktube_[a-z_]+)"), Monitoring.read(Monitoring.PAGE)))
                .isEqualTo(families());
    }

    @Test
    void the_page_has_each_alert() {
        Pattern alert = Pattern.compile("(?m)^ +- alert: (\\w+)$");

        assertThat(found(Pattern.compile("(?m)^\\| `(TaskTube\\w+)`"), Monitoring.read(Monitoring.PAGE)))
                .isEqualTo(found(alert, Monitoring.read(Monitoring.RULES)));
    }

    @Test
    void the_dashboard_has_its_datasource_as_a_variable_and_no_panel_covers_another() {
        Set<String> cells = new HashSet<>();
        Monitoring.panels().forEach(panel -> {
            assertThat(panel.getJsonObject("datasource").getString("uid")).isEqualTo("$datasource");
            JsonObject position = panel.getJsonObject("gridPos");
            assertThat(position.getInt("x") + position.getInt("w")).isLessThanOrEqualTo(24);
            addCells(position, panel.getString("title"), cells);
        });
        assertThat(Monitoring.variables().map(variable -> variable.getString("name")))
                .containsExactly("datasource", "job", "tube");
    }

    private static void addCells(JsonObject position, String title, Set<String> cells) {
        for (int x = 0; x < position.getInt("w"); x++) {
            for (int y = 0; y < position.getInt("h"); y++) {
                String cell = (position.getInt("x") + x) + ":" + (position.getInt("y") + y);
                assertThat(cells.add(cell)).as("%s at %s", title, cell).isTrue();
            }
        }
    }

    /** Maven replaces such expressions when it packs the files. */
    @Test
    void no_file_has_an_expression_of_maven() {
        assertThat(Monitoring.read(Monitoring.RULES) + Monitoring.read(Monitoring.DASHBOARD))
                .doesNotContain("${")
                .doesNotContain("@");
    }

    /** Returns the metrics that a text names. A histogram is named by its series. */
    private static Set<String> metrics(String text) {
        return found(METRIC, text).stream()
                .map(name -> name.replaceFirst("(_seconds)_(bucket|sum|count)$", "$1"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> families() {
        return found(FAMILY, SERVED);
    }

    private static Set<String> found(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult result) -> result.group(result.groupCount()))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
