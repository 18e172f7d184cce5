package org.tasktube.store;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The result of one sweep.
 *
 * @param swept the tasks whose deadline had passed
 * @param untilNext the time until the next deadline; zero if more tasks may be due, empty if there is no deadline
 * @param lags the time from its deadline to the sweep, for each of these tasks
 */
public record Sweep(List<Swept> swept, Optional<Duration> untilNext, List<Duration> lags) {

    /** Returns the result of a sweep that found no task. */
    public static Sweep none(Optional<Duration> untilNext) {
        return new Sweep(List.of(), untilNext, List.of());
    }

    /** Tasks of one tube that were due in one state. */
    public record Swept(int tube, Transitioned done) {}
}
