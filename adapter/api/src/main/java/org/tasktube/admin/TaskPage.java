package org.tasktube.admin;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.tasktube.TaskData;
import org.tasktube.TubeEvent;

/**
 * A page of a {@link TaskAdmin#search}.
 *
 * @param tasks the tasks that fit, in the order of the search
 * @param looked the number of tasks that were read for this page
 * @param next where the next page begins; empty if this page is the last
 * @param beginnings the first {@value #MAX_BEGINNING} bytes of the data of each task, by its id. A task that has just
 *     gone has none
 * @param gone the tasks of the filter's keys that are gone, as far as histories have their end: the last {@value
 *     #MAX_GONE} of each of the first {@value #MAX_GONE} keys. Only the first page has them, and only of a filter by
 *     one condition on whole keys, and by none on anything else but tubes
 */
public record TaskPage(
        List<FoundTask> tasks, long looked, Optional<String> next, Map<Long, TaskData> beginnings, List<Gone> gone) {

    /** The maximum length of the beginning of a task's data, in bytes. */
    public static final int MAX_BEGINNING = 400;

    /** The maximum number of tasks of a key that are gone. */
    public static final int MAX_GONE = 20;

    public TaskPage {
        tasks = List.copyOf(tasks);
        beginnings = Map.copyOf(beginnings);
        gone = List.copyOf(gone);
    }

    /**
     * A task that is gone.
     *
     * @param tube the name of its tube
     * @param id its id, by which {@link TaskAdmin#history} has what became of it
     * @param event its last event
     * @param at the time of that, by the database's clock
     */
    public record Gone(String tube, long id, TubeEvent event, Instant at) {}
}
