package org.tasktube.store;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.tasktube.TubeEvent;
import org.tasktube.admin.TaskEvent;

/**
 * A part of the history of a task.
 *
 * @param moves the moves in their order
 * @param parent the task whose delivery put this one
 * @param puts the first tasks that its deliveries put
 * @param now the present time of the store
 */
public record TaskLog(List<Move> moves, Optional<TaskId> parent, List<Put> puts, Instant now) {

    /** A move, and its number among all moves. Later moves of a task have higher numbers. */
    public record Move(long number, TaskEvent event) {}

    /** A task that is gone, with its last event. */
    public record Gone(TaskId task, TubeEvent event, Instant at) {}

    /** A task that a delivery put. */
    public record Put(TaskId task, Instant at) {}
}
