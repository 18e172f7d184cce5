package org.tasktube.node.admin;

import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.tasktube.FailureGroup;
import org.tasktube.Fingerprint;
import org.tasktube.TaskState;
import org.tasktube.node.StoreAccess;
import org.tasktube.store.FailedTasks;

/** Counts failed tasks of both tables together, by the kinds of their failures. */
record FailureReport(StoreAccess access) {

    private static final Comparator<FailureGroup> LARGEST_FIRST = Comparator.comparingLong(FailureGroup::total)
            .reversed()
            .thenComparingLong(group -> group.fingerprint().number());

    /** Returns the largest groups. A kind can be in both tables, so all kinds of the temporary one are counted in both. */
    List<FailureGroup> largest(int most) {
        List<FailureGroup> temporary = access.tasks(true).failureGroups(Integer.MAX_VALUE);
        Collection<Fingerprint> kinds =
                temporary.stream().map(FailureGroup::fingerprint).toList();
        List<FailureGroup> persistent = access.tasks(false).failureGroups(most, kinds);
        Map<String, FailureGroup> groups = new HashMap<>();
        Stream.concat(persistent.stream(), temporary.stream())
                .forEach(group -> groups.merge(group.fingerprint().id(), group, FailureReport::both));
        return groups.values().stream().sorted(LARGEST_FIRST).limit(most).toList();
    }

    private static FailureGroup both(FailureGroup one, FailureGroup other) {
        Map<TaskState, Long> tasks = new EnumMap<>(TaskState.class);
        tasks.putAll(one.tasks());
        other.tasks().forEach((state, count) -> tasks.merge(state, count, Long::sum));
        TreeSet<String> tubes = new TreeSet<>(one.tubes());
        tubes.addAll(other.tubes());
        FailureGroup latest = one.last().isBefore(other.last()) ? other : one;
        return new FailureGroup(
                one.fingerprint(),
                one.first().isBefore(other.first()) ? one.first() : other.first(),
                latest.last(),
                tasks,
                tubes,
                latest.sampleTube(),
                latest.sampleTask(),
                FailedTasks.sum(Stream.of(one.trend(), other.trend())));
    }
}
