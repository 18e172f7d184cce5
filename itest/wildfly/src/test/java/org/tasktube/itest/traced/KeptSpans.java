package org.tasktube.itest.traced;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizer;
import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizerProvider;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/** Keeps the spans of the application beside the server's exporter: a line each, with name, trace, id and parent. */
public final class KeptSpans implements AutoConfigurationCustomizerProvider, SpanProcessor {

    static final List<String> LINES = new CopyOnWriteArrayList<>();

    @Override
    public void customize(AutoConfigurationCustomizer configuration) {
        configuration.addTracerProviderCustomizer((spans, properties) -> spans.addSpanProcessor(this));
    }

    @Override
    public void onStart(Context parent, ReadWriteSpan span) {}

    @Override
    public boolean isStartRequired() {
        return false;
    }

    @Override
    public void onEnd(ReadableSpan ended) {
        SpanData span = ended.toSpanData();
        LINES.add(String.join(
                ",",
                span.getName(),
                span.getTraceId(),
                span.getSpanId(),
                span.getParentSpanId(),
                span.getLinks().stream()
                        .map(link -> link.getSpanContext().getSpanId())
                        .collect(Collectors.joining("+"))));
    }

    @Override
    public boolean isEndRequired() {
        return true;
    }
}
