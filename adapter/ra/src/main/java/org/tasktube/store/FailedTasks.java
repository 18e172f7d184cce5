package org.tasktube.store;

import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.tasktube.FailureGroup;
import org.tasktube.Fingerprint;
import org.tasktube.TaskState;

/**
 * The tasks of one tube and state whose last failure is of one kind.
 *
 * @param tube the name of the tube
 * @param tasks the number of these tasks, 1 or more
 * @param last the time of the latest of their failures
 * @param sample the highest id among these tasks
 * @param trend as in {@link FailureGroup#trend}
 */
public record FailedTasks(String tube, TaskState state, long tasks, Instant last, long sample, List<Long> trend) {

    /** Returns a trend of counts by the number of whole hours since the failures. */
    public static List<Long> trend(Map<Integer, Long> tasksByAge) {
        return IntStream.rangeClosed(1, FailureGroup.HOURS)
                .mapToObj(hour -> tasksByAge.getOrDefault(FailureGroup.HOURS - hour, 0L))
                .toList();
    }

    /** Returns the trend of all of them together. */
    public static List<Long> sum(Stream<List<Long>> trends) {
        long[] sum = new long[FailureGroup.HOURS];
        trends.forEach(trend -> {
            for (int hour = 0; hour < sum.length; hour++) {
                sum[hour] += trend.get(hour);
            }
        });
        return Arrays.stream(sum).boxed().toList();
    }

    /** Returns all tasks of a kind as one group. */
    public static FailureGroup group(Fingerprint kind, Instant first, List<FailedTasks> parts) {
        Map<TaskState, Long> tasks = new EnumMap<>(TaskState.class);
        TreeSet<String> tubes = new TreeSet<>();
        for (FailedTasks part : parts) {
            tasks.merge(part.state, part.tasks, Long::sum);
            tubes.add(part.tube);
        }
        FailedTasks sample =
                parts.stream().max(Comparator.comparing(FailedTasks::last)).orElseThrow();
        return new FailureGroup(
                kind,
                first,
                sample.last,
                tasks,
                tubes,
                sample.tube,
                sample.sample,
                sum(parts.stream().map(FailedTasks::trend)));
    }
}
