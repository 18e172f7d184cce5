package org.tasktube.console.rest;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.core.Response.Status;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.tasktube.StoreException;
import org.tasktube.TaskTubeException;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeModes;
import org.tasktube.TubeNotFoundException;
import org.tasktube.admin.OldestReady;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TubeDetail;
import org.tasktube.console.audit.Audit;
import org.tasktube.console.json.TubeRow;
import org.tasktube.console.metrics.Cached;
import org.tasktube.console.security.Caller;

/** The connections of the console: one per request, closed at its end. */
@ApplicationScoped
public class Tubes {

    private static final Logger LOG = Logger.getLogger("org.tasktube.console");

    @Resource(name = "tasktube")
    private TubeConnectionFactory factory;

    @SuppressWarnings("this-escape") // it is asked when all is injected
    private final Cached<Map<String, OldestReady>> oldest = new Cached<>(this::readOldest);

    @Inject
    private JtaWork transaction;

    @Inject
    private Audit audit;

    @Inject
    private Caller caller;

    <T> T with(Function<TubeConnection, T> work) {
        try (TubeConnection connection = factory.getConnection()) {
            return work.apply(connection);
        }
    }

    /**
     * Does an act in a JTA transaction, together with its row in the audit: both, or neither. The histories of tasks
     * keep the user's name.
     *
     * @param status the status of the answer if the act succeeds
     */
    <T> T change(Status status, Function<TubeConnection, T> act) {
        T result = transaction.run(() -> with(connection -> {
            T done = admin(connection).inNameOf(by(), () -> act.apply(connection));
            admin(connection).record(audit.act(status.getStatusCode()));
            return done;
        }));
        audit.recorded();
        return result;
    }

    /** Returns the name of the user, as far as the database keeps it. */
    String by() {
        String name = caller.name();
        return name.substring(0, Math.min(name.length(), TubeModes.MAX_MODE_TEXT));
    }

    static TaskAdmin admin(TubeConnection connection) {
        return connection.unwrap(TaskAdmin.class);
    }

    /** Returns all tubes, read without a change. */
    List<TubeRow> rows() {
        return rows(details());
    }

    List<TubeDetail> details() {
        return with(connection -> admin(connection).tubeDetails());
    }

    /** Returns all tubes; none if they cannot be read now. */
    List<TubeDetail> detailsIfRead() {
        try {
            return details();
        } catch (TaskTubeException e) {
            LOG.debug("The tubes could not be read", e);
            return List.of();
        }
    }

    List<TubeRow> rows(List<TubeDetail> tubes) {
        Map<String, OldestReady> oldest = oldest();
        return tubes.stream()
                .map(tube -> TubeRow.of(tube, oldest.get(tube.definition().name())))
                .toList();
    }

    TubeRow row(String name) {
        TubeDefinition.checkName(name);
        List<TubeDetail> found = details().stream()
                .filter(tube -> tube.definition().name().equals(name))
                .toList();
        if (found.isEmpty()) {
            throw new TubeNotFoundException(name);
        }
        return rows(found).get(0);
    }

    /**
     * Returns a tube after an act on it. The act has committed, so a read that fails now must not make it a failure.
     * The numbers are those of memory. If the oldest tasks cannot be read, the age is absent, and the state of the index is.
     */
    TubeRow changed(String name) {
        Optional<Map<String, OldestReady>> read = oldestIfRead();
        return with(connection -> {
            Tube tube = connection.tube(name);
            return TubeRow.of(
                    new TubeDetail(tube.definition(), tube.statistics(), OptionalInt.empty(), false),
                    read.map(all -> all.get(name)).orElse(null));
        });
    }

    private Optional<Map<String, OldestReady>> oldestIfRead() {
        try {
            return oldest.get();
        } catch (TaskTubeException e) {
            LOG.debug("The oldest tasks could not be read after an act", e);
            return Optional.empty();
        }
    }

    /** All callers share one read per second, because it costs some statements per tube. */
    private Map<String, OldestReady> oldest() {
        return oldest.get()
                .orElseThrow(() -> new StoreException(
                        "another request reads the oldest tasks, and has not ended in time; repeat the call"));
    }

    private Map<String, OldestReady> readOldest() {
        return with(connection -> admin(connection).oldestReady().stream()
                .collect(Collectors.toMap(OldestReady::tube, Function.identity())));
    }

    static String server() {
        return System.getProperty("jboss.node.name", "");
    }
}
