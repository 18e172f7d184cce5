package org.tasktube.tracing;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.util.Optional;
import org.tasktube.TaskFailure;

/** The span of a delivery, current on the bean's thread until its end. */
@SuppressWarnings("MustBeClosedChecker") // The end of the delivery closes the scope; the root needs no end
final class CurrentSpan implements DeliverySpan {

    private static final AttributeKey<String> TYPE = AttributeKey.stringKey("exception.type");
    private static final AttributeKey<String> MESSAGE = AttributeKey.stringKey("exception.message");
    private static final AttributeKey<String> TRACE = AttributeKey.stringKey("exception.stacktrace");

    private final Span span;
    private final Scope scope;
    private final Guard guard;

    CurrentSpan(Span span, Guard guard) {
        this.span = span;
        this.scope = Context.root().with(span).makeCurrent();
        this.guard = guard;
    }

    @Override
    public void end(Result result, Optional<Throwable> failure) {
        guard.run(this::leaveThread);
        guard.run(() -> {
            SpanText.result(span, result);
            failure.ifPresentOrElse(this::failed, () -> {
                if (result != Result.ACKED) {
                    SpanText.failed(span, "lost", "the task had another holder, or was gone");
                }
            });
        });
        guard.run(span::end);
    }

    /** Ends the current span. If the bean left one of its own on the thread, that one is no longer current either. */
    private void leaveThread() {
        scope.close();
        if (Context.current() != Context.root()) {
            Scope unused = Context.root().makeCurrent();
        }
    }

    /** Notes an exception by texts, because methods of an application's exception may throw. */
    private void failed(Throwable failure) {
        TaskFailure kept = TaskFailure.of(failure);
        SpanText.failed(span, kept.type(), kept.message());
        span.addEvent("exception", Attributes.of(TYPE, kept.type(), MESSAGE, kept.message(), TRACE, kept.trace()));
    }
}
