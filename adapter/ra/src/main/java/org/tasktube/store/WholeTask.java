package org.tasktube.store;

import java.time.Instant;
import java.util.Optional;
import org.tasktube.Task;
import org.tasktube.TaskResult;

/**
 * All that a store has of a task.
 *
 * @param found its properties, with the trace of its failure
 * @param failedAt the time of its last failure
 */
public record WholeTask(Situation.Found found, Task task, Optional<TaskResult> result, Optional<Instant> failedAt) {}
