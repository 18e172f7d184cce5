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
                Optional.of(Map.of("orders", Duration.ofMillis(90_005))));
    }

    static Scrape waiting() {
        return new Scrape("server1", "1.0", AdapterState.WAITING, Optional.empty(), Optional.empty());
    }

    /** Statistics with 1 delayed, 2 taken, 3 buried tasks and 4 results. */
    static TubeStatistics statistics(String tube, long ready, TubeMode mode) {
        Map<TubeEvent, Long> events = new EnumMap<>(TubeEvent.class);
        Arrays.stream(TubeEvent.values()).forEach(event -> events.put(event, event == TubeEvent.PUT ? 100L : 17L));
        return new TubeStatistics(
                tube, ready, 1, 2, 3, 4, 77, ready + 10, events, mode, "anna", Instant.EPOCH, "the printer is broken");
    }
}
