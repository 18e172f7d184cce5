package org.tasktube.console.metrics;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.tasktube.AdapterState;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeEvent;
import org.tasktube.TubeMode;
import org.tasktube.TubeStatistics;
import org.tasktube.admin.Histogram;
import org.tasktube.admin.ServerTimings;
import org.tasktube.admin.TubeTimings;
import org.tasktube.console.metrics.Scrape.TubeNumbers;
import org.tasktube.console.metrics.Scrape.Tubes;

/** Numbers of tubes, and scrapes of them. */
final class Samples {

    static final TubeDefinition ORDERS = TubeDefinition.limfifottl("orders", 1_000);
    static final TubeDefinition SIGNALS = TubeDefinition.fifo("signals").asTemporary();

    private Samples() {}

    /** A running server with all families. */
    static Scrape running() {
        TubeNumbers orders = new TubeNumbers(ORDERS, statistics("orders", 12, TubeMode.OPEN));
        TubeNumbers signals = new TubeNumbers(SIGNALS, statistics("signals", 0, TubeMode.PAUSED));
        return scrape("server1", new Tubes(2, List.of(orders, signals)));
    }

    static Scrape scrape(String server, Tubes tubes) {
        return new Scrape(
                server,
                "1.0",
                AdapterState.RUNNING,
                Optional.of(tubes),
                Optional.of(Map.of("orders", Duration.ofMillis(90_005))),
                Optional.of(timings()));
    }

    /**
     * Each tube waited 7 times 3 ms and once 3 h, and ran once 1.5 s. One deadline was 40 s late; one is by 1.25 s now.
     */
    static ServerTimings timings() {
        Histogram waits = histogram(Duration.ofHours(3).plusMillis(21), 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
        Histogram runs = histogram(Duration.ofMillis(1_500), 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
        return new ServerTimings(
                List.of(new TubeTimings("orders", waits, runs), new TubeTimings("signals", waits, runs)),
                histogram(Duration.ofSeconds(40), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0),
                Duration.ofMillis(1_250),
                4_711);
    }

    private static Histogram histogram(Duration sum, long... counts) {
        return new Histogram(Arrays.stream(counts).boxed().toList(), sum);
    }

    static Scrape waiting() {
        return new Scrape("server1", "1.0", AdapterState.WAITING, Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** Statistics with 1 delayed, 2 taken, 3 buried tasks and 4 results. */
    static TubeStatistics statistics(String tube, long ready, TubeMode mode) {
        Map<TubeEvent, Long> events = new EnumMap<>(TubeEvent.class);
        Arrays.stream(TubeEvent.values()).forEach(event -> events.put(event, event == TubeEvent.PUT ? 100L : 17L));
        return new TubeStatistics(
                tube, ready, 1, 2, 3, 4, 77, ready + 10, events, mode, "anna", Instant.EPOCH, "the printer is broken");
    }
}
