package org.tasktube.node;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.AdapterState;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transactions;
import org.tasktube.store.sql.Afters;
import org.tasktube.store.sql.AuditTrail;
import org.tasktube.store.sql.DeliveryLogs;
import org.tasktube.store.sql.Flow;
import org.tasktube.store.sql.Logins;
import org.tasktube.store.sql.OpenStore;
import org.tasktube.store.sql.Operations;
import org.tasktube.store.sql.Progress;
import org.tasktube.store.sql.Registry;
import org.tasktube.store.sql.Schedules;
import org.tasktube.store.sql.TaskStore;
import org.tasktube.tube.Deadlines;

/**
 * The store, which may fail and return, and the adapter's state. Each use of the store passes through here. It fails
 * with the reason if the adapter is not RUNNING, or if the caller's transaction takes no more work.
 */
public final class StoreAccess {

    private static final Duration LOOK_WHETHER_CLOSED = Duration.ofMillis(200);

    private final Transactions transactions;
    private final BooleanSupplier onMaintenanceThread;
    private final Object stateChanges = new Object();

    private volatile AdapterState state = AdapterState.INIT;
    private volatile String reason = "";
    private volatile Runnable onHalt = () -> {};
    private volatile OpenStore store;
    private volatile int number;

    /** The maintenance thread's store, on its own connection; null without a store. */
    private volatile OpenStore own;

    StoreAccess(Transactions transactions, BooleanSupplier onMaintenanceThread) {
        this.transactions = transactions;
        this.onMaintenanceThread = onMaintenanceThread;
    }

    // The adapter's state

    AdapterState state() {
        return state;
    }

    /** Sets the action for each time that the adapter ceases to be RUNNING. */
    void onHalt(Runnable action) {
        onHalt = action;
    }

    /**
     * Changes the adapter's state.
     *
     * @param why the reason why it is not RUNNING, for callers in that state; empty if there is none
     */
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

    /** Waits until the adapter is RUNNING. Returns false after the timeout. */
    boolean awaitRunning(ClientConnection client, Duration timeout) {
        long end = System.nanoTime() + Deadlines.capped(timeout);
        client.checkOpen();
        synchronized (stateChanges) {
            for (long left = end - System.nanoTime();
                    state != AdapterState.RUNNING && left > 0;
                    left = end - System.nanoTime()) {
                try {
                    // The close of a connection sends no signal here
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

    /** Sets the open store, and this server's number in it. */
    void opened(OpenStore opened, int asNumber) {
        number = asNumber;
        store = opened;
    }

    /** Sets the maintenance thread's store on its own connection; null for none. */
    void own(OpenStore onOwnConnection) {
        own = onOwnConnection;
    }

    /** Returns the maintenance thread's store in every state of the adapter; null without a store. */
    OpenStore own() {
        return own;
    }

    /** Closes the stores that are open. */
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
    public int number() {
        return number;
    }

    /** Returns the store of a tube's tasks. */
    public TaskStore tasks(StoredTube tube) {
        return tasks(tube.definition().temporary());
    }

    /** Returns the store of all temporary tubes' tasks, or of all others. */
    public TaskStore tasks(boolean temporary) {
        transactions.check();
        return store().tasks(temporary);
    }

    public Registry registry() {
        transactions.check();
        return store().registry();
    }

    public Flow flow() {
        transactions.check();
        return store().flow();
    }

    public AuditTrail audit() {
        transactions.check();
        return store().audit();
    }

    public DeliveryLogs deliveryLogs() {
        transactions.check();
        return store().deliveryLogs();
    }

    public Logins logins() {
        transactions.check();
        return store().logins();
    }

    public Schedules schedules() {
        transactions.check();
        return store().schedules();
    }

    public Afters afters() {
        transactions.check();
        return store().afters();
    }

    public Progress progress() {
        transactions.check();
        return store().progress();
    }

    /** Returns the acts on many tasks. */
    public Operations operations() {
        transactions.check();
        return store().operations();
    }

    /** Returns the store for the calling thread, in any transaction. */
    public OpenStore store() {
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
            case STARTUP ->
                reason.isEmpty()
                        ? "it has just begun to look at its database; try again in some seconds"
                        : "it looks at its database again, after a failure; it goes on by itself, try again later ("
                                + reason + ")";
            case WAITING ->
                "it cannot use its database, and tries again by itself; try again later"
                        + (reason.isEmpty() ? "" : " (" + reason + ")");
            default -> "it is not started, or stopping";
        };
    }
}
