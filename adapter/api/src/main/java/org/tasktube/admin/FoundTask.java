package org.tasktube.admin;

import java.util.Optional;
import org.tasktube.TaskMeta;

/**
 * A task that a search found. {@link org.tasktube.Tube#peek} has its data.
 *
 * @param meta its properties; the failure has no trace
 * @param server the name of the server that holds it; empty unless it is TAKEN
 * @param contentType the content type of its data
 * @param size the size of its data, in bytes
 */
public record FoundTask(TaskMeta meta, Optional<String> server, String contentType, long size) {}
