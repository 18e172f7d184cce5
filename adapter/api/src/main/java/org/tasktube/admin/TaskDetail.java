package org.tasktube.admin;

import java.time.Instant;
import java.util.Optional;
import org.tasktube.Task;
import org.tasktube.TaskResult;

/**
 * One task with all that is kept of it, read at one moment.
 *
 * @param found its properties; the failure has its trace
 * @param task the task with its data and headers
 * @param result its result, if it is DONE
 * @param failedAt the time of its last failed delivery, by the store's clock
 */
public record TaskDetail(FoundTask found, Task task, Optional<TaskResult> result, Optional<Instant> failedAt) {}
