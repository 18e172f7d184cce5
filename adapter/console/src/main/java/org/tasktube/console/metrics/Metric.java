package org.tasktube.console.metrics;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.tasktube.admin.Histogram;

/** One metric: its name, type and help, and a sample per combination of labels. */
final class Metric {

    /** The type of a metric. */
    enum Type {
        COUNTER,
        GAUGE,
        HISTOGRAM
    }

    /**
     * A number, or a histogram.
     *
     * @param labels names and values in turn
     * @param value the number; of a histogram, the sum of its times in seconds
     */
    record Sample(List<String> labels, BigDecimal value, Optional<Histogram> histogram) {}

    private final String name;
    private final Type type;
    private final String help;
    private final List<Sample> samples = new ArrayList<>();

    Metric(String name, Type type, String help) {
        this.name = name;
        this.type = type;
        this.help = help;
    }

    String name() {
        return name;
    }

    Type type() {
        return type;
    }

    String help() {
        return help;
    }

    List<Sample> samples() {
        return samples;
    }

    /** Adds a sample. The labels are names and values in turn. */
    void sample(long value, String... labels) {
        samples.add(new Sample(List.of(labels), BigDecimal.valueOf(value), Optional.empty()));
    }

    /** Adds a sample in seconds, cut to milliseconds. */
    void sample(Duration value, String... labels) {
        samples.add(new Sample(List.of(labels), BigDecimal.valueOf(value.toMillis(), 3), Optional.empty()));
    }

    /** Adds 1 for true, 0 for false. */
    void sample(boolean value, String... labels) {
        sample(value ? 1 : 0, labels);
    }

    /** Adds the distribution of times. */
    void sample(Histogram times, String... labels) {
        samples.add(new Sample(List.of(labels), seconds(times.sum()), Optional.of(times)));
    }

    /** Returns seconds, exact to the microsecond. */
    static BigDecimal seconds(Duration time) {
        return BigDecimal.valueOf(time.getSeconds()).add(BigDecimal.valueOf(time.getNano() / 1_000, 6));
    }
}
