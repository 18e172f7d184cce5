package org.tasktube.console.rest;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.tasktube.AdapterState;
import org.tasktube.TubeConnection;
import org.tasktube.TubeStatistics;
import org.tasktube.console.json.TubeRow;
import org.tasktube.console.json.Views;
import org.tasktube.console.overview.Idle;
import org.tasktube.console.overview.Problems;
import org.tasktube.console.security.Needs;
import org.tasktube.console.security.Right;

/** All tubes, and what is wrong. It answers in every state of the adapter. */
@Path("overview")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class OverviewResource {

    @Inject
    private Tubes tubes;

    @Inject
    private Idle idle;

    @GET
    @Needs(Right.VIEW)
    public Views.Overview overview() {
        return tubes.with(this::overview);
    }

    private Views.Overview overview(TubeConnection connection) {
        AdapterState state = connection.state();
        List<Problems.Found> problems = new ArrayList<>(Problems.ofAdapter(state, Tubes.server()));
        List<TubeRow> rows = List.of();
        if (state == AdapterState.RUNNING) {
            List<TubeStatistics> statistics = statistics(connection);
            idle.look(statistics, System.nanoTime());
            problems.addAll(Problems.ofTubes(statistics, idle));
            rows = Tubes.rows(connection);
        }
        return new Views.Overview(
                Instant.now(), new Views.Adapter(state.name(), Tubes.server()), Views.Totals.of(rows), problems, rows);
    }

    private static List<TubeStatistics> statistics(TubeConnection connection) {
        return connection.tubes().stream()
                .flatMap(tube -> connection.findTube(tube.name()).stream())
                .map(tube -> tube.statistics())
                .toList();
    }
}
