package org.tasktube.store;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.tasktube.Task;
import org.tasktube.TaskState;

/**
 * What one sweep did.
 *
 * @param swept what had come to its deadline
 * @param untilNext how long until the next deadline; zero if there is more to do, empty if there is none at all
 */
public record Sweep(List<Swept> swept, Optional<Duration> untilNext) {

    /**
     * Tasks of a tube that were due in a state: TAKEN and DELAYED ones became READY, the others were removed.
     *
     * @param tasks as they were before, where that was asked for
     */
    public record Swept(int tube, TaskState from, List<Long> ids, List<Task> tasks) {}
}
