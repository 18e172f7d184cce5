package org.tasktube.node.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.tasktube.TaskData;
import org.tasktube.TaskMeta;
import org.tasktube.admin.FilterCondition;
import org.tasktube.admin.FilterField;
import org.tasktube.admin.FoundTask;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskFilter;
import org.tasktube.admin.TaskPage;
import org.tasktube.node.StoreAccess;
import org.tasktube.node.admin.SearchStep.Place;
import org.tasktube.store.OrderKey;
import org.tasktube.store.Scan;
import org.tasktube.store.ScanResult;
import org.tasktube.store.ScannedTask;
import org.tasktube.store.StoredTube;
import org.tasktube.store.sql.TaskStore;

/**
 * Searches tasks by a filter. The database narrows the search by an index and gives the properties of tasks in order.
 * The filter decides, so that it means the same in each database.
 */
final class TaskSearch {

    /** The maximum number of tasks that one call reads. */
    static final int MAX_LOOK = 50_000;

    /** The time after which a call reads no further range and no further data, and the page ends. */
    private static final Duration MAX_TIME = Duration.ofSeconds(1);

    /** The number of tasks per statement. The first one reads a page and no more, because often all tasks fit. */
    private static final int STEP = 2_000;

    /** The name of the one step of a search by ids or keys, in positions. */
    private static final String EXACT = "exact";

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
        Optional<Position> position = from.map(Position::parse);
        return permits.search(() -> new Run(filter, limit).page(position));
    }

    /**
     * Where a search goes on.
     *
     * @param plan which steps the search has, if it reads indexes; empty if it reads none. While other tubes get or lose
     *     an index, the steps are others: tasks would be left out, or come twice
     */
    private record Position(Place place, String plan) {

        private static final String SEPARATOR = "~";

        static Position parse(String text) {
            String[] parts = text.split(SEPARATOR, 2);
            return new Position(Place.parse(parts[0]), parts.length > 1 ? parts[1] : "");
        }

        static String plan(List<SearchStep> steps) {
            List<String> names = steps.stream().map(SearchStep::name).toList();
            return names.stream().anyMatch(SearchStep::isIndexed) ? Integer.toHexString(names.hashCode()) : "";
        }

        @Override
        public String toString() {
            return plan.isEmpty() ? place.toString() : place + SEPARATOR + plan;
        }
    }

    /** One call. */
    private final class Run {

        private final TaskFilter filter;
        private final int limit;
        private final List<StoredTube> tubes;
        private final long end = System.nanoTime() + MAX_TIME.toNanos();
        private final List<FoundTask> found = new ArrayList<>();
        private final TaskMatch match;
        private long looked;
        private Place last;
        private String plan = "";
        private List<TaskPage.Gone> gone = List.of();

        Run(TaskFilter filter, int limit) {
            this.filter = filter;
            this.limit = limit;
            tubes = access.tasks(false).reports().tubes().stream()
                    .filter(tube -> filter.fitsTube(tube.name()))
                    .toList();
            match = new TaskMatch(filter, tubes, access);
        }

        TaskPage page(Optional<Position> position) {
            if (position.isEmpty()) {
                gone = goneOfKeys();
            }
            Optional<Place> from = position.map(Position::place);
            SearchPlan searched = new SearchPlan(filter, tubes, filter.states());
            Optional<List<Scan>> exact = searched.exact();
            if (exact.isPresent()) {
                exact.get().forEach(this::readExact);
                return exactPage(from);
            }
            List<SearchStep> steps = searched.steps();
            plan = Position.plan(steps);
            position.ifPresent(this::check);
            for (SearchStep step : steps) {
                if (from.filter(place -> place.step().compareTo(step.name()) > 0)
                        .isPresent()) {
                    continue;
                }
                Place begin =
                        from.filter(place -> place.step().equals(step.name())).orElseGet(step::start);
                if (last != null && isTimeOver()) {
                    // Steps without a task take time, too: thousands of empty tubes
                    return page(found, Optional.of(new Position(begin, plan).toString()));
                }
                last = begin;
                if (!read(step, begin)) {
                    return page(found, Optional.of(new Position(last, plan).toString()));
                }
            }
            return page(found, Optional.empty());
        }

        private void check(Position position) {
            if (!position.plan.equals(plan)) {
                throw new IllegalArgumentException(
                        "'" + position
                                + "' is a position in other tubes or searchable fields than there are now; begin the search anew");
            }
        }

        private TaskPage page(List<FoundTask> tasks, Optional<String> next) {
            return new TaskPage(tasks, looked, next, beginnings(tasks), gone);
        }

        private List<TaskPage.Gone> goneOfKeys() {
            List<FilterCondition> keys = filter.on(FilterField.KEY).toList();
            boolean isByKeys = keys.size() == 1
                    && !keys.get(0).negated()
                    && filter.conditions().size()
                            == 1 + filter.on(FilterField.TUBE).count();
            return !isByKeys
                    ? List.of()
                    : keys.get(0).texts().stream()
                            .flatMap(List::stream)
                            .limit(TaskPage.MAX_GONE)
                            .flatMap(key -> access.tasks(false).histories().gone(key, TaskPage.MAX_GONE).stream())
                            .filter(task ->
                                    match.names().containsKey(task.task().tube()))
                            .map(task -> new TaskPage.Gone(
                                    match.names().get(task.task().tube()),
                                    task.task().id(),
                                    task.event(),
                                    task.at()))
                            .toList();
        }

        /** Reads the beginnings of the data, by one statement per table. */
        private Map<Long, TaskData> beginnings(List<FoundTask> tasks) {
            Set<String> temporary = tubes.stream()
                    .filter(tube -> tube.definition().temporary())
                    .map(StoredTube::name)
                    .collect(Collectors.toSet());
            Map<Long, TaskData> beginnings = new HashMap<>();
            tasks.stream()
                    .map(FoundTask::meta)
                    .collect(Collectors.groupingBy(
                            task -> temporary.contains(task.tube()),
                            Collectors.mapping(TaskMeta::id, Collectors.toList())))
                    .forEach((table, ids) ->
                            beginnings.putAll(access.tasks(table).reports().beginnings(ids, TaskPage.MAX_BEGINNING)));
            return beginnings;
        }

        /** Returns a page of what ids or keys name, the newest first. All of it was read, which a filter bounds. */
        private TaskPage exactPage(Optional<Place> from) {
            long before = from.filter(place -> place.step().equals(EXACT))
                    .map(place -> place.after().id())
                    .orElse(Long.MAX_VALUE);
            List<FoundTask> left = found.stream()
                    .filter(task -> task.meta().id() < before)
                    .sorted(Comparator.comparing(task -> -task.meta().id()))
                    .toList();
            if (left.size() <= limit) {
                return page(left, Optional.empty());
            }
            OrderKey end = new OrderKey(0, 0, left.get(limit - 1).meta().id());
            return page(left.subList(0, limit), Optional.of(new Place(EXACT, "", end).toString()));
        }

        /** Reads what ids or keys name: one task each at most. */
        private void readExact(Scan scan) {
            for (ScanResult result : MatchingTasks.named(scan, match.names(), access::tasks)) {
                looked += result.looked();
                match.fitting(result.tasks()).forEach(task -> found.add(match.found(task)));
            }
        }

        /** Adds the tasks that fit. Returns the task with which the page ends: it is full, or its time is over. */
        private Optional<ScannedTask> add(TaskMatch ofStep, List<ScannedTask> tasks) {
            TaskMatch.Fitting fitting = ofStep.fitting(tasks, this::isTimeOver);
            for (ScannedTask task : fitting.tasks()) {
                found.add(match.found(task));
                if (found.size() == limit) {
                    return Optional.of(task);
                }
            }
            return fitting.end();
        }

        private boolean isTimeOver() {
            return System.nanoTime() - end > 0;
        }

        /** Reads a step to its end. Returns false if the page ended before, at {@link #last}. */
        private boolean read(SearchStep step, Place begin) {
            Place at = begin;
            TaskMatch ofStep = step.value()
                    .map(value -> new TaskMatch(filter.and(value), tubes, access))
                    .orElse(match);
            TaskStore store = MatchingTasks.store(step, access::tasks);
            while (true) {
                int max = looked == 0 ? limit : STEP;
                ScanResult result = store.scan(step.scan(at, max), match.names());
                looked += result.looked();
                Optional<ScannedTask> end = add(ofStep, result.tasks());
                if (end.isPresent()) {
                    last = step.after(end.get());
                    return false;
                }
                if (result.looked() < max) {
                    return true;
                }
                at = step.isInOrder()
                        ? step.after(result.tasks().get(result.tasks().size() - 1))
                        : step.after(result.last());
                if (looked >= MAX_LOOK || isTimeOver()) {
                    last = at;
                    return false;
                }
            }
        }
    }
}
