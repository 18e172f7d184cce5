package org.tasktube.store;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.tasktube.TaskState;

/** So many tasks of a tube are in a state. */
public record TubeCount(int tube, TaskState state, long tasks) {

    /** Counts of one tube, one per state. */
    public static List<TubeCount> sum(List<TubeCount> counts) {
        Map<TaskState, TubeCount> sums = new EnumMap<>(TaskState.class);
        counts.forEach(count -> sums.merge(
                count.state, count, (one, other) -> new TubeCount(one.tube, one.state, one.tasks + other.tasks)));
        return new ArrayList<>(sums.values());
    }
}
