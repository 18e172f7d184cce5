package org.tasktube.store.sql;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.tasktube.History;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transition;

/**
 * The tubes with a history, and the name of this server, as one open database knows them. Changes of tasks of many tubes,
 * as a sweep makes them, have only the numbers of the tubes. Each reading and each change of a tube refreshes it.
 */
final class KnownHistory {

    private final Map<Integer, History> kept = new ConcurrentHashMap<>();
    private volatile String server;

    /** Replaces what is known by a reading of all tubes. */
    void learnAll(Collection<StoredTube> tubes) {
        kept.keySet().retainAll(tubes.stream().map(StoredTube::id).toList());
        tubes.forEach(this::learn);
    }

    void learn(StoredTube tube) {
        if (tube.definition().history() == History.OFF) {
            kept.remove(tube.id());
        } else {
            kept.put(tube.id(), tube.definition().history());
        }
    }

    void forget(int tube) {
        kept.remove(tube);
    }

    /** Returns whether the history of a tube has a transition without a failure. */
    boolean keeps(int tube, Transition transition) {
        History history = kept.get(tube);
        return history != null && transition.isKept(history, false);
    }

    /** Sets the name that this server's moves have from now on. */
    void server(String name) {
        server = name;
    }

    /** Returns the name of this server; null before it is registered. */
    String server() {
        return server;
    }
}
