package org.tasktube.admin;

import java.util.Optional;

/**
 * A choice of rows of the audit. A row must have each value that is present, exactly.
 *
 * @param who the name of the user
 * @param act the name of the act
 * @param tube the name of the tube
 * @param task the id of the task, or of the operation
 */
public record AuditQuery(Optional<String> who, Optional<String> act, Optional<String> tube, Optional<String> task) {

    /** Reads all rows. */
    public static final AuditQuery ALL =
            new AuditQuery(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
}
