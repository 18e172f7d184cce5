package org.tasktube.tracing;

import io.opentelemetry.api.OpenTelemetry;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/** Each application has the tracer of its own OpenTelemetry, and an application that is gone leaves nothing. */
@Timeout(60)
class TracersTest {

    private static ClassLoader application() {
        return new URLClassLoader(new URL[0], TracersTest.class.getClassLoader());
    }

    @Test
    void an_application_with_opentelemetry_is_asked_once() {
        List<ClassLoader> asked = new ArrayList<>();
        OpenTelemetry its = OpenTelemetry.noop();
        Tracers tracers = new Tracers(
                application -> {
                    asked.add(application);
                    return Optional.of(its);
                },
                () -> 0);
        ClassLoader one = application();
        ClassLoader other = application();
        assertThat(tracers.of(one)).isPresent();
        assertThat(tracers.of(one)).isPresent();
        assertThat(tracers.of(other)).isPresent();
        assertThat(asked).containsExactly(one, other);
    }

    @Test
    void an_application_without_opentelemetry_is_asked_again_after_10_seconds() {
        AtomicLong now = new AtomicLong();
        List<ClassLoader> asked = new ArrayList<>();
        Tracers tracers = new Tracers(
                application -> {
                    asked.add(application);
                    return Optional.empty();
                },
                now::get);
        ClassLoader one = application();
        assertThat(tracers.of(one)).isEmpty();
        now.set(Tracers.ASK_AGAIN.toNanos() - 1);
        assertThat(tracers.of(one)).isEmpty();
        assertThat(asked).hasSize(1);
        now.set(Tracers.ASK_AGAIN.toNanos());
        assertThat(tracers.of(one)).isEmpty();
        assertThat(asked).hasSize(2);
    }

    @Test
    void a_thread_without_an_application_has_no_tracer() {
        assertThat(new Tracers(application -> Optional.of(OpenTelemetry.noop()), () -> 0).of(null))
                .isEmpty();
    }

    @Test
    void an_application_that_is_gone_is_not_kept_in_memory() {
        Tracers tracers = new Tracers(application -> Optional.of(new Spans().openTelemetry()), () -> 0);
        WeakReference<ClassLoader> gone = new WeakReference<>(application());
        assertThat(tracers.of(gone.get())).isPresent();
        Eventually.holds(
                () -> {
                    System.gc();
                    return gone.refersTo(null);
                },
                "the class loader is gone");
        assertThat(tracers.of(TracersTest.class.getClassLoader())).isPresent();
    }
}
