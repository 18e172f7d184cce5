package org.tasktube.store;

import java.util.ArrayList;
import java.util.List;

/**
 * The actions that wait for the end of one transaction. The transaction's thread adds them, and any thread may end it: a
 * transaction manager rolls back after the timeout while the transaction's own thread goes on.
 *
 * <p>No action can keep the others from running, whatever it throws. Changes in memory end first, so that no callback of an
 * application and no woken consumer finds them still open.
 */
public final class Effects {

    private final List<Transactions.Participant> participants = new ArrayList<>(1);
    private final List<Runnable> afterCommit = new ArrayList<>(4);
    private final List<Runnable> atEnd = new ArrayList<>(1);
    private boolean ended;

    /** Adds changes that end first; returns false if the transaction has ended. */
    public boolean join(Transactions.Participant participant) {
        return add(participants, participant);
    }

    /** Adds an action for the commit; returns false if the transaction has ended. */
    public boolean afterCommit(Runnable action) {
        return add(afterCommit, action);
    }

    /** Adds an action for either end; returns false if the transaction has ended. */
    public boolean atEnd(Runnable action) {
        return add(atEnd, action);
    }

    private synchronized <T> boolean add(List<T> actions, T action) {
        return !ended && actions.add(action);
    }

    /** Runs the actions of that end, on the calling thread, and takes no more. */
    public void end(boolean committed) {
        if (!beginEnd()) {
            return;
        }
        // No thread changes the lists from here on
        participants.forEach(participant -> isolated(() -> participant.end(committed)));
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

    /** Catches all: an Error of one application's callback must not leave tasks of others locked, nor a session open. */
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
            // Not even its message can be had; the other actions matter more
            e.addSuppressed(failure);
        }
    }
}
