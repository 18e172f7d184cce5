package org.tasktube.node.admin;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.admin.FoundTask;
import org.tasktube.admin.TaskFilter;
import org.tasktube.node.StoreAccess;
import org.tasktube.store.ScannedTask;
import org.tasktube.store.StoredTube;

/** Decides which tasks of a scan fit a filter. Reads data of those only that fit without it. */
final class TaskMatch {

    /** The maximum size of data that one statement reads for conditions on it. */
    private static final long MAX_BYTES = 8 << 20;

    private static final int MAX_DATA_STEP = 200;

    private final TaskFilter filter;
    private final TaskFilter properties;
    private final Map<Integer, StoredTube> tubes;
    private final Map<Integer, String> names;
    private final BiFunction<StoredTube, Collection<Long>, List<Task>> read;
    private final Supplier<Map<Integer, String>> readServers;
    private Optional<Map<Integer, String>> servers = Optional.empty();

    /** Creates the decisions of one call that only reads. */
    TaskMatch(TaskFilter filter, Collection<StoredTube> tubes, StoreAccess access) {
        this(filter, tubes, (tube, ids) -> access.tasks(tube).reports().tasks(tube, ids), () -> access.tasks(false)
                .reports()
                .servers());
    }

    /**
     * Creates the decisions of one call.
     *
     * @param read returns the existing tasks of these ids, with their data
     * @param readServers reads the names of the servers by their numbers, and is called at most once
     */
    TaskMatch(
            TaskFilter filter,
            Collection<StoredTube> tubes,
            BiFunction<StoredTube, Collection<Long>, List<Task>> read,
            Supplier<Map<Integer, String>> readServers) {
        this.filter = filter;
        this.properties = filter.withoutData();
        this.tubes = tubes.stream().collect(Collectors.toMap(StoredTube::id, Function.identity()));
        this.names = tubes.stream().collect(Collectors.toMap(StoredTube::id, StoredTube::name));
        this.read = read;
        this.readServers = readServers;
    }

    /** Returns the names of the tubes by their ids. */
    Map<Integer, String> names() {
        return names;
    }

    StoredTube tube(ScannedTask task) {
        return tubes.get(task.tube());
    }

    FoundTask found(ScannedTask task) {
        return new FoundTask(
                task.meta(),
                task.node() == 0 ? Optional.empty() : Optional.of(server(task.node())),
                task.contentType(),
                task.size());
    }

    private String server(int node) {
        if (servers.isEmpty()) {
            servers = Optional.of(readServers.get());
        }
        return servers.get().getOrDefault(node, "server " + node);
    }

    /**
     * The tasks that fit, in their order.
     *
     * @param end the task after which the time was over; empty if all were decided
     */
    record Fitting(List<ScannedTask> tasks, Optional<ScannedTask> end) {}

    /** Returns the tasks that fit, however long that takes. */
    List<ScannedTask> fitting(List<ScannedTask> tasks) {
        return fitting(tasks, () -> false).tasks();
    }

    /** Returns the tasks that fit, until the time is over. Decides some in any case. */
    Fitting fitting(List<ScannedTask> tasks, BooleanSupplier isOver) {
        List<ScannedTask> candidates = tasks.stream()
                .filter(task -> properties.matches(found(task), TaskMatch::noData))
                .toList();
        if (!filter.needsData()) {
            return new Fitting(candidates, Optional.empty());
        }
        List<ScannedTask> fitting = new ArrayList<>();
        for (int begin = 0; begin < candidates.size(); ) {
            int next = endOfData(candidates, begin);
            List<ScannedTask> some = candidates.subList(begin, next);
            Set<Long> ids = fittingByData(some);
            some.stream().filter(task -> ids.contains(task.meta().id())).forEach(fitting::add);
            if (next < candidates.size() && isOver.getAsBoolean()) {
                return new Fitting(fitting, Optional.of(candidates.get(next - 1)));
            }
            begin = next;
        }
        return new Fitting(fitting, Optional.empty());
    }

    private static TaskData noData() {
        throw new IllegalStateException("a condition that needs no data asked for it");
    }

    private static int endOfData(List<ScannedTask> tasks, int begin) {
        long bytes = 0;
        int at = begin;
        do {
            bytes += tasks.get(at++).size();
        } while (at < tasks.size()
                && at - begin < MAX_DATA_STEP
                && bytes + tasks.get(at).size() <= MAX_BYTES);
        return at;
    }

    private Set<Long> fittingByData(List<ScannedTask> tasks) {
        Map<Integer, Map<Long, ScannedTask>> byTube = tasks.stream()
                .collect(Collectors.groupingBy(
                        ScannedTask::tube, Collectors.toMap(task -> task.meta().id(), Function.identity())));
        Set<Long> ids = new HashSet<>();
        byTube.forEach((id, scanned) -> {
            StoredTube tube = tubes.get(id);
            for (Task task : read.apply(tube, scanned.keySet())) {
                if (filter.matches(found(scanned.get(task.id())), task::data)) {
                    ids.add(task.id());
                }
            }
        });
        return ids;
    }
}
