package org.tasktube.tracing;

import io.opentelemetry.api.trace.Span;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.TubeFullException;

/** The span of one put, of one task or several. It ends with the call, and not with the caller's transaction. */
final class PutSpan {

    private final Span span;
    private final Guard guard;
    private long untraced;

    PutSpan(Span span, Guard guard) {
        this.span = span;
        this.guard = guard;
    }

    /** Returns a task's options with the headers of this span, unless the application has set a trace of its own. */
    PutOptions sent(PutOptions options) {
        if (TraceHeaders.areIn(options.headers())) {
            return options;
        }
        Optional<PutOptions> sent = TraceHeaders.add(options, span);
        if (sent.isEmpty()) {
            untraced++;
        }
        return sent.orElse(options);
    }

    /** Puts, and ends the span with the result. A result that is empty means that the tube was full. */
    <T> Optional<T> around(Supplier<Optional<T>> put, Consumer<T> done) {
        try {
            Optional<T> result = put.get();
            guard.run(() -> result.ifPresentOrElse(done, this::full));
            return result;
        } catch (Throwable e) {
            guard.run(() -> failed(e));
            throw e;
        } finally {
            guard.run(span::end);
        }
    }

    /** Notes the tasks. The id of each is an attribute only where there is one. */
    void put(List<Task> tasks) {
        if (tasks.size() == 1) {
            span.setAttribute(SpanText.ID, Long.toString(tasks.get(0).id()));
        }
        if (untraced > 0) {
            span.setAttribute(SpanText.UNTRACED, untraced);
        }
    }

    private void full() {
        SpanText.failed(span, TubeFullException.class.getName(), "the tube had too little free capacity");
    }

    private void failed(Throwable failure) {
        SpanText.failed(span, failure.getClass().getName(), TaskFailure.summary(failure));
    }
}
