package org.tasktube.admin;

import java.time.Instant;
import java.util.Optional;

/**
 * An act on all tasks that fit a filter, which a server runs in batches. It is a row of the database, which stays
 * for 90 days after its end.
 *
 * @param id its id, which no task has
 * @param act its act on each task
 * @param filter the tasks that it looks at
 * @param by the user who started it
 * @param created the time of its start, by the database's clock
 * @param started the time when a server began its first batch
 * @param ended the time of its end
 * @param expected the number of tasks that its user confirmed
 * @param looked the number of tasks that it has looked at. At the end it is the sum of {@code changed} and
 *     {@code skipped}
 * @param changed the number of tasks that it has changed, at most {@code expected} unless that is a least number
 * @param skipped the number of tasks that it has left as they were: named by their ids or keys and in a state that the
 *     act is not for, moved while it looked, or locked by another transaction at two tries
 * @param server the node name of the server that ran its latest batch
 * @param cancelledBy the user who cancelled it, if it is CANCELLED
 * @param cancelReason why that user cancelled it; empty if an older version did
 * @param error the fault, if it is FAILED
 */
public record Operation(
        long id,
        OperationAct act,
        TaskFilter filter,
        String by,
        String reason,
        OperationState state,
        Instant created,
        Optional<Instant> started,
        Optional<Instant> ended,
        OperationSize expected,
        long looked,
        long changed,
        long skipped,
        Optional<String> server,
        Optional<String> cancelledBy,
        Optional<String> cancelReason,
        Optional<String> error) {}
