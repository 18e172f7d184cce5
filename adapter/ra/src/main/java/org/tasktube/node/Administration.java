package org.tasktube.node;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.tasktube.FailureGroup;
import org.tasktube.admin.Flow;
import org.tasktube.admin.OldestReady;
import org.tasktube.admin.ServerStatus;
import org.tasktube.admin.ServerTimings;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskFilter;
import org.tasktube.admin.TaskPage;
import org.tasktube.admin.WaitingTask;
import org.tasktube.store.OldestTask;
import org.tasktube.tube.Deadlines;

/** The administration of all tubes, each part by a class of its own. */
final class Administration implements TaskAdmin {

    private final StoreAccess access;
    private final AdminPermits permits = new AdminPermits();
    private final List<ActiveBean> beans = new CopyOnWriteArrayList<>();
    private final TaskSearch search;
    private final FailureReport failures;
    private final ServerReport servers;
    private final WaitingReport waiting;
    private final FlowReport flow;
    private final TimingsReport timings;

    Administration(
            StoreAccess access,
            MaintenanceCalls calls,
            Settings settings,
            Sessions sessions,
            TubeDirectory directory,
            Deadlines deadlines) {
        this.access = access;
        search = new TaskSearch(access, calls, settings, permits);
        failures = new FailureReport(access);
        servers = new ServerReport(access, calls, settings, sessions, beans);
        waiting = new WaitingReport(access, directory, settings.nodeName(), beans);
        flow = new FlowReport(access);
        timings = new TimingsReport(access, directory, deadlines);
    }

    /** Adds an active bean. The returned action removes it. */
    Runnable add(ActiveBean bean) {
        beans.add(bean);
        return () -> beans.remove(bean);
    }

    @Override
    public TaskPage search(TaskFilter filter, Optional<String> from, int limit) {
        return search.search(filter, from, limit);
    }

    @Override
    public List<FailureGroup> failures(int most) {
        if (most < 1 || most > MAX_PAGE) {
            throw new IllegalArgumentException("the number of kinds, " + most + ", is not from 1 to " + MAX_PAGE);
        }
        return permits.read(() -> failures.largest(most));
    }

    @Override
    public List<ServerStatus> servers() {
        return permits.read(servers::servers);
    }

    @Override
    public WaitingTask whyWaiting(String tube, long id) {
        return permits.read(() -> waiting.why(tube, id));
    }

    @Override
    public List<OldestReady> oldestReady() {
        return permits.read(() -> Stream.of(false, true)
                .flatMap(temporary -> access.tasks(temporary).reports().oldestReady(MAX_PRIORITIES).stream())
                .map(Administration::withAge)
                .sorted(Comparator.comparing(OldestReady::tube))
                .toList());
    }

    @Override
    public ServerTimings timings() {
        return timings.read();
    }

    @Override
    public Flow flow(Duration back) {
        int buckets = FlowReport.buckets(back);
        return permits.read(() -> flow.latest(buckets));
    }

    private static OldestReady withAge(OldestTask oldest) {
        Duration age = Duration.between(oldest.created(), oldest.now());
        return new OldestReady(oldest.tube(), oldest.id(), oldest.created(), age.isNegative() ? Duration.ZERO : age);
    }
}
