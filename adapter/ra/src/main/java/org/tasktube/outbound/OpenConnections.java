package org.tasktube.outbound;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** The managed connections of one pool. They show which applications have not closed theirs. */
final class OpenConnections {

    /** The number of places that a message names. An application that leaks usually does so in one or two. */
    private static final int NAMED = 3;

    private final Set<TubeManagedConnection> managed = ConcurrentHashMap.newKeySet();

    void made(TubeManagedConnection connection) {
        managed.add(connection);
    }

    void destroyed(TubeManagedConnection connection) {
        managed.remove(connection);
    }

    /** Returns the places with the most open connections as text; empty if none is open. */
    String inWords() {
        Map<String, List<Origin>> byPlace = managed.stream()
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
