package org.tasktube.admin;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.tasktube.TaskData;

/**
 * A page of a {@link TaskAdmin#search}.
 *
 * @param tasks the tasks that fit, in the order of the search
 * @param looked the number of tasks that were read for this page
 * @param next where the next page begins; empty if this page is the last
 * @param beginnings the first {@value #MAX_BEGINNING} bytes of the data of each task, by its id. A task that has just
 *     gone has none
 */
public record TaskPage(List<FoundTask> tasks, long looked, Optional<String> next, Map<Long, TaskData> beginnings) {

    /** The maximum length of the beginning of a task's data, in bytes. */
    public static final int MAX_BEGINNING = 400;

    public TaskPage {
        tasks = List.copyOf(tasks);
        beginnings = Map.copyOf(beginnings);
    }
}
