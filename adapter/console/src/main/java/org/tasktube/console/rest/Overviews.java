package org.tasktube.console.rest;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.AdapterState;
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

    /** Returns the overview in every state of the adapter. Without a running adapter its numbers are not known. */
    Views.Overview read() {
        try {
            return readRunning();
        } catch (AdapterNotRunningException e) {
            if (e.state() == AdapterState.RUNNING) {
                throw e;
            }
            return new Views.Overview(
                    Instant.now(),
                    new Views.Adapter(e.state().name(), Tubes.server()),
                    null,
                    List.of(Problems.ofAdapter(Tubes.server(), e.getMessage())),
                    List.of(),
                    List.of(),
                    null,
                    null);
        }
    }

    private Views.Overview readRunning() {
        List<TubeDetail> details = tubes.details();
        List<TubeStatistics> statistics =
                details.stream().map(TubeDetail::statistics).toList();
        ClusterWork work = tubes.with(connection -> Tubes.admin(connection).work());
        idle.look(statistics, work, System.nanoTime());
        List<Problems.Found> problems = new ArrayList<>(Problems.ofServers(work.dead()));
        problems.addAll(Problems.ofBeans(
                tubes.with(connection -> Tubes.admin(connection).beans())));
        problems.addAll(Problems.ofDatabase(
                tubes.with(connection -> Tubes.admin(connection).oldTransaction())));
        problems.addAll(Problems.ofTubes(statistics, work, idle));
        List<TubeRow> rows = tubes.rows(details);
        return new Views.Overview(
                Instant.now(),
                new Views.Adapter(AdapterState.RUNNING.name(), Tubes.server()),
                Views.Totals.of(rows),
                problems,
                rows,
                WorkView.rows(work),
                work.read(),
                work.interval());
    }
}
