package org.tasktube.node.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.tasktube.OperationRefusedException;
import org.tasktube.admin.FoundTask;
import org.tasktube.admin.OperationAct;
import org.tasktube.admin.OperationPreview;
import org.tasktube.admin.TaskFilter;
import org.tasktube.node.StoreAccess;
import org.tasktube.store.ScannedTask;
import org.tasktube.store.StoredTube;

/** Looks at the tasks that an act on many tasks would find, up to a bound. */
final class OperationPreviews {

    /** The time after which a look ends. */
    private static final Duration MAX_TIME = Duration.ofSeconds(5);

    /** The number of tasks per part. */
    private static final int PART = 2_000;

    private final StoreAccess access;
    private final int maxLook;

    OperationPreviews(StoreAccess access, int maxLook) {
        this.access = access;
        this.maxLook = maxLook;
    }

    /** Returns the tubes of the database that an operation acts on. */
    static List<StoredTube> tubes(TaskFilter filter, List<StoredTube> all) {
        return all.stream()
                .filter(tube -> filter.fitsTube(tube.name()))
                .filter(tube -> !tube.definition().temporary())
                .toList();
    }

    OperationPreview preview(OperationAct act, TaskFilter filter) {
        List<StoredTube> all = access.registry().tubes();
        List<StoredTube> tubes = tubes(filter, all);
        List<String> leftOut = all.stream()
                .filter(tube -> tube.definition().temporary() && filter.fitsTube(tube.name()))
                .map(StoredTube::name)
                .sorted()
                .toList();
        if (tubes.isEmpty()) {
            throw refusal(filter, leftOut);
        }
        TaskMatch match = new TaskMatch(filter, tubes, access);
        return new Look(act, match)
                .of(filter, MatchingTasks.toLookAt(act, filter, tubes, match, access.tasks(false)), leftOut);
    }

    private static OperationRefusedException refusal(TaskFilter filter, List<String> leftOut) {
        if (!leftOut.isEmpty()) {
            return new OperationRefusedException("the filter '" + filter + "' allows only temporary tubes, "
                    + shown(leftOut) + ": each server has its own tasks of them in memory, and no operation reaches"
                    + " these; use kick, truncate or the acts on one task there");
        }
        return new OperationRefusedException(
                "the filter '" + filter + "' allows no tube that exists; name another tube");
    }

    private static String shown(List<String> names) {
        return names.size() <= 3 ? String.join(", ", names) : names.get(0) + " and " + (names.size() - 1) + " more";
    }

    /** One look. */
    private final class Look {

        private final OperationAct act;
        private final TaskMatch match;
        private final long end = System.nanoTime() + MAX_TIME.toNanos();
        private final Map<String, Long> byTube = new TreeMap<>();
        private final List<FoundTask> samples = new ArrayList<>();
        private long count;
        private long fits;
        private long read;

        Look(OperationAct act, TaskMatch match) {
            this.act = act;
            this.match = match;
        }

        OperationPreview of(TaskFilter filter, MatchingTasks tasks, List<String> leftOut) {
            Optional<String> place = Optional.of("");
            do {
                MatchingTasks.Part part = tasks.after(place.get(), PART);
                part.tasks().forEach(this::add);
                read += part.read();
                place = part.next();
            } while (place.isPresent() && read < maxLook && System.nanoTime() - end < 0);
            return new OperationPreview(act, filter, count, place.isPresent(), fits, read, byTube, samples, leftOut);
        }

        private void add(ScannedTask task) {
            count++;
            byTube.merge(task.meta().tube(), 1L, Long::sum);
            if (act.from().contains(task.meta().state())) {
                fits++;
                if (samples.size() < OperationPreview.MAX_SAMPLES) {
                    samples.add(match.found(task));
                }
            }
        }
    }
}
