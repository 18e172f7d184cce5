package org.tasktube;

import java.util.Objects;
import java.util.Optional;

/**
 * Something that happened to a task, or to a whole tube.
 *
 * @param event what happened
 * @param tube the name of the tube
 * @param task the task as this change left it, or as it was if the change removed it, whatever happened to it since; empty
 *     for a take that found none. A change of many tasks, as a truncate is, is told for each of them
 */
public record TaskChange(TubeEvent event, String tube, Optional<Task> task) {

    public TaskChange {
        Objects.requireNonNull(event, "event");
        Objects.requireNonNull(tube, "tube");
        Objects.requireNonNull(task, "task");
    }
}
