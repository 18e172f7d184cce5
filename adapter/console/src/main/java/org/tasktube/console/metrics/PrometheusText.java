package org.tasktube.console.metrics;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.tasktube.admin.Histogram;

/** Writes Prometheus' text format 0.0.4: each metric once with its help and type, then its samples. */
final class PrometheusText {

    /** The type of the answer. */
    static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final StringBuilder text = new StringBuilder();

    private PrometheusText() {}

    static String of(Scrape scrape) {
        PrometheusText all = new PrometheusText();
        MetricList.of(scrape).forEach(all::write);
        return all.text.toString();
    }

    /** Writes a metric. One without samples is left out. */
    private void write(Metric metric) {
        if (metric.samples().isEmpty()) {
            return;
        }
        String name = metric.name();
        text.append("# HELP ").append(name).append(' ').append(escaped(metric.help()));
        text.append("\n# TYPE ").append(name).append(' ');
        text.append(metric.type().name().toLowerCase(Locale.ROOT)).append('\n');
        for (Metric.Sample sample : metric.samples()) {
            if (sample.histogram().isPresent()) {
                write(name, sample, sample.histogram().get());
            } else {
                write(name, sample.labels(), sample.value());
            }
        }
    }

    /** Writes a histogram. Each bucket has all times up to its bound, so the last one has as many as the count. */
    private void write(String name, Metric.Sample sample, Histogram times) {
        long upTo = 0;
        for (int i = 0; i < times.counts().size(); i++) {
            upTo += times.counts().get(i);
            List<String> labels = new ArrayList<>(sample.labels());
            labels.add("le");
            labels.add(i < Histogram.BOUNDS.size() ? bound(i) : "+Inf");
            write(name + "_bucket", labels, BigDecimal.valueOf(upTo));
        }
        write(name + "_sum", sample.labels(), sample.value());
        write(name + "_count", sample.labels(), BigDecimal.valueOf(upTo));
    }

    private static String bound(int index) {
        return Metric.seconds(Histogram.BOUNDS.get(index)).stripTrailingZeros().toPlainString();
    }

    private void write(String name, List<String> labels, BigDecimal value) {
        text.append(name);
        for (int i = 0; i < labels.size(); i += 2) {
            text.append(i == 0 ? '{' : ',').append(labels.get(i)).append("=\"");
            text.append(escaped(labels.get(i + 1)).replace("\"", "\\\"")).append('"');
        }
        text.append(labels.isEmpty() ? " " : "} ").append(value.toPlainString()).append('\n');
    }

    private static String escaped(String value) {
        return value.replace("\\", "\\\\").replace("\n", "\\n");
    }
}
