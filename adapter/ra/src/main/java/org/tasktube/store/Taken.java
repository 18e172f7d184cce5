package org.tasktube.store;

import java.util.UUID;

/**
 * A task that is TAKEN.
 *
 * @param node the number of the server that took it
 * @param nodeIsUp whether that number is registered and not taken for dead
 * @param sessionIsKnown whether other servers know the session
 */
public record Taken(int tube, long id, UUID session, long token, int node, boolean nodeIsUp, boolean sessionIsKnown) {

    /** Whether there is nobody left who could ack it. */
    public boolean isUnheld() {
        return !nodeIsUp && !sessionIsKnown;
    }
}
