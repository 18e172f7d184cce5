package org.tasktube.console.overview;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.tasktube.TubeEvent;
import org.tasktube.TubeStatistics;
import org.tasktube.admin.ClusterWork;
import org.tasktube.admin.TubeWork;

/**
 * For how long each tube has had READY tasks of which no server has taken one. It knows that from two looks at the
 * statistics on: both had READY tasks, and the number of takes was the same.
 */
@ApplicationScoped
public class Idle {

    private final Map<String, Since> tubes = new HashMap<>();

    /**
     * The number of takes here and of ends anywhere at the first look, and the times of the first and last look, by
     * {@link System#nanoTime}.
     */
    private record Since(long takes, long first, long last) {}

    /** Notes the statistics of all tubes. A tube that is not among them is forgotten. */
    public synchronized void look(List<TubeStatistics> all, ClusterWork work, long nanoTime) {
        Map<String, Long> ended = work.tubes().stream()
                .collect(Collectors.toMap(
                        TubeWork::tube,
                        tube -> tube.moved().ended() + tube.moved().failed()));
        Set<String> names = new HashSet<>();
        for (TubeStatistics tube : all) {
            names.add(tube.tube());
            if (tube.ready() == 0) {
                tubes.remove(tube.tube());
            } else {
                long takes = tube.events().getOrDefault(TubeEvent.TAKE, 0L) + ended.getOrDefault(tube.tube(), 0L);
                Since before = tubes.get(tube.tube());
                boolean same = before != null && before.takes() == takes;
                tubes.put(tube.tube(), new Since(takes, same ? before.first() : nanoTime, nanoTime));
            }
        }
        tubes.keySet().retainAll(names);
    }

    /** Returns the time of a tube; zero if a task was taken, or none is READY. */
    public synchronized Duration time(String tube) {
        Since since = tubes.get(tube);
        return since == null ? Duration.ZERO : Duration.ofNanos(since.last() - since.first());
    }
}
