package org.tasktube.sample.check;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.tasktube.History;
import org.tasktube.TaskNotFoundException;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.TubeDefinition;

/** The tubes of the link checker. Operations on them are part of the caller's transaction. */
@ApplicationScoped
public class Tubes {

    /**
     * The tube with one task per page, and one sub-queue per site, so that a site's pages are checked one at a time.
     */
    static final String PAGES = "pages";

    /** The tube with one task per check. Its data are the start pages, its result is the final progress. */
    static final String CHECKS = "checks";

    private static final List<TubeDefinition> ALL = List.of(
            // If a page takes longer, another bean gets its task; the fetcher's own timeouts are shorter
            TubeDefinition.utubettl(PAGES)
                    .ttr(Fetcher.TIMEOUT.multipliedBy(3))
                    // The console shows each move of a task, also after its end
                    .history(History.ALL),
            TubeDefinition.fifottl(CHECKS).history(History.ALL));

    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory factory;

    /** Creates the tubes. A rollback of the caller's transaction does not remove them. */
    @Transactional(TxType.NOT_SUPPORTED)
    public void create() {
        try (TubeConnection connection = factory.getConnection()) {
            ALL.forEach(connection::createTubeIfNotExists);
        }
    }

    /** Removes all tasks. A bean that works on one of them can no longer commit. */
    @Transactional(TxType.MANDATORY)
    public void truncate() {
        ALL.forEach(tube -> with(tube.name(), Tube::truncate));
    }

    /**
     * Waits for the end of a check, outside the caller's transaction, which would keep a database connection during the
     * wait.
     *
     * @return the final progress; empty after the timeout
     * @throws TaskNotFoundException if the check does not exist, or its result has expired
     */
    @Transactional(TxType.NOT_SUPPORTED)
    public Optional<Progress> await(long check, Duration timeout) {
        return with(CHECKS, tube -> tube.await(check, timeout)).map(result -> result.data(Progress.class));
    }

    void use(String name, Consumer<Tube> work) {
        with(name, tube -> {
            work.accept(tube);
            return null;
        });
    }

    <T> T with(String name, Function<Tube, T> work) {
        try (TubeConnection connection = factory.getConnection()) {
            return work.apply(connection.tube(name));
        }
    }
}
