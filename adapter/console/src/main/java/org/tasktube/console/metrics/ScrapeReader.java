package org.tasktube.console.metrics;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.AdapterState;
import org.tasktube.StoreException;
import org.tasktube.TubeConnection;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.OldestReady;
import org.tasktube.admin.ServerTimings;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.console.metrics.Scrape.TubeNumbers;
import org.tasktube.console.metrics.Scrape.Tubes;

/**
 * Reads the numbers of a scrape: the definitions of the tubes, their statistics and times from memory, and their
 * oldest READY tasks by an index. The cost grows with the tubes, and not with the tasks.
 */
final class ScrapeReader {

    /** The number of tubes that are shown, the first ones by name. Each has about 70 lines. */
    static final int MAX_TUBES = 1_000;

    private static final Logger LOG = Logger.getLogger("org.tasktube.console");

    private ScrapeReader() {}

    /** Returns the numbers. If some of them cannot be read, they are missing. */
    static Scrape read(TubeConnection connection, String server) {
        return read(connection, server, MAX_TUBES);
    }

    /** Returns the numbers, those of tubes for at most so many of them. */
    static Scrape read(TubeConnection connection, String server, int most) {
        Optional<Tubes> tubes = Optional.empty();
        Optional<Map<String, Duration>> oldestReady = Optional.empty();
        Optional<ServerTimings> timings = Optional.empty();
        if (connection.state() == AdapterState.RUNNING) {
            tubes = tubes(connection, most);
            oldestReady = tubes.flatMap(read -> oldestReady(connection));
            timings = tubes.flatMap(read -> timings(connection));
        }
        String version = TubeConnection.class.getPackage().getImplementationVersion();
        // Read anew: an adapter that has stopped running since then is the reason why numbers are missing
        return new Scrape(
                server, Objects.requireNonNullElse(version, ""), connection.state(), tubes, oldestReady, timings);
    }

    private static Optional<Tubes> tubes(TubeConnection connection, int most) {
        try {
            List<TubeDefinition> all = connection.tubes();
            List<TubeNumbers> shown = all.stream()
                    .limit(most)
                    .flatMap(tube -> numbers(connection, tube).stream())
                    .toList();
            int omitted = Math.max(0, all.size() - most);
            return Optional.of(new Tubes(shown.size() + omitted, shown));
        } catch (AdapterNotRunningException | StoreException e) {
            return missing("tubes", e);
        }
    }

    /** Returns empty if the tube was dropped since. */
    private static Optional<TubeNumbers> numbers(TubeConnection connection, TubeDefinition tube) {
        return connection.findTube(tube.name()).map(found -> new TubeNumbers(tube, found.statistics()));
    }

    private static Optional<Map<String, Duration>> oldestReady(TubeConnection connection) {
        try {
            return Optional.of(connection.unwrap(TaskAdmin.class).oldestReady().stream()
                    .collect(Collectors.toMap(OldestReady::tube, OldestReady::age)));
        } catch (AdapterNotRunningException | StoreException e) {
            return missing("oldest READY tasks", e);
        }
    }

    private static Optional<ServerTimings> timings(TubeConnection connection) {
        try {
            return Optional.of(connection.unwrap(TaskAdmin.class).timings());
        } catch (AdapterNotRunningException e) {
            return missing("timings", e);
        }
    }

    private static <T> Optional<T> missing(String numbers, RuntimeException why) {
        LOG.debugf(why, "A scrape could not read the %s", numbers);
        return Optional.empty();
    }
}
