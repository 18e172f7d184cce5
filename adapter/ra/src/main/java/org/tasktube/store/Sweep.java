package org.tasktube.store;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The result of one sweep.
 *
 * @param swept the tasks whose deadline had passed
 * @param untilNext the time until the next deadline; zero if more tasks may be due, empty if there is no deadline
 */
public record Sweep(List<Swept> swept, Optional<Duration> untilNext) {

    /** Tasks of one tube that were due in one state. */
    public record Swept(int tube, Transitioned done) {}
}
