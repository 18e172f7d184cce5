package org.tasktube.tube;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.tasktube.store.Place;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transactions;

/**
 * What this server has in memory for one tube: its counters, the waiters for a task and for room, watches and listeners,
 * and how far claims have read. Nothing of it decides about a task; the store does.
 */
public final class TubeRuntime {

    private final StoredTube tube;
    private final TubeContext context;
    private final Counters counters = new Counters();
    private final WaitQueue takers = new WaitQueue();
    private final WaitQueue putters = new WaitQueue();
    private final ScanCursor cursor = new ScanCursor();
    private final Watches watches;
    private final Listeners listeners;

    TubeRuntime(StoredTube tube, TubeContext context) {
        this.tube = tube;
        this.context = context;
        this.watches = new Watches(context.server()::state);
        this.listeners = new Listeners(tube.name(), () -> context.beans().of(tube.name()));
    }

    String name() {
        return tube.name();
    }

    public Counters counters() {
        return counters;
    }

    public Watches watches() {
        return watches;
    }

    Listeners listeners() {
        return listeners;
    }

    /** Returns whether there are listeners that the calling thread may notify. */
    boolean notifiesListeners() {
        // One that has come since the effects were given to this thread hears of the next transition
        return !listeners.isEmpty() && context.server().mayRunListeners();
    }

    /** Returns those that wait for a task. */
    public WaitQueue takers() {
        return takers;
    }

    /** Returns those that wait for room. */
    public WaitQueue putters() {
        return putters;
    }

    ScanCursor cursor() {
        return cursor;
    }

    /** Wakes all that wait; they look again, and may fail. */
    public void wakeAll() {
        takers.wakeAll();
        putters.wakeAll();
        watches.wakeAll();
    }

    /** The tube is gone: all that wait fail, and watches end. */
    void end() {
        takers.wakeAll();
        putters.wakeAll();
        watches.endAll();
    }

    // What committed transitions bring about

    /** Runs the effects of a transition when the caller's transaction has committed. */
    void afterCommit(Runnable effects) {
        context.transactions().afterCommit(() -> context.server().apply(tube, !listeners.isEmpty(), effects));
    }

    /** A task became READY at this place. */
    void readyAt(Place place) {
        cursor.ready(place);
        takers.wake(1);
    }

    /** So many tasks became READY at unknown places. The last of all effects: a woken waiter takes at once. */
    void ready(long count) {
        if (count > 0) {
            cursor.back();
            takers.wake(count);
        }
    }

    /** The next tasks of so many sub-queues may be READY now. */
    void subQueuesUnblocked(long count) {
        if (tube.subQueues()) {
            ready(count);
        }
    }

    /** So many tasks left the tube. */
    void capacityFreed(long count) {
        if (tube.definition().temporary()) {
            context.directory().temporaryRoomFreed();
        } else if (tube.hasCapacity()) {
            putters.wake(count);
        }
    }

    void due(Duration in) {
        context.deadlines().due(in);
    }

    /** Takers skip rows that this transaction has locked; if it rolls back, they have to look again. */
    void wakeAfterRollback(long tasks) {
        Transactions transactions = context.transactions();
        if (transactions.active()) {
            AtomicBoolean committed = new AtomicBoolean();
            transactions.afterCommit(() -> committed.set(true));
            transactions.atEnd(() -> ready(committed.get() ? 0 : tasks));
        }
    }

    /** Room that a rollback gives back is for those that wait. */
    void wakePuttersAtEnd(long tasks) {
        if (tube.hasCapacity() || tube.definition().temporary()) {
            context.transactions().atEnd(() -> capacityFreed(tasks));
        }
    }
}
