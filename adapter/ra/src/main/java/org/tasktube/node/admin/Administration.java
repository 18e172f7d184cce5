package org.tasktube.node.admin;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tasktube.FailureGroup;
import org.tasktube.Task;
import org.tasktube.TaskProgress;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeNotFoundException;
import org.tasktube.admin.AuditAct;
import org.tasktube.admin.AuditPage;
import org.tasktube.admin.AuditQuery;
import org.tasktube.admin.BeanStatus;
import org.tasktube.admin.ChangedTasks;
import org.tasktube.admin.ClusterWork;
import org.tasktube.admin.DeliveryLog;
import org.tasktube.admin.EditedTask;
import org.tasktube.admin.Flow;
import org.tasktube.admin.OldTransaction;
import org.tasktube.admin.OldestReady;
import org.tasktube.admin.Operation;
import org.tasktube.admin.OperationAct;
import org.tasktube.admin.OperationPreview;
import org.tasktube.admin.OperationSize;
import org.tasktube.admin.ScheduleStatus;
import org.tasktube.admin.ServerStatus;
import org.tasktube.admin.ServerTimings;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskDetail;
import org.tasktube.admin.TaskFilter;
import org.tasktube.admin.TaskHistory;
import org.tasktube.admin.TaskPage;
import org.tasktube.admin.TaskRelations;
import org.tasktube.admin.TubeChange;
import org.tasktube.admin.TubeDetail;
import org.tasktube.admin.TubeWork.Beans;
import org.tasktube.admin.UserLogin;
import org.tasktube.admin.WaitingTask;
import org.tasktube.node.ActiveBean;
import org.tasktube.node.NodeAdmin;
import org.tasktube.node.NodeParts;
import org.tasktube.node.OldTransactions;
import org.tasktube.node.ScheduleRunner;
import org.tasktube.node.SearchIndexes;
import org.tasktube.node.Settings;
import org.tasktube.node.StoreAccess;
import org.tasktube.node.TubeDirectory;
import org.tasktube.node.WorkOfServers;
import org.tasktube.store.InName;
import org.tasktube.store.OldestTask;
import org.tasktube.store.Transactions;
import org.tasktube.tube.Edits;
import org.tasktube.tube.TubeEngine;

/** The administration of all tubes, each part by a class of its own. */
public final class Administration implements TaskAdmin, NodeAdmin {

    private final StoreAccess access;
    private final TubeDirectory directory;
    private final Transactions transactions;
    private final AdminPermits permits = new AdminPermits();
    private final List<ActiveBean> beans = new CopyOnWriteArrayList<>();
    private final TaskSearch search;
    private final FailureReport failures;
    private final ServerReport servers;
    private final WaitingReport waiting;
    private final FlowReport flow;
    private final TimingsReport timings;
    private final WorkOfServers work;
    private final OldTransactions oldTransactions;
    private final AuditCalls audit;
    private final TubeReads tubes;
    private final OperationDesk operations;
    private final OperationRunner runner;
    private final HistoryReport histories;
    private final SearchIndexes indexes;
    private final ScheduleRunner schedules;
    private final String nodeName;
    private final int maxDataSize;

    /**
     * Creates the administration.
     *
     * @param background runs work that may wait, one piece after the other
     */
    public Administration(NodeParts parts, Executor background) {
        Settings settings = parts.settings();
        access = parts.access();
        directory = parts.directory();
        transactions = parts.transactions();
        nodeName = settings.nodeName();
        maxDataSize = settings.maxDataSize();
        search = new TaskSearch(access, permits);
        failures = new FailureReport(access);
        servers = new ServerReport(access, parts.calls(), settings, parts.sessions(), parts.work(), beans);
        tubes = new TubeReads(access, directory);
        waiting = new WaitingReport(access, tubes, settings.nodeName(), beans);
        histories = new HistoryReport(access, directory);
        indexes = parts.indexes();
        schedules = parts.schedules();
        flow = new FlowReport(access);
        timings = new TimingsReport(access, directory, parts.deadlines());
        audit = new AuditCalls(access, settings, permits);
        work = parts.work();
        oldTransactions = parts.oldTransactions();
        work.beans(this::workOfBeans);
        runner = new OperationRunner(parts, background);
        TubeCounts counts = new TubeCounts(access, directory, parts::areNumbersExact, parts::countAnew);
        operations = new OperationDesk(access, counts, permits, () -> transactions.afterCommit(runner::soon));
    }

    @Override
    public TaskAdmin calls() {
        return this;
    }

    @Override
    public void runOperations() {
        runner.soon();
    }

    @Override
    public Runnable add(ActiveBean bean) {
        beans.add(bean);
        return () -> beans.remove(bean);
    }

    @Override
    public Map<String, Long> beansByTube() {
        return consumers().collect(Collectors.groupingBy(ActiveBean::tube, Collectors.counting()));
    }

    private Stream<ActiveBean> consumers() {
        return beans.stream().filter(bean -> !bean.tube().isEmpty());
    }

    private Map<String, Beans> workOfBeans() {
        return consumers()
                .map(ActiveBean::status)
                .collect(Collectors.toMap(
                        BeanStatus::tube, bean -> new Beans(1, bean.limit(), bean.busy()), Beans::plus));
    }

    @Override
    public TaskPage search(TaskFilter filter, Optional<String> from, int limit) {
        return search.search(filter, from, limit);
    }

    @Override
    public List<TubeDetail> tubeDetails() {
        return permits.read(tubes::tubes);
    }

    @Override
    public TaskDetail task(String tube, long id) {
        return permits.read(() -> tubes.task(tube, id));
    }

    @Override
    public List<FailureGroup> failures(int most) {
        if (most < 1 || most > MAX_PAGE) {
            throw new IllegalArgumentException("the number of kinds, " + most + ", is not from 1 to " + MAX_PAGE);
        }
        return permits.search(() -> failures.largest(most));
    }

    @Override
    public List<ServerStatus> servers() {
        return permits.read(servers::servers);
    }

    @Override
    public List<BeanStatus> beans() {
        return servers.ofThis();
    }

    @Override
    public boolean dismissServer(int number) {
        return permits.read(() -> servers.dismiss(number));
    }

    @Override
    public TaskRelations relations(String tube, long id) {
        return permits.read(() -> waiting.relations(tube, id));
    }

    @Override
    public Map<Long, TaskProgress> progress(Collection<Long> ids) {
        if (ids.size() > MAX_PAGE) {
            throw new IllegalArgumentException(
                    "the progress of " + ids.size() + " tasks was asked for; ask for at most " + MAX_PAGE);
        }
        return permits.read(() -> access.progress().of(ids));
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
    public ClusterWork work() {
        access.store();
        return work.work();
    }

    @Override
    public Optional<OldTransaction> oldTransaction() {
        access.store();
        return oldTransactions.last();
    }

    @Override
    public ServerTimings timings() {
        return timings.read();
    }

    @Override
    public int maxDataSize() {
        return maxDataSize;
    }

    @Override
    public Flow flow(Duration back) {
        int buckets = FlowReport.buckets(back);
        return permits.read(() -> flow.latest(buckets));
    }

    @Override
    public Task retryEdited(String tube, long id, EditedTask edited) {
        TubeEngine engine = directory.find(tube).orElseThrow(() -> new TubeNotFoundException(tube));
        return new Edits(engine, transactions).retry(id, edited);
    }

    @Override
    public void record(AuditAct act) {
        audit.record(act);
    }

    @Override
    public AuditPage audit(AuditQuery query, OptionalLong from, int limit) {
        return audit.page(query, from, limit);
    }

    @Override
    public OperationPreview previewOperation(OperationAct act, TaskFilter filter) {
        return operations.preview(act, filter);
    }

    @Override
    public Operation startOperation(
            OperationAct act, TaskFilter filter, String by, String reason, OperationSize confirmed) {
        return operations.start(act, filter, by, reason, confirmed);
    }

    @Override
    public List<Operation> operations(Optional<Long> before, int limit) {
        return operations.page(before, limit);
    }

    @Override
    public Operation operation(long id) {
        return operations.get(id);
    }

    @Override
    public List<ChangedTasks> changedTasks(long operation, long after, int limit) {
        return operations.changed(operation, after, limit);
    }

    @Override
    public Operation cancelOperation(long id, String by, String reason) {
        return operations.cancel(id, by, reason);
    }

    @Override
    public List<ScheduleStatus> schedules() {
        return permits.read(schedules::all);
    }

    @Override
    public Task runSchedule(String name) {
        return schedules.runNow(name);
    }

    @Override
    public void pauseSchedule(String name, String by, String reason) {
        schedules.pause(name, by, reason);
    }

    @Override
    public void resumeSchedule(String name) {
        schedules.resume(name);
    }

    @Override
    public List<DeliveryLog> deliveryLogs(String tube, long task) {
        return permits.read(() -> access.deliveryLogs().of(tubes.tube(tube).stored(), task));
    }

    @Override
    public void addLogin(String key, String user, String address) {
        if (key.length() != UserLogin.KEY_LENGTH) {
            throw new IllegalArgumentException("the key of a login has " + key.length() + " characters; it takes "
                    + UserLogin.KEY_LENGTH + ", which are the SHA-256 of the secret");
        }
        access.logins().add(key, user, address, nodeName);
    }

    @Override
    public Optional<UserLogin> useLogin(String key) {
        return access.logins().use(key, nodeName);
    }

    @Override
    public boolean endLogin(String key) {
        return access.logins().end(key);
    }

    @Override
    public List<UserLogin> logins() {
        return permits.read(() -> access.logins().all());
    }

    private static OldestReady withAge(OldestTask oldest) {
        Duration age = Duration.between(oldest.created(), oldest.now());
        return new OldestReady(oldest.tube(), oldest.id(), oldest.created(), age.isNegative() ? Duration.ZERO : age);
    }

    @Override
    public TaskHistory history(String tube, long id, Optional<String> from, int limit) {
        return permits.search(() -> histories.of(tube, id, from, limit));
    }

    @Override
    public TubeDefinition changeTube(String tube, TubeChange change) {
        TubeDefinition changed = histories.change(tube, change);
        if (change.searchable().isPresent()) {
            transactions.afterCommit(indexes::soon);
        }
        return changed;
    }

    @Override
    public <T> T inNameOf(String by, Supplier<T> calls) {
        return InName.of(HistoryReport.checkedName(by), calls);
    }
}
