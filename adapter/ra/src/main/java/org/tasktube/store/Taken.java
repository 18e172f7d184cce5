package org.tasktube.store;

import java.util.UUID;

/**
 * A task that is TAKEN.
 *
 * @param temporary whether it is a task of a temporary tube
 * @param node the number of the server that took it
 * @param nodeIsUp true if that number is registered and not marked as dead
 * @param sessionIsKnown true if the session is registered, so that other servers may have it
 */
public record Taken(
        boolean temporary,
        int tube,
        long id,
        UUID session,
        long token,
        int node,
        boolean nodeIsUp,
        boolean sessionIsKnown) {

    /** Returns whether no holder is left that could ack the task. */
    public boolean isUnheld() {
        return !nodeIsUp && !sessionIsKnown;
    }
}
