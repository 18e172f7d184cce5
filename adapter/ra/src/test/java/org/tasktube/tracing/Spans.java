package org.tasktube.tracing;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.List;
import java.util.Optional;
import org.tasktube.testing.Eventually;

/** An application's OpenTelemetry that keeps its spans in memory. */
public final class Spans implements AutoCloseable {

    private final InMemorySpanExporter ended = InMemorySpanExporter.create();
    private final OpenTelemetrySdk sdk;

    public Spans() {
        this(null);
    }

    /** @param other sees each span before it is kept; null for none */
    public Spans(SpanProcessor other) {
        SdkTracerProvider spans = SdkTracerProvider.builder()
                .addSpanProcessor(SimpleSpanProcessor.create(ended))
                .addSpanProcessor(other == null ? SpanProcessor.composite() : other)
                .build();
        sdk = OpenTelemetrySdk.builder().setTracerProvider(spans).build();
    }

    public OpenTelemetry openTelemetry() {
        return sdk;
    }

    /** The adapter's tracing, in which each application has this OpenTelemetry. */
    public Tracing tracing() {
        return new OpenTelemetryTracing(new Tracers(application -> Optional.of(sdk), System::nanoTime));
    }

    /** The adapter's tracing, in which no application has OpenTelemetry. */
    public static Tracing ofNoApplication() {
        return new OpenTelemetryTracing(new Tracers(application -> Optional.empty(), System::nanoTime));
    }

    /** The spans of a name in the order of their ends, of which there are so many sooner or later. */
    public List<SpanData> await(String name, int count) {
        Eventually.holds(() -> named(name).size() >= count, count + " spans '" + name + "', there are " + all());
        return named(name);
    }

    public SpanData await(String name) {
        return await(name, 1).get(0);
    }

    private List<SpanData> named(String name) {
        return all().stream().filter(span -> span.getName().equals(name)).toList();
    }

    public List<SpanData> all() {
        return ended.getFinishedSpanItems();
    }

    public static String text(SpanData span, String attribute) {
        return span.getAttributes().get(AttributeKey.stringKey(attribute));
    }

    public static Long number(SpanData span, String attribute) {
        return span.getAttributes().get(AttributeKey.longKey(attribute));
    }

    @Override
    public void close() {
        sdk.close();
    }
}
