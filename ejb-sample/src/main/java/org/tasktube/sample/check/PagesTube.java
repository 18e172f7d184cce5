package org.tasktube.sample.check;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeStatistics;

/** The tube with one task for each page that is to be checked. */
@ApplicationScoped
public class PagesTube {

    static final String NAME = "pages";

    /** A page that takes longer is given to the next bean; the fetcher's own timeouts are below it. */
    private static final TubeDefinition DEFINITION =
            TubeDefinition.fifottl(NAME).ttr(Fetcher.TIMEOUT.multipliedBy(3));

    private static final int LISTED_AT_ONCE = 1000;

    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory tubes;

    /** A page that was given up. */
    public record GivenUp(String url, String reason) {}

    /** Creates the tube; it stands whatever becomes of the caller's transaction. */
    @Transactional(TxType.NOT_SUPPORTED)
    public void create() {
        try (TubeConnection connection = tubes.getConnection()) {
            connection.createTubeIfNotExists(DEFINITION);
        }
    }

    /** Puts a task for each request; they can be taken when the caller's transaction commits. */
    @Transactional(TxType.MANDATORY)
    public void put(Collection<Request> requests) {
        with(tube -> {
            requests.forEach(request -> tube.put(request.text()));
            return requests.size();
        });
    }

    /** Removes all tasks; a bean that works on one cannot commit its work then. */
    @Transactional(TxType.MANDATORY)
    public void truncate() {
        with(Tube::truncate);
    }

    public TubeStatistics statistics() {
        return with(Tube::statistics);
    }

    /** The pages whose tasks were buried, each with what went wrong the last time. */
    public List<GivenUp> givenUp() {
        return with(PagesTube::givenUp);
    }

    private <T> T with(Function<Tube, T> work) {
        try (TubeConnection connection = tubes.getConnection()) {
            return work.apply(connection.tube(NAME));
        }
    }

    private static List<GivenUp> givenUp(Tube tube) {
        List<GivenUp> all = new ArrayList<>();
        List<Task> some = tube.tasks(TaskState.BURIED, 0, LISTED_AT_ONCE);
        while (!some.isEmpty()) {
            some.forEach(task -> all.add(givenUp(tube, task)));
            some = tube.tasks(TaskState.BURIED, some.get(some.size() - 1).id(), LISTED_AT_ONCE);
        }
        return all;
    }

    private static GivenUp givenUp(Tube tube, Task task) {
        String reason = tube.meta(task.id())
                .flatMap(meta -> meta.lastFailure())
                .map(TaskFailure::message)
                .orElse("buried by hand");
        return new GivenUp(Request.parse(task.text()).url(), reason);
    }
}
