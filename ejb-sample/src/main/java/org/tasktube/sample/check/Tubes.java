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
import org.tasktube.TaskNotFoundException;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.TubeDefinition;

/** The tubes of the link checker. What is done with them is part of the caller's transaction. */
@ApplicationScoped
public class Tubes {

    /** One task for each page that is to be checked, in a sub-queue for each site: one page of it at a time. */
    static final String PAGES = "pages";

    /** One task for each check as a whole: its data are where to start, its result is what came of it. */
    static final String CHECKS = "checks";

    private static final List<TubeDefinition> ALL = List.of(
            // A page that takes longer is given to the next bean; the fetcher's own timeouts are below it
            TubeDefinition.utubettl(PAGES).ttr(Fetcher.TIMEOUT.multipliedBy(3)), TubeDefinition.fifottl(CHECKS));

    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory factory;

    /** Creates the tubes; they stand whatever becomes of the caller's transaction. */
    @Transactional(TxType.NOT_SUPPORTED)
    public void create() {
        try (TubeConnection connection = factory.getConnection()) {
            ALL.forEach(connection::createTubeIfNotExists);
        }
    }

    /** Removes all tasks; a bean that works on one cannot commit its work then. */
    @Transactional(TxType.MANDATORY)
    public void truncate() {
        ALL.forEach(tube -> with(tube.name(), Tube::truncate));
    }

    /**
     * Waits for the end of a check; not in a transaction, which would keep a connection all the time.
     *
     * @return empty if it was not finished in that time
     * @throws TaskNotFoundException if there is no such check, or its result is not kept any more
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
