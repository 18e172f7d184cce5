package org.tasktube.node;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.tasktube.FailureGroup;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.OldestReady;
import org.tasktube.admin.ServerStatus;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskFilter;
import org.tasktube.admin.TaskHistory;
import org.tasktube.admin.TaskPage;
import org.tasktube.admin.TubeChange;
import org.tasktube.admin.WaitingTask;
import org.tasktube.store.InName;
import org.tasktube.store.OldestTask;

/** The administration of all tubes, each part by a class of its own. */
final class Administration implements TaskAdmin {

    private final StoreAccess access;
    private final AdminPermits permits = new AdminPermits();
    private final List<ActiveBean> beans = new CopyOnWriteArrayList<>();
    private final TaskSearch search;
    private final FailureReport failures;
    private final ServerReport servers;
    private final WaitingReport waiting;
    private final HistoryReport histories;

    Administration(
            StoreAccess access, MaintenanceCalls calls, Settings settings, Sessions sessions, TubeDirectory directory) {
        this.access = access;
        search = new TaskSearch(access, calls, settings, permits);
        failures = new FailureReport(access);
        servers = new ServerReport(access, calls, settings, sessions, beans);
        waiting = new WaitingReport(access, directory, settings.nodeName(), beans);
        histories = new HistoryReport(access, directory, settings);
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

    private static OldestReady withAge(OldestTask oldest) {
        Duration age = Duration.between(oldest.created(), oldest.now());
        return new OldestReady(oldest.tube(), oldest.id(), oldest.created(), age.isNegative() ? Duration.ZERO : age);
    }

    @Override
    public TaskHistory history(String tube, long id, Optional<String> from, int limit) {
        return permits.read(() -> histories.of(tube, id, from, limit));
    }

    @Override
    public TubeDefinition changeTube(String tube, TubeChange change) {
        return histories.change(tube, change);
    }

    @Override
    public <T> T inNameOf(String by, Supplier<T> calls) {
        return InName.of(HistoryReport.checkedName(by), calls);
    }
}
