package org.tasktube.admin;

import java.time.Instant;
import java.util.Optional;

/**
 * A choice of rows of the audit. A row must have each value that is present, exactly.
 *
 * @param who the name of the user
 * @param act the name of the act
 * @param tube the name of the tube
 * @param task the id of the task, or of the operation
 * @param since the time of the oldest row, by the database's clock
 * @param until the time before which the newest row is
 */
public record AuditQuery(
        Optional<String> who,
        Optional<String> act,
        Optional<String> tube,
        Optional<String> task,
        Optional<Instant> since,
        Optional<Instant> until) {

    /** Reads all rows. */
    public static final AuditQuery ALL = of(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /** Returns a choice of rows of any time. */
    public static AuditQuery of(
            Optional<String> who, Optional<String> act, Optional<String> tube, Optional<String> task) {
        return new AuditQuery(who, act, tube, task, Optional.empty(), Optional.empty());
    }

    /** Returns the rows of a time among these. */
    public AuditQuery within(Optional<Instant> from, Optional<Instant> to) {
        return new AuditQuery(who, act, tube, task, from, to);
    }
}
