package org.tasktube.node.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;
import org.tasktube.admin.DurationText;
import org.tasktube.admin.Flow;
import org.tasktube.admin.TubeFlow;
import org.tasktube.node.StoreAccess;
import org.tasktube.store.sql.Flow.Bucket;
import org.tasktube.store.sql.Flow.Name;
import org.tasktube.store.sql.Flow.Numbers;
import org.tasktube.store.sql.Flow.Read;

/** Reads the flow of tasks of all servers. */
record FlowReport(StoreAccess access) {

    /**
     * Returns the number of buckets of a time, rounded up.
     *
     * @throws IllegalArgumentException if the time is out of its bounds
     */
    static int buckets(Duration back) {
        if (back.compareTo(Flow.BUCKET) < 0 || back.compareTo(Flow.MAX_BACK) > 0) {
            throw new IllegalArgumentException("the time before now, " + DurationText.of(back) + ", is not from "
                    + DurationText.of(Flow.BUCKET) + " to " + DurationText.of(Flow.MAX_BACK));
        }
        return Math.toIntExact(back.plus(Flow.BUCKET).minusNanos(1).dividedBy(Flow.BUCKET));
    }

    Flow latest(int buckets) {
        Read read = access.flow().read(buckets, Flow.MAX_TUBES);
        Map<Integer, List<Bucket>> byTube = new HashMap<>();
        for (Bucket bucket : read.filled()) {
            byTube.computeIfAbsent(bucket.numbers().tube(), tube -> new ArrayList<>())
                    .add(bucket);
        }
        List<TubeFlow> tubes = read.names().stream()
                .filter(name -> byTube.containsKey(name.tube()))
                .map(name -> flow(name, byTube.get(name.tube()), buckets))
                .toList();
        return new Flow(read.from(), Flow.BUCKET, tubes, read.omitted(), read.now());
    }

    private static TubeFlow flow(Name name, List<Bucket> filled, int buckets) {
        return new TubeFlow(
                name.name(),
                row(filled, buckets, Numbers::puts),
                row(filled, buckets, Numbers::ends),
                row(filled, buckets, Numbers::failures));
    }

    private static List<Long> row(List<Bucket> filled, int buckets, ToLongFunction<Numbers> of) {
        long[] row = new long[buckets];
        filled.forEach(bucket -> row[bucket.index()] = of.applyAsLong(bucket.numbers()));
        return LongStream.of(row).boxed().toList();
    }
}
