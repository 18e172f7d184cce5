package org.tasktube.tracing;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.tasktube.PutOptions;

/** The headers of a task that carry a trace, by the standard W3C Trace Context. */
final class TraceHeaders {

    static final String PARENT = "traceparent";
    static final String STATE = "tracestate";

    private static final W3CTraceContextPropagator STANDARD = W3CTraceContextPropagator.getInstance();

    private TraceHeaders() {}

    /** Returns whether the application has set a trace of its own. */
    static boolean areIn(Map<String, String> headers) {
        return headers.containsKey(PARENT) || headers.containsKey(STATE);
    }

    /**
     * Returns options with the headers of a span. If only {@code traceparent} fits into the bounds of headers, the
     * options have that one. Empty if none fits.
     */
    static Optional<PutOptions> add(PutOptions options, Span span) {
        Map<String, String> trace = new LinkedHashMap<>();
        STANDARD.inject(Context.root().with(span), trace, Map::put);
        return added(options, trace).or(() -> {
            trace.remove(STATE);
            return added(options, trace);
        });
    }

    private static Optional<PutOptions> added(PutOptions options, Map<String, String> trace) {
        Map<String, String> all = new LinkedHashMap<>(options.headers());
        all.putAll(trace);
        try {
            return Optional.of(options.headers(all));
        } catch (IllegalArgumentException e) {
            // Only the API knows the bounds of headers
            return Optional.empty();
        }
    }

    /** Returns the context of the put, by the headers of its task; not valid without such headers. */
    static SpanContext read(Map<String, String> headers) {
        return Span.fromContext(STANDARD.extract(Context.root(), headers, GETTER))
                .getSpanContext();
    }

    private static final TextMapGetter<Map<String, String>> GETTER = new TextMapGetter<>() {

        @Override
        public Iterable<String> keys(Map<String, String> headers) {
            return headers.keySet();
        }

        @Override
        public String get(Map<String, String> headers, String name) {
            return headers == null ? null : headers.get(name);
        }
    };
}
