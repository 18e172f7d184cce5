package org.tasktube.store;

import java.time.Instant;
import java.util.Optional;

/**
 * A registered server, and its part of the tasks in the database.
 *
 * @param seenAt the time of its last heartbeat, by the database's clock
 * @param now the time of the read, by the same clock
 * @param dead true if a server has marked it as dead
 * @param taken the number of TAKEN tasks that it holds
 * @param sessions the number of its sessions that hold a task or are registered
 * @param stopped true if it has marked itself as dead, because it stops
 * @param released the number of its tasks that were released since
 * @param releasedAt the time when nothing was left to release; empty before
 */
public record ServerLoad(
        int node,
        String name,
        Instant seenAt,
        Instant now,
        boolean dead,
        long taken,
        long sessions,
        boolean stopped,
        long released,
        Optional<Instant> releasedAt) {}
