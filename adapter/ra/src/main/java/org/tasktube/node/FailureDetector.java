package org.tasktube.node;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.tasktube.store.Peer;

/**
 * Which of the servers on this database have died. A server is dead when its row has not changed for its timeout on this
 * server's monotonic clock. If the database's clock says so too, two heartbeats without a change are enough: a clock that
 * jumps must not make dead what is alive, nor keep alive what is dead.
 */
final class FailureDetector {

    private static final int BEATS_TO_BE_SURE = 2;

    private final Duration timeout;
    private final LongSupplier nanoTime;
    private final Map<Integer, Seen> seen = new HashMap<>();
    private int up;

    private record Seen(Instant at, long since) {}

    FailureDetector(Duration timeout, LongSupplier nanoTime) {
        this.timeout = timeout;
        this.nanoTime = nanoTime;
    }

    /** How long a server may be silent that has this one's name, which is most likely a former self that was killed. */
    Duration ownTimeout() {
        return Heartbeat.interval(timeout).multipliedBy(BEATS_TO_BE_SURE);
    }

    /** How many servers are up, by the last look. */
    int up() {
        return up;
    }

    /**
     * Those that are dead by what is in their rows now.
     *
     * @param atStart whether this server has just come up, so that a silent one of its name is its former self
     */
    List<Peer> dead(List<Peer> now, String ownName, int ownNode, boolean atStart) {
        List<Peer> dead = new ArrayList<>();
        Map<Integer, Seen> before = new HashMap<>(seen);
        seen.clear();
        up = 0;
        for (Peer peer : now) {
            if (peer.dead()) {
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
        return dead;
    }

    private Seen observed(Seen before, Peer peer) {
        return before != null && before.at.equals(peer.seenAt())
                ? before
                : new Seen(peer.seenAt(), nanoTime.getAsLong());
    }

    private boolean isSilent(Seen observed, Peer peer) {
        long silent = nanoTime.getAsLong() - observed.since;
        return silent >= (peer.overdue() ? ownTimeout() : timeout).toNanos();
    }
}
