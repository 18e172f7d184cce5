package org.tasktube.node.admin;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.tasktube.TaskState;
import org.tasktube.admin.FilterCondition;
import org.tasktube.admin.FilterCondition.Comparison;
import org.tasktube.admin.FilterField;
import org.tasktube.admin.TaskFilter;
import org.tasktube.store.Scan;
import org.tasktube.store.StoredTube;

/** The ranges that a search reads: the narrowest ones that an index has in order. */
final class SearchPlan {

    /** The most kinds of failures that a search reads one by one. */
    private static final int MOST_KINDS = 500;

    private final TaskFilter filter;
    private final Collection<StoredTube> tubes;
    private final Set<TaskState> states;
    private final IntFunction<List<Long>> kinds;

    /**
     * @param tubes the tubes that can have tasks that fit
     * @param states the states to read, of those that a task can be in to fit
     * @param kinds returns the kinds of failures that tasks have, at most so many
     */
    SearchPlan(TaskFilter filter, Collection<StoredTube> tubes, Set<TaskState> states, IntFunction<List<Long>> kinds) {
        this.filter = filter;
        this.tubes = tubes;
        this.states = states;
        this.kinds = kinds;
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

    /** Returns the steps in order. */
    List<SearchStep> steps() {
        boolean narrow = filter.on(FilterField.TUBE).findAny().isPresent() || states.size() < TaskState.values().length;
        List<SearchStep> steps = new ArrayList<>();
        Optional<List<Long>> failures = failures();
        if (failures.isPresent()) {
            failures.get().stream()
                    .distinct()
                    .flatMap(kind -> states.stream().map(state -> SearchStep.ofKind(kind, state)))
                    .forEach(steps::add);
        } else if (!narrow) {
            steps.add(SearchStep.newest());
        }
        tubes.stream()
                .filter(tube -> tube.definition().temporary() || (narrow && failures.isEmpty()))
                .flatMap(tube -> states.stream().flatMap(state -> steps(tube, state)))
                .forEach(steps::add);
        steps.sort(java.util.Comparator.comparing(SearchStep::name));
        return steps;
    }

    /** Returns the kinds of failures that tasks must have to fit; empty if they may have none, or there are too many. */
    private Optional<List<Long>> failures() {
        Optional<List<Long>> named = values(FilterField.FAILURE)
                .map(texts -> texts.stream().map(HexFormat::fromHexDigitsToLong).toList());
        return named.isPresent() || filter.on(FilterField.ERROR).allMatch(FilterCondition::negated)
                ? named
                : Optional.of(kinds.apply(MOST_KINDS + 1)).filter(all -> all.size() <= MOST_KINDS);
    }

    private static Stream<SearchStep> steps(StoredTube tube, TaskState state) {
        SearchStep plain = SearchStep.of(tube, state, false);
        boolean hasBlocked = state == TaskState.READY
                && tube.subQueues()
                && !tube.definition().temporary();
        return hasBlocked ? Stream.of(plain, SearchStep.of(tube, state, true)) : Stream.of(plain);
    }
}
