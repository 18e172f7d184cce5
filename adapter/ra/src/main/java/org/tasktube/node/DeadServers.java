package org.tasktube.node;

import java.util.List;
import org.tasktube.store.Peer;
import org.tasktube.store.Registry;
import org.tasktube.store.Transition;

/** Releases what dead servers held; {@link FailureDetector} says which are dead. */
final class DeadServers {

    private final Settings settings;
    private final FailureDetector detector;
    private final MaintenanceEffects effects;

    DeadServers(Settings settings, MaintenanceEffects effects) {
        this.settings = settings;
        this.detector = new FailureDetector(settings.nodeTimeout(), System::nanoTime);
        this.effects = effects;
    }

    /** Returns whether other servers were up at the last look. */
    boolean hasLivePeers() {
        return detector.up() > 1;
    }

    /** @param atStart whether this server has just come up, so that a silent one of its name is its former self */
    void release(Registry registry, int number, boolean atStart) {
        List<Peer> now = registry.peers(settings.nodeName(), detector.ownTimeout(), settings.nodeTimeout());
        boolean someAreDead = now.stream().anyMatch(Peer::dead);
        for (Peer silent : detector.dead(now, settings.nodeName(), number, atStart)) {
            if (registry.markDead(silent)) {
                Log.LOG.peerIsDead(silent.name(), silent.node());
                someAreDead = true;
            }
        }
        if (someAreDead) {
            effects.released(Transition.SERVER_END, registry.releaseDead(settings.sessionTtr()));
        }
    }
}
