package org.tasktube;

import java.io.Serializable;
import java.util.Map;

/**
 * The numbers of a tube: its tasks by state on all servers, and its events on this server since the server's start.
 * While one server works on a tube, its tasks by state are exact. With several servers they are up to a minute old.
 *
 * @param tube the name of the tube
 * @param ready the number of READY tasks
 * @param delayed the number of DELAYED tasks
 * @param taken the number of TAKEN tasks
 * @param buried the number of BURIED tasks
 * @param results the number of DONE tasks, whose results are kept
 * @param endedSinceStart the number of tasks that ended on this server since its start: by ack, with or without a
 *     result, by delete, or by ttl
 * @param total the number of tasks in the tube now, results included
 * @param events the number of events of each kind on this server since its start; 0 for a kind without events
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
