package org.tasktube.admin;

import org.tasktube.TubeDefinition;
import org.tasktube.TubeStatistics;

/**
 * A tube with its numbers.
 *
 * @param definition its type and its defaults
 * @param statistics its mode, its tasks by state, and its events on this server
 * @param indexing true while the index of its searchable fields lacks tasks, so that searches read all of them
 */
public record TubeDetail(TubeDefinition definition, TubeStatistics statistics, boolean indexing) {}
