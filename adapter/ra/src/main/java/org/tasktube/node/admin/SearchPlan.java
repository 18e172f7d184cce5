package org.tasktube.node.admin;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.tasktube.DataPath;
import org.tasktube.TaskState;
import org.tasktube.admin.FilterCondition;
import org.tasktube.admin.FilterCondition.Comparison;
import org.tasktube.admin.FilterField;
import org.tasktube.admin.IndexedText;
import org.tasktube.admin.TaskFilter;
import org.tasktube.store.FieldIndex;
import org.tasktube.store.Scan;
import org.tasktube.store.StoredTube;

/** The ranges that a search reads: the narrowest ones that an index has in order. */
final class SearchPlan {

    private final TaskFilter filter;
    private final Collection<StoredTube> tubes;
    private final Set<TaskState> states;

    /**
     * @param tubes the tubes that can have tasks that fit
     * @param states the states to read, of those that a task can be in to fit
     */
    SearchPlan(TaskFilter filter, Collection<StoredTube> tubes, Set<TaskState> states) {
        this.filter = filter;
        this.tubes = tubes;
        this.states = states;
    }

    /** Returns the scans that find all tasks that can fit, if the filter names ids or keys; empty if it does not. */
    Optional<List<Scan>> exact() {
        return values(FilterField.ID)
                .map(ids -> List.<Scan>of(
                        new Scan.Ids(ids.stream().map(Long::valueOf).toList())))
                .or(() -> values(FilterField.KEY).map(keys -> tubes.stream()
                        .map(tube -> (Scan) new Scan.Keys(tube, keys))
                        .toList()));
    }

    /** Returns the values of a condition that names values without a {@code *}. */
    private Optional<List<String>> values(FilterField field) {
        return filter.on(field)
                .filter(condition -> !condition.negated() && condition.comparison() == Comparison.IS)
                .flatMap(condition -> condition.texts().stream())
                .findFirst();
    }

    /**
     * Returns the steps of a search in order: those that indexes of searchable fields have come first. A tube with such
     * an index has no other step.
     */
    List<SearchStep> steps() {
        Map<StoredTube, List<SearchStep>> indexed = new LinkedHashMap<>();
        tubes.forEach(
                tube -> steps(tube).filter(steps -> !steps.isEmpty()).ifPresent(steps -> indexed.put(tube, steps)));
        if (indexed.isEmpty()) {
            return plainSteps();
        }
        List<StoredTube> others =
                tubes.stream().filter(tube -> !indexed.containsKey(tube)).toList();
        return Stream.concat(
                        indexed.values().stream().flatMap(List::stream),
                        others.stream().flatMap(tube -> states.stream().flatMap(state -> steps(tube, state))))
                .sorted(Comparator.comparing(SearchStep::name))
                .toList();
    }

    /** Returns the steps that read the index of a tube; empty if it has none that is complete for the filter. */
    private Optional<List<SearchStep>> steps(StoredTube tube) {
        if (!tube.index().exists() || !tube.index().isComplete()) {
            return Optional.empty();
        }
        return filter.on(FilterField.DATA)
                .filter(condition -> !condition.negated() && condition.comparison() == Comparison.IS)
                .filter(condition -> !condition.path().isEmpty())
                .filter(condition -> tube.definition().searchable().contains(field(condition)))
                .filter(condition -> condition.texts().isPresent())
                .findFirst()
                .map(condition -> byHash(condition).entrySet().stream()
                        .map(values ->
                                SearchStep.indexed(tube, values.getKey(), condition.withValues(values.getValue())))
                        .toList());
    }

    private static String field(FilterCondition condition) {
        return new DataPath(condition.path()).toString();
    }

    /** Returns the values of a condition, as written, by their hashes. */
    private static Map<Long, List<String>> byHash(FilterCondition condition) {
        List<String> texts = condition.texts().orElseThrow();
        Map<Long, List<String>> values = new TreeMap<>();
        for (int i = 0; i < texts.size(); i++) {
            long hash = FieldIndex.hash(field(condition), IndexedText.of(texts.get(i)));
            values.computeIfAbsent(hash, key -> new ArrayList<>())
                    .add(condition.values().get(i));
        }
        return values;
    }

    /** Returns the steps in order that read the tasks themselves. */
    List<SearchStep> plainSteps() {
        boolean narrow = filter.on(FilterField.TUBE).findAny().isPresent() || states.size() < TaskState.values().length;
        List<SearchStep> steps = new ArrayList<>();
        Optional<List<String>> kinds = values(FilterField.FAILURE);
        boolean byFailure = kinds.isPresent() || isOfFailed();
        if (kinds.isPresent()) {
            kinds.get().stream()
                    .distinct()
                    .flatMap(kind ->
                            states.stream().map(state -> SearchStep.ofKind(HexFormat.fromHexDigitsToLong(kind), state)))
                    .forEach(steps::add);
        } else if (byFailure) {
            steps.add(SearchStep.ofFailed());
        } else if (!narrow) {
            steps.add(SearchStep.newest());
        }
        tubes.stream()
                .filter(tube -> tube.definition().temporary() || (narrow && !byFailure))
                .flatMap(tube -> states.stream().flatMap(state -> steps(tube, state)))
                .forEach(steps::add);
        steps.sort(Comparator.comparing(SearchStep::name));
        return steps;
    }

    /**
     * Returns whether the tasks that have failed are read: for a filter on {@code error} without one on {@code state}.
     * The text of the filter alone decides, because a search goes on with the same plan.
     */
    private boolean isOfFailed() {
        return filter.on(FilterField.STATE).findAny().isEmpty()
                && filter.on(FilterField.ERROR).anyMatch(condition -> !condition.negated());
    }

    /** Returns whether a task is in a state to read. A step of all failed tasks has those of all states. */
    boolean reads(TaskState state) {
        return states.contains(state);
    }

    private static Stream<SearchStep> steps(StoredTube tube, TaskState state) {
        SearchStep plain = SearchStep.of(tube, state, false);
        boolean hasBlocked = state == TaskState.READY && tube.subQueues();
        return hasBlocked ? Stream.of(plain, SearchStep.of(tube, state, true)) : Stream.of(plain);
    }
}
