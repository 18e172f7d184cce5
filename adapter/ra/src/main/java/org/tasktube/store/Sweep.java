package org.tasktube.store;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What one sweep did.
 *
 * @param swept the tasks whose deadline had passed
 * @param untilNext how long until the next deadline; zero if there is more to do, empty if there is none at all
 */
public record Sweep(List<Swept> swept, Optional<Duration> untilNext) {

    /** Tasks of a tube that were due in a state. */
    public record Swept(int tube, Transitioned done) {}
}
