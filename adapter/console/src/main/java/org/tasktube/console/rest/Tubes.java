package org.tasktube.console.rest;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeModes;
import org.tasktube.TubeNotFoundException;
import org.tasktube.admin.OldestReady;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.console.json.TubeRow;
import org.tasktube.console.security.Caller;

/** The connections of the console: one per request, closed at its end. */
@ApplicationScoped
public class Tubes {

    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory factory;

    <T> T with(Function<TubeConnection, T> work) {
        try (TubeConnection connection = factory.getConnection()) {
            return work.apply(connection);
        }
    }

    /** Does work in the name of the user, which the histories of tasks keep. */
    <T> T as(Caller caller, Function<TubeConnection, T> work) {
        String name = caller.name();
        String by = name.substring(0, Math.min(name.length(), TubeModes.MAX_MODE_TEXT));
        return with(connection -> admin(connection).inNameOf(by, () -> work.apply(connection)));
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
