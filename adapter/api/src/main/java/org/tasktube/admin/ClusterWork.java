package org.tasktube.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * The work of all servers, as the server that answers has seen it.
 *
 * @param tubes the tubes that had work since its start or have a bean, by name
 * @param recent what has happened lately, the earliest first, for {@link #KEPT}
 * @param read the time of the last sample; the start of the server if there is none
 * @param interval the time between two samples, as configured
 * @param dead the servers that have died during the last day, and that are not back: no server of their name is up.
 *     {@link TaskAdmin#dismissServer} leaves one out
 */
public record ClusterWork(
        List<TubeWork> tubes, List<Sample> recent, Instant read, Duration interval, List<DeadServer> dead) {

    /** The time for which samples are kept. */
    public static final Duration KEPT = Duration.ofMinutes(5);

    /** The maximum number of tubes of which a server shows its numbers to others: those of the most moves lately. */
    public static final int MAX_TUBES = 300;

    /**
     * What all servers have done between two heartbeats.
     *
     * @param at the end of that time, by the clock of the server that answers
     * @param span its length
     * @param tubes what has happened in each tube in which something has
     */
    public record Sample(Instant at, Duration span, Map<String, TubeWork.Moved> tubes) {

        public Sample {
            tubes = Map.copyOf(tubes);
        }
    }

    public ClusterWork {
        tubes = List.copyOf(tubes);
        recent = List.copyOf(recent);
        dead = List.copyOf(dead);
    }
}
