package org.tasktube.node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.admin.FoundTask;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskFilter;
import org.tasktube.admin.TaskPage;
import org.tasktube.node.SearchStep.Place;
import org.tasktube.store.Scan;
import org.tasktube.store.ScanResult;
import org.tasktube.store.ScannedTask;
import org.tasktube.store.StoredTube;
import org.tasktube.store.TaskStore;

/**
 * Searches tasks by a filter. The database narrows the search by an index and gives the properties of tasks in order.
 * The filter decides, so that it means the same in each database and in memory.
 */
final class TaskSearch {

    /** The maximum number of tasks that one call reads. */
    static final int MAX_LOOK = 50_000;

    /** The time after which a call reads no further range, and the page ends. */
    private static final Duration MAX_TIME = Duration.ofSeconds(1);

    /** The number of tasks per statement. The first one reads a page and no more, because often all tasks fit. */
    private static final int STEP = 2_000;

    /** The maximum size of data that one statement reads for conditions on it. */
    private static final long MAX_BYTES = 8 << 20;

    private static final int MAX_DATA_STEP = 200;

    private final StoreAccess access;
    private final AdminPermits permits;

    TaskSearch(StoreAccess access, AdminPermits permits) {
        this.access = access;
        this.permits = permits;
    }

    /** Returns one page, as {@link TaskAdmin#search} says. */
    TaskPage search(TaskFilter filter, Optional<String> from, int limit) {
        if (limit < 1 || limit > TaskAdmin.MAX_PAGE) {
            throw new IllegalArgumentException("limit " + limit + " is not from 1 to " + TaskAdmin.MAX_PAGE);
        }
        Optional<Place> place = from.map(Place::parse);
        return permits.read(() -> new Run(filter, limit).page(place));
    }

    private static TaskData noData() {
        throw new IllegalStateException("a condition that needs no data asked for it");
    }

    /** One call. */
    private final class Run {

        private final TaskFilter filter;
        private final int limit;
        private final Map<Integer, StoredTube> tubes;
        private final Map<Integer, String> names;
        private final long end = System.nanoTime() + MAX_TIME.toNanos();
        private final List<FoundTask> found = new ArrayList<>();
        private Optional<Map<Integer, String>> servers = Optional.empty();
        private long looked;
        private Place last;

        Run(TaskFilter filter, int limit) {
            this.filter = filter;
            this.limit = limit;
            tubes = access.tasks(false).reports().tubes().stream()
                    .filter(tube -> filter.fitsTube(tube.name()))
                    .collect(Collectors.toMap(StoredTube::id, Function.identity()));
            names = tubes.values().stream().collect(Collectors.toMap(StoredTube::id, StoredTube::name));
        }

        TaskPage page(Optional<Place> from) {
            SearchPlan plan = new SearchPlan(filter, tubes.values());
            Optional<List<Scan>> exact = plan.exact();
            if (exact.isPresent()) {
                exact.get().forEach(this::readExact);
                return new TaskPage(found, looked, Optional.empty());
            }
            for (SearchStep step : plan.steps()) {
                if (from.filter(place -> place.step().compareTo(step.name()) > 0)
                        .isPresent()) {
                    continue;
                }
                Place begin =
                        from.filter(place -> place.step().equals(step.name())).orElseGet(step::start);
                if (!read(step, begin)) {
                    return new TaskPage(found, looked, Optional.of(last.toString()));
                }
            }
            return new TaskPage(found, looked, Optional.empty());
        }

        /** Reads what ids or keys name: one task each at most, so that it needs no pages. */
        private void readExact(Scan scan) {
            boolean inMemory =
                    scan instanceof Scan.Keys keys && keys.tube().definition().temporary();
            List<TaskStore> stores = scan instanceof Scan.Ids
                    ? List.of(access.tasks(false), access.tasks(true))
                    : List.of(access.tasks(inMemory));
            for (TaskStore store : stores) {
                ScanResult result = store.scan(scan, names);
                looked += result.looked();
                fitting(result.tasks()).forEach(task -> found.add(found(task)));
            }
        }

        /** Reads a step to its end. Returns false if the page ended before, at {@link #last}. */
        private boolean read(SearchStep step, Place begin) {
            Place at = begin;
            TaskStore store = access.tasks(
                    step.tube().filter(tube -> tube.definition().temporary()).isPresent());
            while (true) {
                int max = looked == 0 ? limit : STEP;
                ScanResult result = store.scan(step.scan(at, max), names);
                looked += result.looked();
                for (ScannedTask task : fitting(result.tasks())) {
                    found.add(found(task));
                    if (found.size() == limit) {
                        last = step.after(task);
                        return false;
                    }
                }
                if (result.looked() < max) {
                    return true;
                }
                at = step.tube().isPresent()
                        ? step.after(result.tasks().get(result.tasks().size() - 1))
                        : step.after(result.lastId());
                if (looked >= MAX_LOOK || System.nanoTime() - end > 0) {
                    last = at;
                    return false;
                }
            }
        }

        private FoundTask found(ScannedTask task) {
            return new FoundTask(
                    task.meta(),
                    task.node() == 0 ? Optional.empty() : Optional.of(server(task.node())),
                    task.contentType(),
                    task.size());
        }

        private String server(int node) {
            if (servers.isEmpty()) {
                servers = Optional.of(access.tasks(false).reports().servers());
            }
            return servers.get().getOrDefault(node, "server " + node);
        }

        /** Returns the tasks that fit, in their order. Reads data only of those that fit without it. */
        private List<ScannedTask> fitting(List<ScannedTask> tasks) {
            TaskFilter properties = filter.withoutData();
            List<ScannedTask> candidates = tasks.stream()
                    .filter(task -> properties.matches(found(task), TaskSearch::noData))
                    .toList();
            if (!filter.needsData()) {
                return candidates;
            }
            List<ScannedTask> fitting = new ArrayList<>();
            for (int begin = 0; begin < candidates.size(); ) {
                int next = endOfData(candidates, begin);
                List<ScannedTask> some = candidates.subList(begin, next);
                Set<Long> ids = fittingByData(some);
                some.stream().filter(task -> ids.contains(task.meta().id())).forEach(fitting::add);
                begin = next;
            }
            return fitting;
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
                            ScannedTask::tube,
                            Collectors.toMap(task -> task.meta().id(), Function.identity())));
            Set<Long> ids = new HashSet<>();
            byTube.forEach((id, scanned) -> {
                StoredTube tube = tubes.get(id);
                for (Task task : access.tasks(tube).reports().tasks(tube, scanned.keySet())) {
                    if (filter.matches(found(scanned.get(task.id())), task::data)) {
                        ids.add(task.id());
                    }
                }
            });
            return ids;
        }
    }
}
