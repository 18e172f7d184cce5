package org.tasktube.store.sql;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.tasktube.store.StoredTube;

/**
 * The tubes as they were last read, and the name of this server, as one open database knows them. Each reading and each change of a tube refreshes
 * it, if that is committed. A reading that began before a change does not undo it.
 */
final class KnownTubes {

    private final Map<Integer, StoredTube> tubes = new ConcurrentHashMap<>();
    private long learned;
    private volatile String server;

    /** Returns the number of what was learned before a reading of all tubes. */
    synchronized long beginReading() {
        return learned;
    }

    /**
     * Adds a reading of all tubes. Forgets other tubes, unless something was learned since the reading began: it may be
     * a tube that was created since.
     *
     * @param begun the result of {@link #beginReading} before the reading
     */
    synchronized void learnAll(Collection<StoredTube> all, long begun) {
        if (begun == learned) {
            List<Integer> ids = all.stream().map(StoredTube::id).toList();
            tubes.keySet().retainAll(ids);
        }
        all.forEach(this::learnIfLater);
    }

    synchronized void learn(StoredTube tube) {
        learned++;
        learnIfLater(tube);
    }

    private void learnIfLater(StoredTube tube) {
        tubes.merge(tube.id(), tube, (old, read) -> read.changes() >= old.changes() ? read : old);
    }

    synchronized void forget(int tube) {
        tubes.remove(tube);
    }

    /** Returns the tube as this server knows it by now. */
    StoredTube latest(StoredTube tube) {
        return tubes.getOrDefault(tube.id(), tube);
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
