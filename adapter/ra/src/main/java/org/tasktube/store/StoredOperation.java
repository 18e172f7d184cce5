package org.tasktube.store;

import java.util.List;
import org.tasktube.admin.Operation;

/**
 * An operation, and how far it is.
 *
 * @param place the position of its next batch; empty before the first
 * @param deferred the ids of the tasks to try again at its end, which others had locked
 */
public record StoredOperation(Operation operation, String place, List<Long> deferred) {}
