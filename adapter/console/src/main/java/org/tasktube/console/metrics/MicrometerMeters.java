package org.tasktube.console.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The metrics in a registry of Micrometer. A meter is there as long as its sample is, and shows the latest one.
 *
 * <p>The calls that register a meter are those that WildFly 39 passes on to its own registry. It does not pass on a
 * meter that a builder registers.
 */
final class MicrometerMeters {

    private final MeterRegistry registry;
    private final Map<Key, Latest> shown = new HashMap<>();

    MicrometerMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    /** The name of a meter in Micrometer's form, and the names and values of its labels in turn. */
    private record Key(String name, List<String> labels) {

        static Key of(Metric metric, Metric.Sample sample) {
            return new Key(nameOf(metric), sample.labels());
        }

        Tags tags() {
            return Tags.of(labels.toArray(String[]::new));
        }
    }

    /** The latest sample of a meter. Only this class keeps it in memory: the registry refers to it weakly. */
    private static final class Latest {

        private volatile double value;
        private volatile long count;

        void set(Metric.Sample sample) {
            value = sample.value().doubleValue();
            count = sample.histogram().map(times -> times.total()).orElse(0L);
        }

        double value() {
            return value;
        }

        long count() {
            return count;
        }
    }

    /** Shows these metrics, and no others. */
    void show(List<Metric> metrics) {
        Set<Key> now = new HashSet<>();
        for (Metric metric : metrics) {
            for (Metric.Sample sample : metric.samples()) {
                Key key = Key.of(metric, sample);
                now.add(key);
                Latest known = shown.get(key);
                if (known == null) {
                    add(metric, sample, key);
                } else {
                    known.set(sample);
                }
            }
        }
        Set<Key> gone = new HashSet<>(shown.keySet());
        gone.removeAll(now);
        gone.forEach(this::remove);
    }

    private void add(Metric metric, Metric.Sample sample, Key key) {
        Latest latest = new Latest();
        latest.set(sample);
        shown.put(key, latest);
        switch (metric.type()) {
            case GAUGE -> registry.gauge(key.name, key.tags(), latest, Latest::value);
            case COUNTER -> registry.more().counter(key.name, key.tags(), latest, Latest::value);
            case HISTOGRAM ->
                registry.more().timer(key.name, key.tags(), latest, Latest::count, Latest::value, TimeUnit.SECONDS);
        }
    }

    private void remove(Key key) {
        shown.remove(key);
        registry.find(key.name).tags(key.tags()).meters().forEach(registry::remove);
    }

    /**
     * Returns the name with dots. Each registry makes its own form of it; that of Prometheus adds the endings of
     * counters and times again.
     */
    private static String nameOf(Metric metric) {
        String name =
                switch (metric.type()) {
                    case GAUGE -> metric.name();
                    case COUNTER -> metric.name().replaceFirst("_total$", "");
                    case HISTOGRAM -> metric.name().replaceFirst("_seconds$", "");
                };
        return name.replace('_', '.');
    }
}
