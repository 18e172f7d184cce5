package org.tasktube.console.rest;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.tasktube.AdapterState;
import org.tasktube.TubeConnection;
import org.tasktube.TubeStatistics;
import org.tasktube.admin.ClusterWork;
import org.tasktube.admin.TubeDetail;
import org.tasktube.console.json.TubeRow;
import org.tasktube.console.json.Views;
import org.tasktube.console.json.WorkView;
import org.tasktube.console.overview.Idle;
import org.tasktube.console.overview.Problems;

/** Reads the overview: all tubes, and what is wrong. */
@ApplicationScoped
public class Overviews {

    @Inject
    private Tubes tubes;

    @Inject
    private Idle idle;

    /** Returns the overview in every state of the adapter. Without a running adapter it has no tubes. */
    Views.Overview read() {
        AdapterState state = tubes.with(TubeConnection::state);
        List<Problems.Found> problems = new ArrayList<>(Problems.ofAdapter(state, Tubes.server()));
        List<TubeRow> rows = List.of();
        List<WorkView.Row> working = List.of();
        Instant measured = null;
        Duration interval = null;
        if (state == AdapterState.RUNNING) {
            List<TubeDetail> details = tubes.details();
            List<TubeStatistics> statistics =
                    details.stream().map(TubeDetail::statistics).toList();
            ClusterWork work = tubes.with(connection -> Tubes.admin(connection).work());
            idle.look(statistics, work, System.nanoTime());
            problems.addAll(Problems.ofServers(work.dead()));
            problems.addAll(Problems.ofDatabase(
                    tubes.with(connection -> Tubes.admin(connection).oldTransaction())));
            problems.addAll(Problems.ofTubes(statistics, work, idle));
            working = WorkView.rows(work);
            measured = work.read();
            interval = work.interval();
            rows = tubes.rows(details);
        }
        return new Views.Overview(
                Instant.now(),
                new Views.Adapter(state.name(), Tubes.server()),
                Views.Totals.of(rows),
                problems,
                rows,
                working,
                measured,
                interval);
    }
}
