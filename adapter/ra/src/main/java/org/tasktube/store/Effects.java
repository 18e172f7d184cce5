package org.tasktube.store;

import java.util.ArrayList;
import java.util.List;

/**
 * The actions that wait for the end of one transaction. The transaction's thread adds them. Any thread may end the
 * transaction: after the timeout the transaction manager rolls back, while the transaction's own thread continues.
 *
 * <p>If an action throws, the others still run.
 */
public final class Effects {

    private final List<Runnable> beforeCommit = new ArrayList<>(1);
    private final List<Runnable> afterCommit = new ArrayList<>(4);
    private final List<Runnable> atEnd = new ArrayList<>(1);
    private boolean committing;
    private boolean ended;

    /** Adds an action that runs before a commit, or at once if that has begun; returns false if the transaction has ended. */
    public boolean beforeCommit(Runnable action) {
        boolean added = add(beforeCommit, action);
        if (added && committing) {
            action.run();
        }
        return added;
    }

    /** Runs the actions that wait for the begin of the commit, which follows. The first failure is thrown. */
    public void commit() {
        beginCommit();
        committing = true;
    }

    public boolean isCommitting() {
        return committing;
    }

    /** Runs the actions that wait for the begin of the commit, which may come much later. The first failure is thrown. */
    public void beginCommit() {
        // One of them may add another
        for (int i = 0; i < beforeCommit.size(); i++) {
            beforeCommit.get(i).run();
        }
    }

    /** Adds an action that runs after a commit; returns false if the transaction has ended. */
    public boolean afterCommit(Runnable action) {
        return add(afterCommit, action);
    }

    /** Adds an action that runs after either end; returns false if the transaction has ended. */
    public boolean atEnd(Runnable action) {
        return add(atEnd, action);
    }

    private synchronized <T> boolean add(List<T> actions, T action) {
        return !ended && actions.add(action);
    }

    /** Runs the actions of this end on the calling thread, and accepts no further ones. A second call does nothing. */
    public void end(boolean committed) {
        if (!beginEnd()) {
            return;
        }
        // No thread changes the lists from here on
        if (committed) {
            afterCommit.forEach(Effects::isolated);
        }
        atEnd.forEach(Effects::isolated);
    }

    private synchronized boolean beginEnd() {
        boolean first = !ended;
        ended = true;
        return first;
    }

    /**
     * Runs an action and logs any failure. An Error in one callback of an application must not leave other tasks
     * locked, nor a session open.
     */
    private static void isolated(Runnable action) {
        try {
            action.run();
        } catch (Throwable e) {
            logged(e);
        }
    }

    private static void logged(Throwable failure) {
        try {
            Log.LOG.effectFailed(failure);
        } catch (Throwable e) {
            // The failure cannot even be logged; the other actions must still run
            e.addSuppressed(failure);
        }
    }
}
