package org.tasktube.store;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.tasktube.TaskState;

/** The number of tasks of one tube in one state. */
public record TubeCount(int tube, TaskState state, long tasks) {

    /** Adds up counts of one tube; returns one count per state. */
    public static List<TubeCount> sum(List<TubeCount> counts) {
        Map<TaskState, TubeCount> sums = new EnumMap<>(TaskState.class);
        counts.forEach(count -> sums.merge(
                count.state, count, (one, other) -> new TubeCount(one.tube, one.state, one.tasks + other.tasks)));
        return new ArrayList<>(sums.values());
    }
}
