package org.tasktube.console.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.tasktube.TubeMode;
import org.tasktube.console.metrics.Scrape.TubeNumbers;
import org.tasktube.console.metrics.Scrape.Tubes;

import static org.assertj.core.api.Assertions.assertThat;

/** A registry of Micrometer has the numbers that Prometheus reads, under the same names. */
class MicrometerMetersTest {

    private static final Pattern SAMPLE = Pattern.compile("(?m)^([a-z_]+)(?:\\{(.*)})? (\\S+)$");

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final MicrometerMeters meters = new MicrometerMeters(registry);

    /** Returns the numbers of Prometheus' text by name and sorted labels. */
    private static Map<String, Double> samples(String text) {
        Map<String, Double> samples = new TreeMap<>();
        Matcher found = SAMPLE.matcher(text);
        while (found.find()) {
            String labels = found.group(2) == null ? "" : found.group(2);
            List<String> sorted = Pattern.compile(",(?=[a-z]+=\")")
                    .splitAsStream(labels)
                    .sorted()
                    .toList();
            samples.put(found.group(1) + sorted, Double.valueOf(found.group(3)));
        }
        return samples;
    }

    @Test
    void a_registry_for_prometheus_has_each_number_of_the_page_but_the_buckets() {
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new MicrometerMeters(prometheus).show(MetricList.of(Samples.running()));

        Map<String, Double> expected = samples(PrometheusText.of(Samples.running()));
        expected.keySet().removeIf(name -> name.contains("_bucket["));
        assertThat(expected).hasSizeGreaterThan(50);
        assertThat(samples(prometheus.scrape())).isEqualTo(expected);
    }

    @Test
    void labels_are_as_hostile_as_they_are() {
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        String hostile = "a\"b\\c\nd";
        Scrape scrape = Samples.scrape(hostile, new Tubes(0, List.of()));
        new MicrometerMeters(prometheus).show(MetricList.of(scrape));
        assertThat(prometheus.scrape()).contains("server=\"a\\\"b\\\\c\\nd\"");
    }

    private double ready(String tube) {
        return registry.get("tasktube.tasks")
                .tags("tube", tube, "state", "ready")
                .gauge()
                .value();
    }

    @Test
    void a_meter_shows_the_latest_number() {
        meters.show(MetricList.of(Samples.running()));
        int before = registry.getMeters().size();
        meters.show(MetricList.of(orders(99)));
        assertThat(ready("orders")).isEqualTo(99);
        meters.show(MetricList.of(Samples.running()));
        assertThat(registry.getMeters()).hasSize(before);
        assertThat(ready("orders")).isEqualTo(12);
    }

    /** The registry refers to the numbers weakly. */
    @Test
    void the_numbers_outlive_a_collection_of_garbage() {
        meters.show(MetricList.of(Samples.running()));
        System.gc();
        assertThat(ready("orders")).isEqualTo(12);
    }

    @Test
    void the_meters_of_a_dropped_tube_are_gone_and_those_of_others_stay() {
        meters.show(MetricList.of(Samples.running()));
        meters.show(MetricList.of(orders(12)));
        assertThat(registry.getMeters())
                .extracting(meter -> meter.getId().getTag("tube"))
                .contains("orders")
                .doesNotContain("signals");
    }

    @Test
    void without_numbers_no_meter_of_ours_is_left_and_those_of_others_stay() {
        registry.counter("other", "tube", "orders");
        meters.show(MetricList.of(Samples.running()));
        meters.show(List.of());
        assertThat(registry.getMeters())
                .extracting(Meter::getId)
                .extracting(Meter.Id::getName)
                .containsExactly("other");
    }

    @Test
    void a_waiting_adapter_shows_its_state_and_no_tubes() {
        meters.show(MetricList.of(Samples.running()));
        meters.show(MetricList.of(Samples.waiting()));
        assertThat(registry.get("tasktube.adapter.up").gauge().value()).isZero();
        assertThat(registry.find("tasktube.tasks").meters()).isEmpty();
    }

    /** WildFly has one, whose parts come and go by the configuration. */
    @Test
    void a_registry_without_parts_gets_no_error() {
        CompositeMeterRegistry composite = new CompositeMeterRegistry();
        MicrometerMeters shown = new MicrometerMeters(composite);
        shown.show(MetricList.of(Samples.running()));
        composite.add(registry);
        assertThat(ready("orders")).isEqualTo(12);
        shown.show(List.of());
        assertThat(registry.getMeters()).isEmpty();
    }

    private static Scrape orders(long ready) {
        TubeNumbers orders = new TubeNumbers(Samples.ORDERS, Samples.statistics("orders", ready, TubeMode.OPEN));
        Scrape all = Samples.scrape("server1", new Tubes(1, List.of(orders)));
        return new Scrape(all.server(), all.version(), all.state(), all.tubes(), Optional.of(Map.of()), all.timings());
    }
}
