package org.tasktube.store;

import java.time.Instant;

/**
 * A registered server.
 *
 * @param seenAt the time of its last heartbeat, by the database's clock
 * @param overdue true if that heartbeat is too long ago, by the same clock
 * @param dead true if a server has marked it as dead, so that its tasks are to be released
 * @param work the line of its work that it shows the others; empty if it has shown none
 */
public record Peer(int node, String name, Instant seenAt, boolean overdue, boolean dead, String work) {

    /** A server that shows nothing of its work. */
    public Peer(int node, String name, Instant seenAt, boolean overdue, boolean dead) {
        this(node, name, seenAt, overdue, dead, "");
    }
}
