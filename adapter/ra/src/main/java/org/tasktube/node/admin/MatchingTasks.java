package org.tasktube.node.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.tasktube.TaskState;
import org.tasktube.admin.OperationAct;
import org.tasktube.admin.TaskFilter;
import org.tasktube.node.admin.SearchStep.Place;
import org.tasktube.store.Scan;
import org.tasktube.store.ScanResult;
import org.tasktube.store.ScannedTask;
import org.tasktube.store.StoredTube;
import org.tasktube.store.sql.TaskStore;

/**
 * The tasks that fit a filter, part by part, for an act on all of them. Their states come in the order
 * in which tasks move by themselves. So a task that moves during the act is read in its new state.
 *
 * <p>READY tasks of sub-queues move both ways: a blocked one becomes the head, and an urgent put blocks the head. So an
 * act reads the blocked ones before the heads and once more after them, and may get a task twice.
 */
final class MatchingTasks {

    /** A delay ends, and a buried task is retried. */
    private static final List<TaskState> ORDER =
            List.of(TaskState.DELAYED, TaskState.TAKEN, TaskState.BURIED, TaskState.READY, TaskState.DONE);

    private static final String BLOCKED = "a";
    private static final String NOT_BLOCKED = "b";
    private static final String BLOCKED_AGAIN = "c";

    /** The number of characters before the name of a step in a position. */
    private static final int ORDERED = 3;

    /** Positions that this adapter writes. Another version may have written others. */
    private static final Pattern KNOWN_PLACE = Pattern.compile("b[0-4][abc][^.]+(\\.-?\\d+){3}\\.[\\w-]*");

    /** The number of tasks per statement. */
    private static final int STEP = 2_000;

    /** The time after which a part ends, although no task of it may fit. */
    private static final Duration MAX_TIME = Duration.ofMillis(500);

    /** The size of data with which a part ends, because listeners get the data. */
    private static final long MAX_BYTES = 16 << 20;

    private final Function<Boolean, TaskStore> stores;
    private final TaskMatch match;
    private final SearchPlan plan;
    private final List<Step> steps;

    /** A step of the search, and its position among all steps. */
    private record Step(String order, SearchStep search) {}

    /**
     * A part of the tasks.
     *
     * @param tasks the tasks that fit
     * @param read the number of tasks that were read
     * @param next the position of the next part; empty if this part is the last
     */
    record Part(List<ScannedTask> tasks, long read, Optional<String> next) {}

    private MatchingTasks(SearchPlan plan, List<Step> steps, TaskMatch match, Function<Boolean, TaskStore> stores) {
        this.stores = stores;
        this.match = match;
        this.plan = plan;
        this.steps = steps;
    }

    /** Returns the tasks that ids or keys name, one each at most. */
    static List<ScanResult> named(Scan scan, Map<Integer, String> names, Function<Boolean, TaskStore> stores) {
        Stream<Boolean> tables = scan instanceof Scan.Keys keys
                ? Stream.of(keys.tube().definition().temporary())
                : Stream.of(false, true);
        return tables.map(temporary -> stores.apply(temporary).scan(scan, names))
                .toList();
    }

    /** Returns the store of the tasks that a step reads. A step of all tubes has no temporary ones. */
    static TaskStore store(SearchStep step, Function<Boolean, TaskStore> stores) {
        return stores.apply(
                step.tube().filter(tube -> tube.definition().temporary()).isPresent());
    }

    /** Returns the tasks for the act itself, which misses as few as possible. A task may come twice. */
    static MatchingTasks toChange(
            OperationAct act,
            TaskFilter filter,
            Collection<StoredTube> tubes,
            TaskMatch match,
            Function<Boolean, TaskStore> stores) {
        Set<TaskState> states = EnumSet.copyOf(act.from());
        states.retainAll(filter.states());
        SearchPlan plan = new SearchPlan(filter, tubes, states);
        return new MatchingTasks(
                plan, inOrder(plan.plainSteps().stream().flatMap(MatchingTasks::steps)), match, stores);
    }

    /** Returns the tasks in some states for a look, in which each task that does not move comes once. */
    static MatchingTasks toLookAt(
            Set<TaskState> states,
            TaskFilter filter,
            Collection<StoredTube> tubes,
            TaskMatch match,
            Function<Boolean, TaskStore> stores) {
        SearchPlan plan = new SearchPlan(filter, tubes, states);
        return new MatchingTasks(
                plan,
                inOrder(plan.plainSteps().stream().flatMap(step -> steps(step).limit(1))),
                match,
                stores);
    }

    /** Returns whether the filter names ids or keys. Then the only part has tasks in all states. */
    boolean areNamed() {
        return plan.exact().isPresent();
    }

    private static List<Step> inOrder(Stream<Step> steps) {
        return steps.sorted(Comparator.comparing(Step::order)).toList();
    }

    private static Stream<Step> steps(SearchStep step) {
        String order = "b" + ORDER.indexOf(step.state());
        Step first = new Step(order + (step.blocked() ? BLOCKED : NOT_BLOCKED) + step.name(), step);
        return step.blocked()
                ? Stream.of(first, new Step(order + BLOCKED_AGAIN + step.name(), step))
                : Stream.of(first);
    }

    /**
     * Returns the part after a position.
     *
     * @param place the position; the first part follows an empty or an unknown one
     * @param max the most tasks to return, unless the filter names ids or keys
     */
    Part after(String place, int max) {
        Optional<List<Scan>> exact = plan.exact();
        // A search that begins anew leaves out no task, and tasks that the act has changed are no longer in its states
        String known = KNOWN_PLACE.matcher(place).matches() ? place : "";
        return exact.isPresent() ? exact(exact.get()) : new Reading(max).after(known);
    }

    /** Reads what ids or keys name, which is bounded by the length of the filter. */
    private Part exact(List<Scan> scans) {
        List<ScannedTask> tasks = new ArrayList<>();
        long read = 0;
        for (Scan scan : scans) {
            for (ScanResult result : named(scan, match.names(), stores)) {
                read += result.looked();
                tasks.addAll(match.fitting(result.tasks()));
            }
        }
        return new Part(tasks, read, Optional.empty());
    }

    /** Returns those of these tasks that still fit. */
    List<ScannedTask> still(Collection<Long> ids) {
        return named(new Scan.Ids(ids), match.names(), stores).stream()
                .flatMap(found -> match.fitting(found.tasks()).stream())
                .toList();
    }

    /** The reading of one part. */
    private final class Reading {

        private final int max;
        private final long end = System.nanoTime() + MAX_TIME.toNanos();
        private final List<ScannedTask> tasks = new ArrayList<>();
        private long bytes;
        private long read;

        Reading(int max) {
            this.max = max;
        }

        Part after(String place) {
            boolean isBegun = false;
            for (Step step : steps) {
                int order = place.isEmpty() ? -1 : stepOf(place).compareTo(step.order);
                if (order > 0) {
                    continue;
                }
                Place from = order == 0 ? Place.parse(place.substring(ORDERED)) : step.search.start();
                // Thousands of tubes without a task of the state take time too
                Optional<Place> next = isBegun && isTimeOver() ? Optional.of(from) : read(step.search, from);
                isBegun = true;
                if (next.isPresent()) {
                    return new Part(tasks, read, Optional.of(step.order.substring(0, ORDERED) + next.get()));
                }
            }
            return new Part(tasks, read, Optional.empty());
        }

        private static String stepOf(String place) {
            return place.substring(0, ORDERED)
                    + Place.parse(place.substring(ORDERED)).step();
        }

        private boolean isTimeOver() {
            return System.nanoTime() - end > 0;
        }

        /** Reads a step to its end. Returns the position if the part ends before. */
        private Optional<Place> read(SearchStep step, Place from) {
            Place at = from;
            TaskStore store = store(step, stores);
            while (true) {
                int size = Math.min(STEP, max);
                ScanResult result = store.scan(step.scan(at, size), match.names());
                read += result.looked();
                TaskMatch.Fitting fitting = match.fitting(result.tasks(), this::isTimeOver);
                for (ScannedTask task : fitting.tasks()) {
                    if (!areNamed() && !plan.reads(task.meta().state())) {
                        continue;
                    }
                    tasks.add(task);
                    bytes += task.size();
                    if (tasks.size() == max || bytes >= MAX_BYTES) {
                        return Optional.of(step.after(task));
                    }
                }
                if (fitting.end().isPresent()) {
                    return fitting.end().map(step::after);
                }
                if (result.looked() < size) {
                    return Optional.empty();
                }
                at = step.tube().isPresent()
                        ? step.after(result.tasks().get(result.tasks().size() - 1))
                        : step.after(result.last());
                if (isTimeOver()) {
                    return Optional.of(at);
                }
            }
        }
    }
}
