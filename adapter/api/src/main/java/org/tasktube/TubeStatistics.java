package org.tasktube;

import java.io.Serializable;
import java.util.Map;

/**
 * A tube in numbers: its tasks by state, over all servers, and what happened in it on this server since its start.
 *
 * @param done tasks that were acked or deleted or whose ttl was over, on this server since its start
 * @param total tasks that are there now
 * @param calls how often each kind of thing happened on this server since its start; a kind that did not is 0
 */
public record TubeStatistics(
        String tube,
        long ready,
        long delayed,
        long taken,
        long buried,
        long done,
        long total,
        Map<TubeEvent, Long> calls)
        implements Serializable {}
