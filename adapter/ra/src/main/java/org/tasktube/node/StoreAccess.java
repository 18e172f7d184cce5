package org.tasktube.node;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.AdapterState;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.OpenStore;
import org.tasktube.store.Registry;
import org.tasktube.store.StoredTube;
import org.tasktube.store.TaskStore;
import org.tasktube.store.TemporaryTaskStore;
import org.tasktube.store.Transactions;
import org.tasktube.tube.Deadlines;

/**
 * The store, which comes and goes, and the adapter's state that follows from it. Each use of the store passes through
 * here: outside RUNNING it fails with the reason, and so it does in a transaction that takes no more work.
 */
final class StoreAccess {

    private static final Duration LOOK_WHETHER_CLOSED = Duration.ofMillis(200);

    private final Transactions transactions;
    private final TemporaryTaskStore memory;
    private final BooleanSupplier onMaintenanceThread;
    private final Object stateChanges = new Object();

    private volatile AdapterState state = AdapterState.INIT;
    private volatile String reason = "";
    private volatile Runnable onHalt = () -> {};
    private volatile OpenStore store;
    private volatile int number;

    /** The maintenance thread's store, on its own connection; null while there is none. */
    private volatile OpenStore own;

    StoreAccess(Transactions transactions, TemporaryTaskStore memory, BooleanSupplier onMaintenanceThread) {
        this.transactions = transactions;
        this.memory = memory;
        this.onMaintenanceThread = onMaintenanceThread;
    }

    // The adapter's state

    AdapterState state() {
        return state;
    }

    /** Has something done each time the adapter ceases to be RUNNING. */
    void onHalt(Runnable action) {
        onHalt = action;
    }

    /** @param why it is not RUNNING, for those that ask meanwhile */
    void enter(AdapterState next, String why) {
        reason = why;
        synchronized (stateChanges) {
            state = next;
            stateChanges.notifyAll();
        }
        if (next == AdapterState.WAITING || next == AdapterState.ENDING) {
            onHalt.run();
        }
    }

    /** Waits until the adapter is RUNNING; returns whether it is. */
    boolean awaitRunning(ClientConnection client, Duration timeout) {
        long end = System.nanoTime() + Deadlines.capped(timeout);
        client.checkOpen();
        synchronized (stateChanges) {
            for (long left = end - System.nanoTime();
                    state != AdapterState.RUNNING && left > 0;
                    left = end - System.nanoTime()) {
                try {
                    // A close signals nothing here
                    TimeUnit.NANOSECONDS.timedWait(stateChanges, Math.min(left, LOOK_WHETHER_CLOSED.toNanos()));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new AdapterNotRunningException(state, "the thread that waited for it was interrupted");
                }
                client.checkOpen();
            }
            return state == AdapterState.RUNNING;
        }
    }

    // The store

    /** The store opened: this is what is in it, and this server's number in it. */
    void opened(OpenStore opened, int asNumber) {
        number = asNumber;
        store = opened;
    }

    /** The maintenance thread has the store on its own connection; null if it has it no more. */
    void own(OpenStore onOwnConnection) {
        own = onOwnConnection;
    }

    /** Returns the maintenance thread's store, in whatever state the adapter is; null while there is none. */
    OpenStore own() {
        return own;
    }

    /** Closes what was opened, if it is open. */
    void close() {
        OpenStore mine = own;
        own = null;
        if (mine != null) {
            mine.close();
        }
        OpenStore open = store;
        store = null;
        if (open != null) {
            open.close();
        }
    }

    /** Returns this server's number in the database. */
    int number() {
        return number;
    }

    /** Returns the store that has the tasks of a tube. */
    TaskStore tasks(StoredTube tube) {
        transactions.check();
        OpenStore open = store();
        return tube.definition().temporary() ? memory : open.tasks();
    }

    Registry registry() {
        transactions.check();
        return store().registry();
    }

    /** Returns the store for the calling thread, whatever transaction that is in. */
    OpenStore store() {
        AdapterState now = state;
        if (now != AdapterState.RUNNING) {
            throw new AdapterNotRunningException(now, whyNot(now));
        }
        OpenStore open = onMaintenanceThread.getAsBoolean() ? own : store;
        if (open == null) {
            throw new AdapterNotRunningException(state, whyNot(AdapterState.WAITING));
        }
        return open;
    }

    private String whyNot(AdapterState now) {
        return switch (now) {
            case STARTUP -> "it has just begun to look at its database; try again in some seconds";
            case WAITING ->
                "its database does not answer, or is read-only; it goes on by itself, try again later"
                        + (reason.isEmpty() ? "" : " (" + reason + ")");
            default -> "it is not started, or stopping";
        };
    }
}
