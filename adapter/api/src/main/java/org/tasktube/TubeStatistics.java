package org.tasktube;

import java.io.Serializable;
import java.time.Instant;
import java.util.Map;

/**
 * The numbers of a tube: its tasks by state on all servers, and its events on this server since the server's start.
 * While one server works on a tube, its tasks by state are exact. With several servers they lack what the
 * others did in their last two or three heartbeats, which are a fifth of {@code nodeTimeout} apart.
 *
 * <p>The mode is the one that this server knows. If another server has changed it, this server learns of the change
 * within a fifth of {@code nodeTimeout}, and within {@code pollInterval} while a take or a put waits at the tube.
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
 * @param mode the mode of the tube
 * @param modeBy the user or the server that set the mode; an empty text if the tube has been OPEN since its creation
 * @param modeSince the time since which the tube has had the mode, by the database's clock
 * @param modeReason the reason of the pause or drain; an empty text if the tube is OPEN
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
        Map<TubeEvent, Long> events,
        TubeMode mode,
        String modeBy,
        Instant modeSince,
        String modeReason)
        implements Serializable {}
