package org.tasktube.node;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.tasktube.StoreException;
import org.tasktube.TaskFailure;
import org.tasktube.TaskTubeException;
import org.tasktube.store.Pulse;
import org.tasktube.store.sql.OpenStore;

/**
 * Shows the other servers that this one is up, and checks the database, by a write. It has a thread and a connection of
 * its own, which no other work can delay. So the other work of the adapter may be slow, and this server still counts as
 * alive.
 */
public final class Heartbeat implements Runnable {

    private static final Duration SHORTEST_PATIENCE = Duration.ofSeconds(1);

    /**
     * The least time between the begins of two heartbeats. Each answer can be the reason of work that fails, and each
     * failure asks for the next heartbeat.
     */
    private static final Duration LEAST_PAUSE = Duration.ofMillis(100);

    /** Gets the results of heartbeats. */
    interface Listener {

        /** Returns the open store and this server's number in it; null without a store. */
        Registration registration();

        /** Returns the line of this server's work, for the others. */
        String work();

        /** Handles an answer of the database. */
        void answered(Registration to, Pulse pulse);

        /** Handles the loss of the connection of the heartbeat, before it has the next one. */
        void connectionLost();

        /** Handles a failure of the database: it has failed twice in a row by two connections, or refuses writes. */
        void failed(Registration from, String why);
    }

    record Registration(OpenStore store, int node) {}

    private final Settings settings;
    private final Listener listener;
    private final Duration interval;
    private final Semaphore wanted = new Semaphore(0);
    private volatile boolean ending;
    private long begun = System.nanoTime() - LEAST_PAUSE.toNanos();

    private Registration current;
    private OpenStore own;

    Heartbeat(Settings settings, Listener listener) {
        this.settings = settings;
        this.interval = settings.heartbeat();
        this.listener = listener;
    }

    /** Beats soon, because the database is suspected to have failed. */
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
                beatInTime();
            }
        } catch (InterruptedException e) {
            ending = true;
        } finally {
            closeOwn();
        }
    }

    private void beatInTime() throws InterruptedException {
        try {
            wanted.tryAcquire(interval.toNanos(), TimeUnit.NANOSECONDS);
            if (!ending) {
                LockSupport.parkNanos(Math.max(0, begun + LEAST_PAUSE.toNanos() - System.nanoTime()));
            }
            wanted.drainPermits();
            if (!ending) {
                begun = System.nanoTime();
                beat();
            }
        } catch (RuntimeException | Error e) {
            ThreadFailure.after(e, interval);
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

    /** Beats, and repeats a failed beat once: the connection may be old, and the next one is new. */
    private void answer(Registration registration) {
        Pulse pulse;
        try {
            pulse = pulse(registration);
        } catch (RuntimeException | Error e) {
            if (!(e instanceof StoreException failure) || failure.isDatabaseAway()) {
                listener.connectionLost();
            }
            try {
                pulse = pulse(registration);
            } catch (RuntimeException | Error again) {
                listener.failed(registration, why(again));
                return;
            }
        }
        listener.answered(registration, pulse);
    }

    /**
     * Returns the reason of a failure. The store's own failures have a complete message; an Error of a driver may say
     * it by its class only.
     */
    private static String why(Throwable failure) {
        return failure instanceof TaskTubeException ? failure.getMessage() : TaskFailure.summary(failure);
    }

    private Pulse pulse(Registration registration) {
        return own.registry()
                .beat(
                        registration.node(),
                        listener.work(),
                        settings.nodeName(),
                        settings.formerSelfTimeout(),
                        settings.nodeTimeout());
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
