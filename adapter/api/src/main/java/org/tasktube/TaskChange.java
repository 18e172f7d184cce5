package org.tasktube;

import java.util.Objects;
import java.util.Optional;

/**
 * A change of a task or of a whole tube.
 *
 * @param event the kind of change
 * @param tube the name of the tube
 * @param task the task as this change left it, or as it was before the change removed it. Later changes do not show
 *     here. Empty for a take that found no task. A change of many tasks, such as a truncate, is reported once per task
 */
public record TaskChange(TubeEvent event, String tube, Optional<Task> task) {

    public TaskChange {
        Objects.requireNonNull(event, "event");
        Objects.requireNonNull(tube, "tube");
        Objects.requireNonNull(task, "task");
    }
}
