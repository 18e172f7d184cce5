package org.tasktube.console.rest;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.core.Response.Status;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeNotFoundException;
import org.tasktube.admin.OldestReady;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.console.audit.Audit;
import org.tasktube.console.json.TubeRow;

/** The connections of the console: one per request, closed at its end. */
@ApplicationScoped
public class Tubes {

    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory factory;

    @Inject
    private JtaWork transaction;

    @Inject
    private Audit audit;

    <T> T with(Function<TubeConnection, T> work) {
        try (TubeConnection connection = factory.getConnection()) {
            return work.apply(connection);
        }
    }

    /**
     * Does an act in a JTA transaction, together with its row in the audit: both, or neither.
     *
     * @param status the status of the answer if the act succeeds
     */
    <T> T change(Status status, Function<TubeConnection, T> act) {
        T result = transaction.run(() -> with(connection -> {
            T done = act.apply(connection);
            admin(connection).record(audit.act(status.getStatusCode()));
            return done;
        }));
        audit.recorded();
        return result;
    }

    static TaskAdmin admin(TubeConnection connection) {
        return connection.unwrap(TaskAdmin.class);
    }

    /** Returns all tubes. A tube that is dropped during the call is left out. */
    static List<TubeRow> rows(TubeConnection connection) {
        Map<String, OldestReady> oldest = oldest(connection);
        return connection.tubes().stream()
                .flatMap(tube -> row(connection, tube, oldest.get(tube.name())).stream())
                .toList();
    }

    static TubeRow row(TubeConnection connection, String name) {
        TubeDefinition tube = connection.tube(name).definition();
        return row(connection, tube, oldest(connection).get(name)).orElseThrow(() -> new TubeNotFoundException(name));
    }

    private static Optional<TubeRow> row(TubeConnection connection, TubeDefinition tube, OldestReady oldest) {
        return connection.findTube(tube.name()).map(found -> TubeRow.of(tube, found.statistics(), oldest));
    }

    private static Map<String, OldestReady> oldest(TubeConnection connection) {
        return admin(connection).oldestReady().stream()
                .collect(Collectors.toMap(OldestReady::tube, Function.identity()));
    }

    static String server() {
        return System.getProperty("jboss.node.name", "");
    }
}
