package org.tasktube.itest.trouble;

import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizerProvider;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.kit.WildFly;
import org.tasktube.itest.traced.KeptSpans;

import static org.assertj.core.api.Assertions.assertThat;

/** A WildFly in which an application has OpenTelemetry: one trace leads from its put through its bean. */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("full")
class TracingIT {

    private static final Path DIRECTORY = Servers.directory("tracing");

    private final WildFly server = Servers.onH2File(DIRECTORY);
    private final ProbeClient traced = new ProbeClient(server, "traced");

    @AfterEach
    void stop() {
        server.close();
    }

    /** A span as the application has kept it. */
    private record Span(String name, String trace, String id, String parent, String links) {

        static Span of(String line) {
            String[] parts = line.split(",", -1);
            return new Span(parts[0], parts[1], parts[2], parts[3], parts[4]);
        }
    }

    @Test
    void a_put_the_bean_and_its_put_are_one_trace_as_soon_as_the_server_has_opentelemetry() {
        server.start();
        server.cli(DIRECTORY.resolve("tasktube/tracing.cli"), Map.of());
        server.deploy(Wars.withBeans(DIRECTORY, "traced", AutoConfigurationCustomizerProvider.class, KeptSpans.class));
        Eventually.holds(
                () -> traced.tryToAsk("put").matches("00-[0-9a-f]{32}-[0-9a-f]{16}-01,[0-9a-f]{16}"),
                "the second task has a trace");
        String[] second = traced.ask("put").split(",", -1);
        String[] header = second[0].split("-", -1);
        Eventually.holds(() -> ofTrace(header[1]).size() >= 3, "three spans of the trace");
        Span put = named("put traced-first", header[1]);
        Span delivery = named("process traced-first", header[1]);
        Span next = named("put traced-second", header[1]);
        assertThat(delivery.parent).isEqualTo(put.id);
        assertThat(delivery.links).isEqualTo(put.id);
        assertThat(second[1]).as("the span that was current in the bean").isEqualTo(delivery.id);
        assertThat(next.parent).isEqualTo(delivery.id);
        assertThat(header[2]).isEqualTo(next.id);
        assertThat(server.log().lines())
                .anyMatch(line -> line.contains("TASKTUBE0140"))
                .noneMatch(line -> line.contains("WFLYSRV0018") && line.contains("tasktube.rar"));
    }

    private List<Span> ofTrace(String trace) {
        return Arrays.stream(traced.ask("spans").split("\n", -1))
                .map(Span::of)
                .filter(span -> span.trace.equals(trace))
                .toList();
    }

    private Span named(String name, String trace) {
        List<Span> found =
                ofTrace(trace).stream().filter(span -> span.name.equals(name)).toList();
        assertThat(found).as(name).hasSize(1);
        return found.get(0);
    }
}
