package org.tasktube.store;

import java.time.Duration;
import java.util.Optional;
import org.tasktube.TaskData;
import org.tasktube.TaskState;

/**
 * A task to be put. Times count from the moment of the insert, by the database's clock.
 *
 * @param state READY or DELAYED
 * @param untilEvent when the next thing happens to it by itself
 * @param untilExpiry when its life is over
 */
public record NewTask(
        TaskState state,
        int pri,
        Optional<Duration> untilEvent,
        Optional<Duration> untilExpiry,
        Optional<Duration> ttr,
        TaskData data) {}
