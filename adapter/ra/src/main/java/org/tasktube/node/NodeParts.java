package org.tasktube.node;

import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.tasktube.AdapterState;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transactions;
import org.tasktube.store.sql.Afters;
import org.tasktube.store.sql.TaskStore;
import org.tasktube.tube.Deadlines;
import org.tasktube.tube.News;
import org.tasktube.tube.TubeContext;
import org.tasktube.tube.TubeEngine;

/** The parts of a server, each created from those before it. Its tubes see the server through them. */
public record NodeParts(
        Settings settings,
        Transactions transactions,
        MaintenanceQueue queue,
        StoreAccess access,
        MaintenanceCalls calls,
        TubeDirectory directory,
        MaintenanceEffects effects,
        Deadlines deadlines,
        ClaimLedger claims,
        Sessions sessions,
        HolderCheck holderCheck,
        DeadServers deadServers,
        PeerNotices notices,
        Sweeper sweeper,
        ScheduleRunner schedules,
        Recount recount,
        FlowWriter flow,
        WorkOfServers work,
        Retention retention,
        SearchIndexes indexes,
        OldTransactions oldTransactions)
        implements TubeContext.Server {

    /**
     * Creates the parts.
     *
     * @param engines creates the engine of a tube that was not known
     */
    static NodeParts of(
            Settings settings,
            Transactions transactions,
            Deadlines deadlines,
            BackgroundThread background,
            ListenerThreads listenerThreads,
            Function<StoredTube, TubeEngine> engines) {
        MaintenanceQueue queue = new MaintenanceQueue();
        StoreAccess access = new StoreAccess(transactions, queue::isThisThread);
        MaintenanceCalls calls = new MaintenanceCalls(queue, access, transactions, MaintenanceCalls.PATIENCE);
        TubeDirectory directory = new TubeDirectory(access, calls, transactions, listenerThreads, engines);
        MaintenanceEffects effects = new MaintenanceEffects(access, queue, background, directory, listenerThreads);
        ClaimLedger claims = new ClaimLedger(System::nanoTime);
        Sessions sessions = new Sessions(
                settings.sessionTtr(), access, queue, calls, transactions, deadlines, directory, effects, claims);
        DeadServers deadServers = new DeadServers(settings, effects);
        ScheduleRunner schedules = new ScheduleRunner(access, directory, transactions, deadlines, effects);
        Recount recount = new Recount(access, directory, deadServers, background);
        return new NodeParts(
                settings,
                transactions,
                queue,
                access,
                calls,
                directory,
                effects,
                deadlines,
                claims,
                sessions,
                new HolderCheck(settings.sessionTtr(), sessions, claims, effects, recount),
                deadServers,
                new PeerNotices(
                        access, queue, () -> settings.notifies() && deadServers.hasLivePeers(), System::nanoTime),
                new Sweeper(access, deadlines, sessions, directory, effects, schedules),
                schedules,
                recount,
                new FlowWriter(access, directory, System::nanoTime),
                new WorkOfServers(directory, settings.heartbeat(), InstantSource.system()),
                new Retention(access, queue, settings.auditRetention()),
                new SearchIndexes(
                        access, directory, queue, settings.nodeTimeout().multipliedBy(2)),
                new OldTransactions());
    }

    /** Returns whether the statistics have the numbers of the database: no other server is up, and no count is due. */
    public boolean areNumbersExact() {
        return !deadServers.hasLivePeers() && !recount.isUncertain();
    }

    /** Has all tasks counted anew, soon: the statistics have other numbers than the tables. */
    public void countAnew() {
        recount.soon();
    }

    @Override
    public AdapterState state() {
        return access.state();
    }

    @Override
    public int number() {
        return access.number();
    }

    @Override
    public String name() {
        return settings.nodeName();
    }

    @Override
    public TaskStore tasks(StoredTube tube) {
        return access.tasks(tube);
    }

    @Override
    public Afters afters() {
        return access.afters();
    }

    @Override
    public void tell(StoredTube tube, News news) {
        notices.tell(tube.id(), news);
    }

    @Override
    public void executeIn(Duration delay, Runnable work) {
        queue.executeIn(delay, work);
    }

    @Override
    public <T> T outsideTransaction(Callable<T> work) {
        return calls.outsideTransaction(work);
    }

    @Override
    public boolean mayRunListeners() {
        return !effects.isForListenerThreads();
    }

    @Override
    public void apply(StoredTube tube, boolean listened, Runnable work) {
        effects.apply(tube, listened, work);
    }
}
