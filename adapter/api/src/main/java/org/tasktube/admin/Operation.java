package org.tasktube.admin;

import java.time.Instant;
import java.util.Optional;

/**
 * An act on all tasks that fit a filter, which a server runs in batches. It is a row of the database, and a task of the
 * same id in the tube {@value #TUBE}. At its end the row stays for 90 days.
 *
 * @param id its id, which is the id of its task
 * @param act its act on each task
 * @param filter the tasks that it looks at
 * @param by the user who started it
 * @param created the time of its start, by the database's clock
 * @param started the time when a server began its first batch
 * @param ended the time of its end
 * @param expected the number of tasks that fitted the filter at its start; at least so many if the look was bounded
 * @param looked the number of tasks that it has looked at. At the end it is the sum of {@code changed} and
 *     {@code skipped}
 * @param changed the number of tasks that it has changed
 * @param skipped the number of tasks that it has left as they were: in a state that the act is not for, or locked by
 *     another transaction at two tries
 * @param server the node name of the server that ran its latest batch
 * @param cancelledBy the user who cancelled it, if it is CANCELLED
 * @param error the fault, if it is FAILED
 */
public record Operation(
        long id,
        BulkAct act,
        TaskFilter filter,
        String by,
        String reason,
        OperationState state,
        Instant created,
        Optional<Instant> started,
        Optional<Instant> ended,
        long expected,
        long looked,
        long changed,
        long skipped,
        Optional<String> server,
        Optional<String> cancelledBy,
        Optional<String> error) {

    /**
     * The tube of TaskTube's own with a task per operation that has not ended. It exists from the first operation on.
     * Applications can read it, pause it and drain it. Any other call on it fails with an
     * {@link org.tasktube.OwnTubeException}, and a tube of this name cannot be created.
     */
    public static final String TUBE = "tasktube-operations";
}
