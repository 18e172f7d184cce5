package org.tasktube.node.admin;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.tasktube.TaskState;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.node.StoreAccess;
import org.tasktube.node.TubeDirectory;
import org.tasktube.store.StoredTube;
import org.tasktube.store.TubeCount;

/**
 * Counts the tasks of tubes of the database by their states. The database counts up to 20,000 tasks of a state, also
 * those that came by SQL. For more, the numbers of this server count if it is alone.
 *
 * @param isExact returns whether the numbers of this server are those of the database, because it is alone
 * @param recount has the numbers of this server counted anew, because rows came or went by SQL
 */
record TubeCounts(StoreAccess access, TubeDirectory directory, BooleanSupplier isExact, Runnable recount) {

    private static final int FEW = 20_000;

    /** Returns the numbers of tasks; empty if the database would have to count too many. */
    Optional<List<TubeCount>> of(Collection<StoredTube> tubes, Set<TaskState> states) {
        List<TubeCount> counts = new ArrayList<>();
        for (TaskState state : states) {
            Optional<List<TubeCount>> some = of(tubes, state);
            if (some.isEmpty()) {
                return Optional.empty();
            }
            counts.addAll(some.get());
        }
        return Optional.of(counts);
    }

    private Optional<List<TubeCount>> of(Collection<StoredTube> tubes, TaskState state) {
        List<TubeCount> few = counted(tubes, state, FEW);
        List<TubeCount> known = tubes.stream().map(tube -> known(tube, state)).toList();
        boolean isAlone = isExact.getAsBoolean();
        if (isAlone && (sum(few) < FEW) != (sum(known) < FEW)) {
            recount.run();
        } else if (isAlone && sum(few) >= FEW) {
            return Optional.of(known);
        }
        if (sum(few) < FEW) {
            return Optional.of(few);
        }
        return sum(known) <= TaskAdmin.MAX_COUNTED
                ? Optional.of(counted(tubes, state, Integer.MAX_VALUE))
                : Optional.empty();
    }

    private List<TubeCount> counted(Collection<StoredTube> tubes, TaskState state, int most) {
        Map<Boolean, List<StoredTube>> byTable = tubes.stream()
                .collect(Collectors.partitioningBy(tube -> tube.definition().temporary()));
        List<TubeCount> counts = new ArrayList<>();
        byTable.forEach((temporary, some) ->
                counts.addAll(access.tasks(temporary).reports().counts(some, state, most)));
        return counts;
    }

    private static long sum(List<TubeCount> counts) {
        return counts.stream().mapToLong(TubeCount::tasks).sum();
    }

    private TubeCount known(StoredTube tube, TaskState state) {
        long tasks = directory.of(tube).runtime().counters().tasks().get(state);
        return new TubeCount(tube.id(), state, Math.max(0, tasks));
    }
}
