package org.tasktube.node;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.tasktube.TaskFailure;
import org.tasktube.TaskTubeException;
import org.tasktube.store.OpenStore;

/**
 * Says to the other servers that this one is up, and finds out whether the database is there: by a write, on a thread and a
 * connection of its own, which wait for nobody. All else that the adapter does may be slow, and it is not taken for dead.
 */
final class Heartbeat implements Runnable {

    /** How many heartbeats fit into the time after which others take a server for dead. */
    static final int BEATS_IN_TIMEOUT = 5;

    private static final Duration SHORTEST_PATIENCE = Duration.ofSeconds(1);

    /** What a heartbeat finds. */
    interface Listener {

        /** The store that stands, and this server's number in it; null while there is none. */
        Registration registration();

        /** The database has answered; not known if others have taken this server for dead. */
        void answered(Registration to, boolean known);

        /** The database has failed, twice in a row by two connections, or refuses to be written to. */
        void failed(Registration from, String why);
    }

    record Registration(OpenStore store, int node) {}

    private final Listener listener;
    private final Duration interval;
    private final Semaphore wanted = new Semaphore(0);
    private volatile boolean ending;

    private Registration current;
    private OpenStore own;

    Heartbeat(Duration nodeTimeout, Listener listener) {
        this.interval = interval(nodeTimeout);
        this.listener = listener;
    }

    static Duration interval(Duration nodeTimeout) {
        return nodeTimeout.dividedBy(BEATS_IN_TIMEOUT);
    }

    /** Beats at once: something makes the database suspicious. */
    void beatNow() {
        wanted.release();
    }

    void end() {
        ending = true;
        wanted.release();
    }

    @Override
    public void run() {
        try {
            while (!ending) {
                wanted.tryAcquire(interval.toNanos(), TimeUnit.NANOSECONDS);
                wanted.drainPermits();
                if (!ending) {
                    beat();
                }
            }
        } catch (InterruptedException e) {
            ending = true;
        } finally {
            closeOwn();
        }
    }

    private void beat() {
        try {
            Registration registration = listener.registration();
            if (registration == null) {
                closeOwn();
            } else {
                use(registration);
                answer(registration);
            }
        } catch (Throwable e) {
            Log.LOG.maintenanceFailed(e);
        }
    }

    private void use(Registration registration) {
        if (current == null || !current.store().equals(registration.store())) {
            closeOwn();
            Duration patience = max(SHORTEST_PATIENCE, interval.multipliedBy(2));
            own = registration.store().onOwnConnection(patience, patience);
        }
        current = registration;
    }

    private static Duration max(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** Once more if it fails: the connection may be an old one, and the next is fresh. */
    private void answer(Registration registration) {
        boolean known;
        try {
            known = seen(registration);
        } catch (RuntimeException | Error e) {
            try {
                known = seen(registration);
            } catch (RuntimeException | Error again) {
                listener.failed(registration, why(again));
                return;
            }
        }
        listener.answered(registration, known);
    }

    /** A failure of the store says all in its message; an Error of a driver may say it by its class only. */
    private static String why(Throwable failure) {
        return failure instanceof TaskTubeException ? failure.getMessage() : TaskFailure.summary(failure);
    }

    private boolean seen(Registration registration) {
        return own.registry().seen(registration.node());
    }

    private void closeOwn() {
        OpenStore last = own;
        own = null;
        current = null;
        if (last != null) {
            last.close();
        }
    }
}
