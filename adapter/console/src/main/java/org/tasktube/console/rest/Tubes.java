package org.tasktube.console.rest;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.core.Response.Status;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.tasktube.StoreException;
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

    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory factory;

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
     * Does an act in a JTA transaction, together with its row in the audit: both, or neither. The histories of tasks keep
     * the user's name.
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

    private String by() {
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

    List<TubeRow> rows(List<TubeDetail> tubes) {
        Map<String, OldestReady> oldest = oldest();
        return tubes.stream()
                .map(tube -> TubeRow.of(
                        tube.definition(),
                        tube.statistics(),
                        oldest.get(tube.definition().name())))
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
