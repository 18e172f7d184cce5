package org.tasktube.store;

import java.util.List;

/**
 * The answer to a {@link Scan}.
 *
 * @param tasks the tasks of the wanted tubes
 * @param looked the number of tasks that were read
 * @param lastId the id of the last task that was read; 0 if none was
 */
public record ScanResult(List<ScannedTask> tasks, int looked, long lastId) {}
