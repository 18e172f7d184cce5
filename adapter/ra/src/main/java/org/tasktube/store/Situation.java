package org.tasktube.store;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A task, and what decides in its store whether a claim gets it.
 *
 * @param isBlocked true if it is READY and blocked in its sub-queue
 * @param holds true if it has failed, and holds its sub-queue in a tube of strict order
 * @param isOver true if its ttl is over
 * @param locker the session of the database that has locked it; empty if the database cannot know
 * @param mode the mode of its tube; empty if the tube was dropped meanwhile
 * @param before the ids of READY tasks that a claim prefers, in order: in its sub-queue if it is blocked, else in the
 *     tube. Empty unless it is READY
 * @param head the task of its sub-queue that is TAKEN, can be claimed, or has failed and holds the sub-queue; empty
 *     unless it is blocked
 * @param used what is used of the limits of the tube; zeros if it has none
 * @param holders the numbers of the servers that hold tasks of the tube
 */
public record Situation(
        Found task,
        boolean isBlocked,
        boolean holds,
        boolean isOver,
        Optional<Locker> locker,
        Optional<ModeSetting> mode,
        List<Long> before,
        Optional<Found> head,
        Used used,
        Set<Integer> holders) {

    /**
     * A session of the database.
     *
     * @param process its number in the database
     * @param address of its client; empty if that is on the machine of the database
     * @param since the begin of its transaction
     * @param isIdle true if it executes nothing now
     */
    public record Locker(int process, Optional<String> address, Instant since, boolean isIdle) {}

    /**
     * What is used of the limits of a tube.
     *
     * @param taken the TAKEN tasks that its maxTaken counts
     * @param takes the takes that its maxRate counts
     */
    public record Used(int taken, int takes) {

        public static final Used NONE = new Used(0, 0);
    }

    /**
     * A task, and the name of the server that holds it.
     *
     * @param server empty unless the task is TAKEN, and the server's name is known
     * @param isLocked true if another open transaction has locked it; always false if the database cannot know
     */
    public record Found(ScannedTask task, Optional<String> server, boolean isLocked) {}
}
