package org.tasktube.node;

import java.util.List;
import org.tasktube.AdapterState;
import org.tasktube.store.Released;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transition;
import org.tasktube.tube.TubeEngine;

/**
 * Applies the effects of transitions that the adapter's own threads make. Listeners are code of applications, for which
 * these threads must not wait. So the effects on their tubes run on {@link ListenerThreads}.
 */
final class MaintenanceEffects {

    private final StoreAccess access;
    private final MaintenanceQueue queue;
    private final BackgroundThread background;
    private final TubeDirectory directory;
    private final ListenerThreads listenerThreads;

    MaintenanceEffects(
            StoreAccess access,
            MaintenanceQueue queue,
            BackgroundThread background,
            TubeDirectory directory,
            ListenerThreads listenerThreads) {
        this.access = access;
        this.queue = queue;
        this.background = background;
        this.directory = directory;
        this.listenerThreads = listenerThreads;
    }

    /** Applies the release of TAKEN tasks. */
    void released(Transition transition, List<Released> released) {
        released.forEach(
                tasks -> directory.byId(tasks.tube()).ifPresent(tube -> released(transition, tube, tasks.ids())));
    }

    /**
     * Counts at once, and applies the other effects when the adapter is RUNNING: before, it can neither look up tasks
     * nor notify listeners.
     */
    private void released(Transition transition, TubeEngine tube, List<Long> ids) {
        tube.countReleased(transition, ids.size());
        if (access.state() == AdapterState.RUNNING) {
            apply(tube, () -> tube.released(transition, ids));
        } else {
            queue.execute(() -> apply(tube, () -> tube.released(transition, ids)));
        }
    }

    void apply(TubeEngine tube, Runnable effects) {
        apply(tube.stored(), tube.isListenedTo(), effects);
    }

    void apply(StoredTube tube, boolean listened, Runnable effects) {
        if (listened && isForListenerThreads()) {
            listenerThreads.execute(tube, effects);
        } else {
            effects.run();
        }
    }

    /** Returns whether the calling thread leaves listeners to others: it must not wait for code of applications. */
    boolean isForListenerThreads() {
        return queue.isThisThread() || background.isThisThread();
    }

    /** Ends the sessions in the database that no connection has joined in time. */
    void expireSessions() {
        released(Transition.SESSION_END, access.registry().expireSessions());
    }
}
