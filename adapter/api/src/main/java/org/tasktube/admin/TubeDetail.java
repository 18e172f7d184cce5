package org.tasktube.admin;

import java.util.OptionalInt;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeStatistics;

/**
 * A tube with its numbers.
 *
 * @param definition its type and its defaults
 * @param statistics its mode, its tasks by state, and its events on this server
 * @param takes the takes that its {@link org.tasktube.TakeLimits#maxRate() maxRate} counts now; empty without that limit
 * @param indexing true while the index of its searchable fields lacks tasks, so that searches read all of them
 */
public record TubeDetail(TubeDefinition definition, TubeStatistics statistics, OptionalInt takes, boolean indexing) {}
