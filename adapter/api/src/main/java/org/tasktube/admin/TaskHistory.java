package org.tasktube.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.tasktube.History;

/**
 * One page of the history of a task.
 *
 * @param tube the name of the tube
 * @param id the id of the task
 * @param kept the moves that the tube keeps now. It may have kept others before
 * @param retention the time for which it keeps them
 * @param parent the task whose delivery put this one; empty if no bean did so, or the history does not have the put
 * @param puts the tasks that a delivery of this one put into tubes that keep {@link History#ALL}, the first ones, at
 *     most {@value TaskAdmin#MAX_PUTS}
 * @param events the moves in their order
 * @param next where the next page begins; empty if this page is the last
 * @param now the time of this answer
 */
public record TaskHistory(
        String tube,
        long id,
        History kept,
        Duration retention,
        Optional<Task> parent,
        List<Put> puts,
        List<TaskEvent> events,
        Optional<String> next,
        Instant now) {

    public TaskHistory {
        puts = List.copyOf(puts);
        events = List.copyOf(events);
    }

    /** A task by the name of its tube and its id. It may be gone. */
    public record Task(String tube, long id) {}

    /** A task that a delivery put, and the time of the put. It may be gone. */
    public record Put(String tube, long id, Instant at) {}
}
