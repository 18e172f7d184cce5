package org.tasktube.itest.chaos;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.tasktube.itest.lanes.Lane;

/**
 * A fault as it was.
 *
 * @param mended when all was there again
 * @param recovery the time from then until both servers had worked on a task, from its put on
 * @param lines how many lines of the log had each id of TaskTube meanwhile
 */
record Inflicted(Fault fault, Instant begun, Instant mended, Duration recovery, Map<String, Long> lines) {

    /** How long after its end a fault still has effects: a retry, and a wait for a dead server. */
    private static final Duration AFTERMATH = Duration.ofSeconds(6);

    /** How long a task may have waited on a busy machine. */
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

    /** Returns whether a bean that worked in this time may have lost its task by the fault. */
    boolean excuses(Instant from, Instant to) {
        return fault.mayEndHolders() && from.isBefore(mended.plus(AFTERMATH)) && to.isAfter(begun);
    }

    /** Returns whether a task of a temporary tube that was put then may have gone with all others of its tube. */
    boolean mayEndTemporary(Instant put) {
        return fault.mayEmptyTemporaryTubes()
                && put.isBefore(mended.plus(AFTERMATH))
                && put.isAfter(begun.minus(LONGEST_WAIT));
    }

    boolean isActOfTheOperator() {
        return fault == Fault.ACTS_ON_MANY_TASKS;
    }

    /** Returns whether the operator has released the TAKEN tasks of a lane about that time. */
    boolean releases(Lane lane, Instant at) {
        return isActOfTheOperator() && lane == Lane.TTR && at.isAfter(begun) && at.isBefore(mended.plus(AFTERMATH));
    }
}
