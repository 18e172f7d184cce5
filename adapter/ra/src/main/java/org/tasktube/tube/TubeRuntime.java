package org.tasktube.tube;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.tasktube.store.ModeSetting;
import org.tasktube.store.OrderKey;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transactions;

/**
 * One tube in this server's memory: its counters, the waiters for tasks and for capacity, watches and listeners, and
 * the claims' read position. It decides nothing about a task; the store does.
 */
public final class TubeRuntime {

    private final StoredTube tube;
    private final TubeContext context;
    private final Counters counters = new Counters();
    private final WaitQueue takers = new WaitQueue(() -> tell(News.READY));
    private final WaitQueue putters = new WaitQueue(() -> tell(News.CAPACITY));
    private final TaskReceivers receivers = new TaskReceivers();
    private final ScanCursor cursor = new ScanCursor(System::nanoTime);
    private final Watches watches;
    private final Listeners listeners;
    private final CachedMode mode;
    private final CachedTube known;
    private final Object turn = new Object();

    /** The next wake for a turn, in the monotonic clock; 0 for none. */
    private long nextTurn;

    TubeRuntime(StoredTube tube, TubeContext context) {
        this.tube = tube;
        this.context = context;
        this.watches = new Watches(context.server()::state);
        this.listeners = new Listeners(tube.name(), () -> context.beans().of(tube.name()));
        this.mode = new CachedMode(context.transactions());
        this.known = new CachedTube(tube, context, this::readyElsewhere);
        learn(tube.mode());
    }

    String name() {
        return tube.name();
    }

    /** Returns the tube with its defaults as the caller's transaction sees them. */
    StoredTube stored() {
        return known.here();
    }

    /** Returns the defaults as this server knows them. */
    public CachedTube known() {
        return known;
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

    /** Returns whether the calling thread may notify a listener of this tube. */
    boolean notifiesListeners() {
        // A listener that was added after the effects came to this thread gets the next transition
        return !listeners.isEmpty() && context.server().mayRunListeners();
    }

    /** Returns the waiters for a task. */
    public WaitQueue takers() {
        return takers;
    }

    /** Returns the beans that tasks can be put for. */
    public TaskReceivers receivers() {
        return receivers;
    }

    /** Returns the waiters for free capacity. */
    public WaitQueue putters() {
        return putters;
    }

    /** Returns the tube's mode as this server knows it. */
    public CachedMode mode() {
        return mode;
    }

    ScanCursor cursor() {
        return cursor;
    }

    /** Wakes all waiters. Each tries again, and may fail. */
    public void wakeAll() {
        takers.wakeAll();
        putters.wakeAll();
        watches.wakeAll();
    }

    /** Ends the tube: all waiters fail, and watches end. */
    void end() {
        takers.wakeAll();
        putters.wakeAll();
        watches.endAll();
    }

    // Mode

    /** Applies a mode that the caller's transaction has set: for that transaction now, for others after the commit. */
    void modeSet(ModeSetting setting) {
        mode.setHere(setting);
        context.transactions().afterCommit(() -> {
            learn(setting);
            tell(News.STATE);
        });
    }

    /** Applies a committed mode: logs it, and wakes the waiters that can act on it. Uses no database. */
    public void learn(ModeSetting setting) {
        if (mode.learn(setting)) {
            log(setting);
            mode.changed();
            if (setting.isDraining()) {
                putters.wakeAll();
            }
            if (!setting.isPaused()) {
                cursor.back();
                takers.wakeOneForMore();
            }
        }
    }

    private void log(ModeSetting setting) {
        switch (setting.mode()) {
            case PAUSED -> Log.LOG.paused(tube.name(), setting.by(), setting.since(), setting.reason());
            case DRAINING -> Log.LOG.draining(tube.name(), setting.by(), setting.since(), setting.reason());
            case OPEN -> Log.LOG.resumed(tube.name(), setting.by(), setting.since());
        }
    }

    // Effects of committed transitions

    /** Has claims begin at a task during the commit of the caller's transaction, which makes it READY. */
    void comes(OrderKey first) {
        Transactions transactions = context.transactions();
        if (transactions.active()) {
            Object transaction = transactions.key();
            if (cursor.comes(transaction, first)) {
                transactions.atEnd(() -> cursor.ended(transaction));
                transactions.beforeCommit(() -> cursor.commits(transaction));
            }
        }
    }

    /** Runs effects after the commit of the caller's transaction. */
    void afterCommit(Runnable effects) {
        context.transactions().afterCommit(() -> context.server().apply(tube, !listeners.isEmpty(), effects));
    }

    /** Wakes a taker for a task that became READY at this position. */
    void readyAt(OrderKey key) {
        cursor.ready(key);
        wakeTakers(1);
    }

    /**
     * Wakes takers for {@code count} tasks at unknown positions. This is the last of all effects, because a woken
     * waiter takes at once.
     */
    void ready(long count) {
        if (count > 0) {
            cursor.back();
            wakeTakers(count);
        }
    }

    private void wakeTakers(long count) {
        if (!takers.wake(count)) {
            tell(News.READY);
        }
    }

    /** Wakes a taker, because another server has tasks READY at unknown positions. */
    public void readyElsewhere() {
        cursor.back();
        takers.wakeOneForMore();
    }

    private void tell(News news) {
        context.server().tell(tube, news);
    }

    /** Tells the servers where a thread waits for results. */
    void resultsKept() {
        tell(News.STATE);
    }

    /** Wakes takers, because the end of {@code count} takings may let other tasks be taken. */
    void unblocked(long count) {
        if (tube.subQueues() || stored().definition().takeLimits().maxTaken().isPresent()) {
            ready(count);
        }
    }

    /** Wakes takers when a limit of takes in a time lets another task be taken. */
    void wakeIn(Duration wait) {
        long at = System.nanoTime() + Deadlines.capped(wait);
        synchronized (turn) {
            if (nextTurn != 0 && nextTurn - at <= 0) {
                return;
            }
            nextTurn = at;
        }
        context.server().executeIn(wait, () -> {
            synchronized (turn) {
                nextTurn = nextTurn == at ? 0 : nextTurn;
            }
            takers.wakeOneForMore();
        });
    }

    /** Wakes a taker at the end of the caller's transaction, whose take may be longer ago than the period then. */
    void wakeAtEnd() {
        if (context.transactions().active()) {
            context.transactions().atEnd(takers::wakeOneForMore);
        }
    }

    /** Wakes putters, because {@code count} tasks left the tube. */
    void capacityFreed(long count) {
        if (!wakePutters(count)) {
            tell(News.CAPACITY);
        }
    }

    /** Returns whether a putter of this server got each of the slots, or the tube has none. */
    private boolean wakePutters(long count) {
        return !tube.hasCapacity() || putters.wake(count);
    }

    TubeContext.Ordering ordering() {
        return context.ordering();
    }

    void due(Duration in) {
        context.deadlines().due(in);
    }

    /** Wakes takers again if the caller's transaction rolls back: they have skipped the rows that it has locked. */
    void wakeAfterRollback(long tasks) {
        Transactions transactions = context.transactions();
        if (transactions.active()) {
            AtomicBoolean committed = new AtomicBoolean();
            transactions.afterCommit(() -> committed.set(true));
            transactions.atEnd(() -> ready(committed.get() ? 0 : tasks));
        }
    }

    /** Wakes putters at the end of the caller's transaction, for the capacity that a rollback frees. */
    void wakePuttersAtEnd(long tasks) {
        if (tube.hasCapacity()) {
            context.transactions().atEnd(() -> wakePutters(tasks));
        }
    }
}
