package org.tasktube.node.admin;

import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.tasktube.TaskState;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.node.StoreAccess;
import org.tasktube.node.TubeDirectory;
import org.tasktube.store.StoredTube;
import org.tasktube.store.TubeCount;

/**
 * Counts the tasks of tubes of the database by their states.
 *
 * @param isExact returns whether the numbers of this server are those of the database, because it is alone
 */
record TubeCounts(StoreAccess access, TubeDirectory directory, BooleanSupplier isExact) {

    /** Returns the numbers of tasks; empty if the database would have to count too many. */
    Optional<List<TubeCount>> of(Collection<StoredTube> tubes, Set<TaskState> states) {
        List<TubeCount> known = tubes.stream()
                .flatMap(tube -> known(tube).entrySet().stream()
                        .filter(count -> states.contains(count.getKey()))
                        .map(count -> new TubeCount(tube.id(), count.getKey(), Math.max(0, count.getValue()))))
                .toList();
        if (isExact.getAsBoolean()) {
            return Optional.of(known);
        }
        return known.stream().mapToLong(TubeCount::tasks).sum() <= TaskAdmin.MAX_COUNTED
                ? Optional.of(access.tasks(false).reports().counts(tubes, EnumSet.copyOf(states)))
                : Optional.empty();
    }

    private Map<TaskState, Long> known(StoredTube tube) {
        return directory.of(tube).runtime().counters().tasks();
    }
}
