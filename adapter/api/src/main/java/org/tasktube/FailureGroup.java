package org.tasktube;

import java.io.Serializable;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The tasks whose last failed delivery is of one kind. A task counts until it is gone: also READY, while it waits for
 * its next attempt, and after a kick. All times are the database's clock.
 *
 * @param fingerprint the kind
 * @param first the time of the first failure of this kind. It may be older than the tasks: a kind is remembered for 8
 *     days after its last task is gone
 * @param last the time of the latest failure that a task has
 * @param tasks the number of tasks per state; states without a task are absent
 * @param tubes the names of the tubes that have such tasks
 * @param sampleTube the tube of the sample
 * @param sampleTask the id of one of these tasks, in the tube and state that have the latest failure. Its
 *     {@link TaskMeta#lastFailure} has a trace
 * @param trend the number of these tasks by the hour of their failure: one number for each of the last {@value #HOURS}
 *     hours before now, the earliest first. Tasks that failed before that are in none
 */
public record FailureGroup(
        Fingerprint fingerprint,
        Instant first,
        Instant last,
        Map<TaskState, Long> tasks,
        SortedSet<String> tubes,
        String sampleTube,
        long sampleTask,
        List<Long> trend)
        implements Serializable {

    /** The number of hours in a trend. */
    public static final int HOURS = 24;

    public FailureGroup {
        trend = List.copyOf(trend);
        Map<TaskState, Long> counts = new EnumMap<>(TaskState.class);
        counts.putAll(tasks);
        tasks = Collections.unmodifiableMap(counts);
        tubes = Collections.unmodifiableSortedSet(new TreeSet<>(tubes));
    }

    /** Returns the number of tasks in all states. */
    public long total() {
        return tasks.values().stream().mapToLong(Long::longValue).sum();
    }
}
