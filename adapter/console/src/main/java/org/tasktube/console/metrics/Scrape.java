package org.tasktube.console.metrics;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.tasktube.AdapterState;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeStatistics;
import org.tasktube.admin.ServerTimings;

/**
 * The numbers of one scrape, on this server.
 *
 * @param server the node name; an empty text if it is unknown
 * @param version the version of TaskTube; an empty text if it is unknown
 * @param state the state of the adapter
 * @param tubes the tubes; empty if the adapter is not RUNNING, or if they could not be read
 * @param oldestReady the age of the oldest READY task of each tube that has one; empty if the ages could not be read
 * @param timings the times that the server has measured; empty if they could not be read
 */
record Scrape(
        String server,
        String version,
        AdapterState state,
        Optional<Tubes> tubes,
        Optional<Map<String, Duration>> oldestReady,
        Optional<ServerTimings> timings) {

    /**
     * The tubes of one scrape.
     *
     * @param number the number of all tubes
     * @param shown the tubes whose numbers are shown, by name; fewer than all if the server has too many
     */
    record Tubes(int number, List<TubeNumbers> shown) {}

    /** A tube with its numbers. */
    record TubeNumbers(TubeDefinition definition, TubeStatistics statistics) {}
}
