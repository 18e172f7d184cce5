package org.tasktube.tracing;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import java.util.Locale;

/**
 * The names, attributes and states of spans. The names with {@code messaging} and {@code error} are OpenTelemetry's.
 */
final class SpanText {

    static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
    static final AttributeKey<String> TUBE = AttributeKey.stringKey("messaging.destination.name");
    static final AttributeKey<String> OPERATION = AttributeKey.stringKey("messaging.operation.name");
    static final AttributeKey<String> OPERATION_TYPE = AttributeKey.stringKey("messaging.operation.type");
    static final AttributeKey<String> ID = AttributeKey.stringKey("messaging.message.id");
    static final AttributeKey<Long> COUNT = AttributeKey.longKey("messaging.batch.message_count");
    static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");

    /** The number of the attempt, from 1. */
    static final AttributeKey<Long> ATTEMPTS = AttributeKey.longKey("tasktube.attempts");

    /** The end of a delivery: {@code acked}, {@code failed}, {@code not_delivered} or {@code lost}. */
    static final AttributeKey<String> RESULT = AttributeKey.stringKey("tasktube.result");

    /** The number of tasks whose headers had no room for the trace. */
    static final AttributeKey<Long> UNTRACED = AttributeKey.longKey("tasktube.untraced");

    /** The value of {@link #SYSTEM}. */
    static final String TASKTUBE = "tasktube";

    private SpanText() {}

    /** Returns the builder of a span about a tube. */
    static SpanBuilder span(Tracer tracer, String operation, String type, String tube) {
        return tracer.spanBuilder(operation + " " + tube)
                .setAttribute(SYSTEM, TASKTUBE)
                .setAttribute(TUBE, tube)
                .setAttribute(OPERATION, operation)
                .setAttribute(OPERATION_TYPE, type);
    }

    static void result(Span span, DeliverySpan.Result result) {
        span.setAttribute(RESULT, result.name().toLowerCase(Locale.ROOT));
    }

    static void failed(Span span, String type, String description) {
        span.setAttribute(ERROR, type).setStatus(StatusCode.ERROR, description);
    }
}
