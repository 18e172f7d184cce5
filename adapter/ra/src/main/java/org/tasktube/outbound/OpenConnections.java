package org.tasktube.outbound;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.tasktube.text.AsConfigured;

/** The managed connections of one pool, to find the applications that do not close their connections. */
final class OpenConnections {

    /** The number of places that a message names. An application that leaks usually does so in one or two. */
    private static final int NAMED = 3;

    /** A managed connection of the pool. */
    interface Pooled {

        /** Returns the origins of the connections that are open on it. */
        List<Origin> origins();
    }

    private static final long AGAIN = Duration.ofMinutes(1).toNanos();

    private final Set<Pooled> pool = ConcurrentHashMap.newKeySet();

    /** The connections that were left open, by the place that got them: places are few, because they are code. */
    private final Map<String, Leaks> leaks = new ConcurrentHashMap<>();

    /**
     * @param logged the time of the last log
     * @param since the number of connections that were left open since then
     */
    private record Leaks(long logged, int since) {}

    void add(Pooled created) {
        pool.add(created);
    }

    void remove(Pooled destroyed) {
        pool.remove(destroyed);
    }

    /** Logs a connection that its application has not closed: at most once per minute for each place. */
    void leaked(Origin origin) {
        leaks.compute(origin.place(), (place, before) -> {
            long now = System.nanoTime();
            if (before != null && before.logged - now > -AGAIN) {
                return new Leaks(before.logged, before.since + 1);
            }
            Log.LOG.leaked(place, origin.age(), before == null ? 0 : before.since);
            return new Leaks(now, 0);
        });
    }

    /** Returns a text that names the places that have most connections open; empty if none is open. */
    String describe() {
        Map<String, List<Origin>> byPlace = pool.stream()
                .flatMap(connection -> connection.origins().stream())
                .collect(Collectors.groupingBy(Origin::place));
        return byPlace.entrySet().stream()
                .sorted(Comparator.comparing(place -> -place.getValue().size()))
                .limit(NAMED)
                .map(place -> place.getValue().size() + " got at " + place.getKey() + ", the oldest "
                        + new AsConfigured(oldest(place.getValue()).age()) + " ago")
                .collect(Collectors.joining("; "));
    }

    private static Origin oldest(List<Origin> origins) {
        return origins.stream().max(Comparator.comparing(Origin::age)).orElseThrow();
    }
}
