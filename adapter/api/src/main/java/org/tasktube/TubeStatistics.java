package org.tasktube;

import java.io.Serializable;
import java.util.Map;

/**
 * A tube in numbers: its tasks by state, over all servers, and what happened in it on this server since its start. While
 * several servers work on a tube, its tasks by state are those of the last minute; on one server they are exact.
 *
 * @param results tasks that are DONE and whose results are kept
 * @param endedSinceStart tasks that were acked, with a result or without, deleted, or whose ttl was over, on this server since its
 *     start
 * @param total tasks that are there now, results included
 * @param events how many events of each kind happened on this server since its start; 0 for a kind that did not
 */
public record TubeStatistics(
        String tube,
        long ready,
        long delayed,
        long taken,
        long buried,
        long results,
        long endedSinceStart,
        long total,
        Map<TubeEvent, Long> events)
        implements Serializable {}
