package org.tasktube.tracing;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.tasktube.PutItem;
import org.tasktube.PutOptions;
import org.tasktube.Task;

/** Spans by OpenTelemetry's conventions for messaging. Each span is of the application that puts or works. */
final class OpenTelemetryTracing implements Tracing {

    private final Tracers tracers;
    private final Guard guard = new Guard(System::nanoTime);

    OpenTelemetryTracing(Tracers tracers) {
        this.tracers = tracers;
    }

    static OpenTelemetryTracing ofApplications() {
        return new OpenTelemetryTracing(new Tracers(new ApplicationBeans(), System::nanoTime));
    }

    @Override
    public Optional<Task> put(String tube, PutOptions options, Function<PutOptions, Optional<Task>> put) {
        Optional<PutSpan> begun = begin(tube, List.of(options.headers()));
        if (begun.isEmpty()) {
            return put.apply(options);
        }
        PutSpan span = begun.get();
        PutOptions sent = guard.get(() -> span.sent(options), options);
        return span.around(() -> put.apply(sent), task -> span.put(List.of(task)));
    }

    @Override
    public Optional<List<Task>> putAll(
            String tube, List<PutItem> items, Function<List<PutItem>, Optional<List<Task>>> put) {
        Optional<PutSpan> begun =
                begin(tube, items.stream().map(item -> item.options().headers()).toList());
        if (begun.isEmpty()) {
            return put.apply(items);
        }
        PutSpan span = begun.get();
        List<PutItem> sent = guard.get(
                () -> items.stream()
                        .map(item -> PutItem.of(item.data(), span.sent(item.options())))
                        .toList(),
                items);
        return span.around(() -> put.apply(sent), span::put);
    }

    /** Begins the span of a put; empty if the calling application has no OpenTelemetry. */
    private Optional<PutSpan> begin(String tube, List<Map<String, String>> headers) {
        return guard.get(
                () -> tracers.of(Thread.currentThread().getContextClassLoader())
                        .map(tracer -> new PutSpan(begin(tracer, tube, headers), guard)),
                Optional.empty());
    }

    private static Span begin(Tracer tracer, String tube, List<Map<String, String>> headers) {
        SpanBuilder span = SpanText.span(tracer, "put", "send", tube).setSpanKind(SpanKind.PRODUCER);
        headers.stream().filter(TraceHeaders::areIn).forEach(each -> link(span, each));
        if (headers.size() > 1) {
            span.setAttribute(SpanText.COUNT, (long) headers.size());
        }
        return span.startSpan();
    }

    private static void link(SpanBuilder span, Map<String, String> headers) {
        SpanContext put = TraceHeaders.read(headers);
        if (put.isValid()) {
            span.addLink(put);
        }
    }

    @Override
    public DeliverySpan delivery(ClassLoader application, List<Task> tasks) {
        Supplier<DeliverySpan> begin = () -> tracers.of(application)
                .<DeliverySpan>map(tracer ->
                        new CurrentSpan(tasks.size() == 1 ? begin(tracer, tasks.get(0)) : begin(tracer, tasks), guard))
                .orElse(DeliverySpan.NONE);
        return guard.get(begin, DeliverySpan.NONE);
    }

    /**
     * Begins the span of a delivery, in the trace of the put and linked to it. The conventions ask for the link, and
     * allow a parent where a span has one task only. No span that a bean left on the thread becomes the parent.
     */
    private static Span begin(Tracer tracer, Task task) {
        SpanContext put = TraceHeaders.read(task.headers());
        SpanBuilder span = process(tracer, task.tube())
                .setAttribute(SpanText.ID, Long.toString(task.id()))
                .setAttribute(SpanText.ATTEMPTS, (long) task.attempts());
        if (put.isValid()) {
            span.setParent(Context.root().with(Span.wrap(put))).addLink(put);
        } else {
            span.setNoParent();
        }
        return span.startSpan();
    }

    /** Begins the span of a batch, a trace of its own that is linked to each put. */
    private static Span begin(Tracer tracer, List<Task> tasks) {
        SpanBuilder span =
                process(tracer, tasks.get(0).tube()).setNoParent().setAttribute(SpanText.COUNT, (long) tasks.size());
        tasks.forEach(task -> link(span, task.headers()));
        return span.startSpan();
    }

    private static SpanBuilder process(Tracer tracer, String tube) {
        return SpanText.span(tracer, "process", "process", tube).setSpanKind(SpanKind.CONSUMER);
    }
}
