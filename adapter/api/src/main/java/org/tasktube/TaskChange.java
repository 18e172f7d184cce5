package org.tasktube;

import java.util.Objects;
import java.util.Optional;

/**
 * Something that happened to a task, or to a whole tube.
 *
 * @param event what happened
 * @param tube the name of the tube
 * @param task the task as it is after the change, or was before it was removed; empty for a truncate, which has no one
 *     task, and for a take that found none
 */
public record TaskChange(TubeEvent event, String tube, Optional<Task> task) {

    public TaskChange {
        Objects.requireNonNull(event, "event");
        Objects.requireNonNull(tube, "tube");
        Objects.requireNonNull(task, "task");
    }
}
