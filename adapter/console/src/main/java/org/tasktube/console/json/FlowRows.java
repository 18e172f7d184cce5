package org.tasktube.console.json;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.tasktube.admin.Flow;

/**
 * The flow of tasks.
 *
 * @param bucket the length of a bucket
 * @param from the start of the first bucket
 * @param tubes the tubes that have a number other than 0, by name
 * @param omitted the number of tubes that were not read, because there are too many
 * @param now the time of the read, by the database's clock
 */
public record FlowRows(Duration bucket, Instant from, List<Row> tubes, int omitted, Instant now) {

    /** A tube: the tasks that were put, that ended, and the takes that failed, per bucket, the earliest first. */
    public record Row(String name, List<Long> in, List<Long> out, List<Long> failed) {}

    public static FlowRows of(Flow flow) {
        List<Row> rows = flow.tubes().stream()
                .map(tube -> new Row(tube.tube(), tube.in(), tube.out(), tube.failed()))
                .toList();
        return new FlowRows(flow.bucket(), flow.from(), rows, flow.omitted(), flow.now());
    }
}
