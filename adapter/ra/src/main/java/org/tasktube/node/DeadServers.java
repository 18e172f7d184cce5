package org.tasktube.node;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.tasktube.store.Peer;
import org.tasktube.store.Transition;
import org.tasktube.store.sql.Registry;

/** Releases the tasks of dead servers. {@link FailureDetector} finds these servers. */
final class DeadServers {

    private final Settings settings;
    private final FailureDetector detector;
    private final MaintenanceEffects effects;

    private final List<Runnable> onLeave = new CopyOnWriteArrayList<>();

    DeadServers(Settings settings, MaintenanceEffects effects) {
        this.settings = settings;
        this.detector = new FailureDetector(settings, System::nanoTime);
        this.effects = effects;
    }

    /** Adds an action for each time that a server has stopped or died. It must not wait. */
    void onLeave(Runnable action) {
        onLeave.add(action);
    }

    /** Returns whether other servers were up at the last check. */
    boolean hasLivePeers() {
        return detector.up() > 1;
    }

    /** Reads all servers. */
    List<Peer> read(Registry registry) {
        return registry.peers(settings.nodeName(), settings.formerSelfTimeout(), settings.nodeTimeout());
    }

    /**
     * Releases the tasks of dead servers.
     *
     * @param now all servers
     * @param atStart true if this server has just started, so that a silent server of its name is its former run
     */
    void release(Registry registry, int number, List<Peer> now, boolean atStart) {
        List<Peer> silent = detector.dead(now, settings.nodeName(), number, atStart);
        try {
            if (mark(registry, silent) || now.stream().anyMatch(Peer::dead)) {
                effects.released(Transition.SERVER_END, registry.releaseDead(settings.sessionTtr()));
            }
        } finally {
            // Also after a failure, because the next check knows these servers already
            if (detector.hasSomeLeft()) {
                onLeave.forEach(Runnable::run);
            }
        }
    }

    /** Ends the sessions of servers that are gone, which calls that were under way have registered since. */
    void releaseLeft(Registry registry) {
        effects.released(Transition.SERVER_END, registry.releaseDead(settings.sessionTtr()));
    }

    /** Marks silent servers as dead. Returns whether one was marked. */
    private static boolean mark(Registry registry, List<Peer> silent) {
        boolean someDiedNow = false;
        for (Peer peer : silent) {
            if (registry.markDead(peer)) {
                Log.LOG.peerIsDead(peer.name(), peer.node());
                someDiedNow = true;
            }
        }
        return someDiedNow;
    }
}
