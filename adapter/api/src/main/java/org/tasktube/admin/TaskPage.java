package org.tasktube.admin;

import java.util.List;
import java.util.Optional;

/**
 * A page of a {@link TaskAdmin#search}.
 *
 * @param tasks the tasks that fit, in the order of the search
 * @param looked the number of tasks that were read for this page
 * @param next where the next page begins; empty if this page is the last
 */
public record TaskPage(List<FoundTask> tasks, long looked, Optional<String> next) {

    public TaskPage {
        tasks = List.copyOf(tasks);
    }
}
