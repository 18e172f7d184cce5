package org.tasktube.tracing;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Tracer;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * The tracers of the applications, by their class loaders. No tracer and no class loader is kept in memory by this: an
 * application that is undeployed must leave nothing behind.
 */
final class Tracers {

    /** The name of the instrumentation in each span. */
    static final String SCOPE = "org.tasktube";

    /** The time after which an application without OpenTelemetry is asked again: its beans may begin later. */
    static final Duration ASK_AGAIN = Duration.ofSeconds(10);

    private final Function<ClassLoader, Optional<OpenTelemetry>> applications;
    private final LongSupplier nanoTime;
    private final Map<ClassLoader, Known> known = new WeakHashMap<>();

    Tracers(Function<ClassLoader, Optional<OpenTelemetry>> applications, LongSupplier nanoTime) {
        this.applications = applications;
        this.nanoTime = nanoTime;
    }

    /** @param askAt the time of the next question; only if there was no tracer */
    private record Known(WeakReference<Tracer> tracer, long askAt) {}

    /** Returns the tracer of an application; empty if it has no OpenTelemetry. */
    Optional<Tracer> of(ClassLoader application) {
        if (application == null) {
            return Optional.empty();
        }
        Known found = known(application);
        Tracer tracer = found == null ? null : found.tracer.get();
        if (tracer != null) {
            return Optional.of(tracer);
        }
        boolean isKnownToHaveNone = found != null && found.askAt - nanoTime.getAsLong() > 0;
        return isKnownToHaveNone ? Optional.empty() : ask(application);
    }

    private Known known(ClassLoader application) {
        synchronized (known) {
            return known.get(application);
        }
    }

    /** Asks without the lock, because the answer is code of the server and of others. */
    private Optional<Tracer> ask(ClassLoader application) {
        Optional<Tracer> tracer = applications.apply(application).map(found -> found.getTracer(SCOPE));
        long askAt = nanoTime.getAsLong() + (tracer.isPresent() ? 0 : ASK_AGAIN.toNanos());
        synchronized (known) {
            known.put(application, new Known(new WeakReference<>(tracer.orElse(null)), askAt));
        }
        return tracer;
    }
}
