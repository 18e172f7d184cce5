package org.tasktube;

import java.io.Serializable;
import java.util.Map;

/**
 * A tube in numbers: its tasks by state, over all servers, and what happened in it on this server since its start. While
 * several servers work on a tube, its tasks by state are those of the last minute; on one server they are exact.
 *
 * @param results tasks that are DONE and whose results are kept
 * @param done tasks that were acked, with a result or without, deleted, or whose ttl was over, on this server since its
 *     start
 * @param total tasks that are there now, results included
 * @param calls how often each kind of thing happened on this server since its start; a kind that did not is 0
 */
public record TubeStatistics(
        String tube,
        long ready,
        long delayed,
        long taken,
        long buried,
        long results,
        long done,
        long total,
        Map<TubeEvent, Long> calls)
        implements Serializable {}
