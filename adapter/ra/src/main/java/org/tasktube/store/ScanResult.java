package org.tasktube.store;

import java.util.List;

/**
 * The answer to a {@link Scan}.
 *
 * @param tasks the tasks of the wanted tubes
 * @param looked the number of tasks that were read
 * @param last the place of the last task that was read, in the order of the scan; the start if none was
 */
public record ScanResult(List<ScannedTask> tasks, int looked, OrderKey last) {}
