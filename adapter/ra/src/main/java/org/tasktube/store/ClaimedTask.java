package org.tasktube.store;

import java.time.Duration;
import java.util.Optional;
import org.tasktube.Task;

/**
 * A task that was just taken.
 *
 * @param key the position of the task in its tube
 * @param ttr the time that the holder has; empty without a limit
 */
public record ClaimedTask(Task task, OrderKey key, Optional<Duration> ttr) {}
