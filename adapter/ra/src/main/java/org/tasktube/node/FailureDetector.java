package org.tasktube.node;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.tasktube.store.Peer;

/**
 * Finds the dead servers on this database. A server is dead if its row has not changed for its timeout, by this
 * server's monotonic clock. If the database's clock agrees, two heartbeats without a change are enough. A clock that
 * jumps must not make a live server dead, nor keep a dead one alive.
 */
final class FailureDetector {

    private final Settings settings;
    private final LongSupplier nanoTime;
    private final Map<Integer, Seen> seen = new HashMap<>();
    private Set<Integer> knownDead = Set.of();
    private int up;
    private boolean someLeft;

    private record Seen(Instant at, long since) {}

    FailureDetector(Settings settings, LongSupplier nanoTime) {
        this.settings = settings;
        this.nanoTime = nanoTime;
    }

    /** Returns the number of live servers at the last check. */
    int up() {
        return up;
    }

    /**
     * Returns whether the last check was the first one after the stop or the death of a server. The server may have
     * come and gone between two checks. Then its row is marked as dead.
     */
    boolean hasSomeLeft() {
        return someLeft;
    }

    /**
     * Returns the servers that are dead by the current content of their rows.
     *
     * @param atStart true if this server has just started, so that a silent server of its name is its former run
     */
    List<Peer> dead(List<Peer> now, String ownName, int ownNode, boolean atStart) {
        List<Peer> dead = new ArrayList<>();
        Set<Integer> marked = new HashSet<>();
        Map<Integer, Seen> before = new HashMap<>(seen);
        seen.clear();
        up = 0;
        for (Peer peer : now) {
            if (peer.dead()) {
                marked.add(peer.node());
                continue;
            }
            Seen observed = observed(before.get(peer.node()), peer);
            boolean formerSelf = atStart && peer.overdue() && peer.name().equals(ownName);
            if (peer.node() != ownNode && (formerSelf || isSilent(observed, peer))) {
                dead.add(peer);
            } else {
                seen.put(peer.node(), observed);
                up++;
            }
        }
        dead.forEach(peer -> marked.add(peer.node()));
        someLeft = !seen.keySet().containsAll(before.keySet()) || !knownDead.containsAll(marked);
        // A row of a dead server stays while an open transaction has locked a task of it
        knownDead = marked;
        return dead;
    }

    private Seen observed(Seen before, Peer peer) {
        return before != null && before.at.equals(peer.seenAt())
                ? before
                : new Seen(peer.seenAt(), nanoTime.getAsLong());
    }

    private boolean isSilent(Seen observed, Peer peer) {
        long silent = nanoTime.getAsLong() - observed.since;
        return silent >= (peer.overdue() ? settings.formerSelfTimeout() : settings.nodeTimeout()).toNanos();
    }
}
