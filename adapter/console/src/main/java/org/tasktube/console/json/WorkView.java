package org.tasktube.console.json;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.tasktube.admin.ClusterWork;
import org.tasktube.admin.TubeWork;

/**
 * The work of all servers.
 *
 * @param tubes the tubes that had work since the start of the server that answers, or have a bean, by name
 * @param recent what has happened between two heartbeats, for 5 minutes, the earliest first
 * @param measured the time of the last of these
 * @param interval the time between two of these
 * @param server the server that answers: another one counts since another start
 */
public record WorkView(
        List<Row> tubes, List<Sample> recent, Instant measured, Duration interval, String server, Instant now) {

    /**
     * A tube: what has happened since the start of the server that answers, and the beans that are active now.
     *
     * @param puts the tasks that were put
     * @param ended the tasks that ended
     * @param failed the takes that failed
     * @param beans the number of active beans
     * @param instances the deliveries that they can have at once
     * @param busy the deliveries that run
     */
    public record Row(String name, long puts, long ended, long failed, int beans, int instances, int busy) {

        static Row of(TubeWork work) {
            return new Row(
                    work.tube(),
                    work.moved().puts(),
                    work.moved().ended(),
                    work.moved().failed(),
                    work.beans().active(),
                    work.beans().instances(),
                    work.beans().busy());
        }
    }

    /** What has happened until a time: puts, ends and failed takes of each tube in which something has. */
    public record Sample(Instant at, Map<String, List<Long>> tubes) {}

    public static WorkView of(ClusterWork work, String server) {
        return new WorkView(
                rows(work),
                work.recent().stream().map(WorkView::sample).toList(),
                work.read(),
                work.interval(),
                server,
                Instant.now());
    }

    /** Returns the tubes alone. */
    public static List<Row> rows(ClusterWork work) {
        return work.tubes().stream().map(Row::of).toList();
    }

    private static Sample sample(ClusterWork.Sample sample) {
        Map<String, List<Long>> tubes = new TreeMap<>();
        sample.tubes().forEach((tube, moved) -> tubes.put(tube, List.of(moved.puts(), moved.ended(), moved.failed())));
        return new Sample(sample.at(), tubes);
    }
}
