package org.tasktube.outbound;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** The managed connections of one pool, to find the applications that do not close their connections. */
final class OpenConnections {

    /** The number of places that a message names. An application that leaks usually does so in one or two. */
    private static final int NAMED = 3;

    /** A managed connection of the pool. */
    interface Pooled {

        /** Returns the origins of the connections that are open on it. */
        List<Origin> origins();
    }

    private final Set<Pooled> pool = ConcurrentHashMap.newKeySet();

    void add(Pooled created) {
        pool.add(created);
    }

    void remove(Pooled destroyed) {
        pool.remove(destroyed);
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
                        + oldest(place.getValue()).age() + " ago")
                .collect(Collectors.joining("; "));
    }

    private static Origin oldest(List<Origin> origins) {
        return origins.stream().max(Comparator.comparing(Origin::age)).orElseThrow();
    }
}
