package org.tasktube.admin;

import java.util.List;

/**
 * Some tasks that an operation has changed together. The tasks may be gone, and their tube as well.
 *
 * @param number the position of this part among those of the operation
 * @param tube the name of the tube; its number after a {@code #}, if the tube is gone
 * @param ids the ids of the tasks, the smallest first
 */
public record ChangedTasks(long number, String tube, List<Long> ids) {}
