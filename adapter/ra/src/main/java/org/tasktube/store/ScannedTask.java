package org.tasktube.store;

import org.tasktube.TaskMeta;

/**
 * A task as a {@link Scan} reads it.
 *
 * @param meta its properties; the failure has no trace
 * @param place its position in the scan, after which the next scan of that range begins
 * @param node the number of the server that holds it; 0 unless it is TAKEN
 * @param contentType the content type of its data
 * @param size the size of its data, in bytes
 */
public record ScannedTask(int tube, TaskMeta meta, OrderKey place, int node, String contentType, long size) {}
