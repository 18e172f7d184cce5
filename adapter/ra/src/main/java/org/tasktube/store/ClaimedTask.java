package org.tasktube.store;

import java.time.Duration;
import java.util.Optional;
import org.tasktube.Task;

/**
 * A task that was just taken.
 *
 * @param key the position of the task in its tube
 * @param ttr the time that the holder has; empty without a limit
 * @param waitMillis the milliseconds from the put to the first take of the task; {@link #TAKEN_BEFORE} at a later one
 */
public record ClaimedTask(Task task, OrderKey key, Optional<Duration> ttr, long waitMillis) {

    /** The task was taken before. */
    public static final long TAKEN_BEFORE = -1;
}
