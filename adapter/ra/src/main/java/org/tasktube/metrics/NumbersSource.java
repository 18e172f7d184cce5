package org.tasktube.metrics;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The numbers of the tubes on this server, for its management. */
public interface NumbersSource {

    /** Returns the numbers of all tubes that this server knows. Uses no database. */
    List<TubeNumbers> all();

    /**
     * Returns the age of the oldest READY task of each tube that has one; empty if the ages cannot be read now. Costs
     * one read of an index at most once per second.
     */
    Optional<Map<String, Duration>> oldestReady();
}
