package org.tasktube.node;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.AdapterState;
import org.tasktube.TaskTubeException;
import org.tasktube.store.Peer;
import org.tasktube.store.Pulse;
import org.tasktube.store.RegistryNews;
import org.tasktube.tube.Deadlines;

/**
 * The thread that keeps a server going, and its schedule. It opens the store, applies expired deadlines, polls for
 * changes of other servers, and releases the tasks of dead servers. It also runs work that must not run in the caller's
 * transaction. It has a connection of its own, and waits at most one second for a lock. If a piece of work fails, the
 * failure is logged and the work is repeated at its next time. Only the {@link Heartbeat} decides whether the database
 * is available.
 *
 * <p>An idle server costs the database one statement per {@link Heartbeat}, one for the news of tubes and sessions
 * unless a poll has brought them, and one sweep each few seconds. Per minute it costs one query of the TAKEN tasks, three
 * of the kinds of failures, one of the audit, two of the operations, one of the histories of tasks, one of the
 * logs of deliveries, and one of the
 * indexes of searchable fields. Each tube with a history or with such fields costs some more. A server that works also writes its flow of tasks with each heartbeat. While consumers wait, it
 * costs one poll per poll interval. With other servers, it also costs a notice per 10 s, and a count of all tasks per
 * minute. If tasks wait for others, it also costs four queries of all of these per minute, and two otherwise.
 */
final class Maintenance implements Runnable {

    /** The pause after a failure of which even the log has failed. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private static final Duration END_PATIENCE = Duration.ofSeconds(10);

    /** The interval of counts beside other servers: what one does in its last heartbeats, for instance, it tells nobody. */
    private static final Duration RECOUNT = Duration.ofMinutes(1);

    /** The interval at which a server that is alone looks for negative numbers. */
    private static final Duration NEGATIVE = Duration.ofSeconds(5);

    /** The heartbeats without an answer after which the maintenance reads by itself what the answer says. */
    private static final int BEATS_WITHOUT_ANSWER = 2;

    /** The delay after which a timer counts as lost. The maintenance then sweeps in its place. */
    private static final long TIMER_LOST = Duration.ofSeconds(1).toNanos();

    private final NodeParts parts;
    private final StoreConnector connector;
    private final MaintenanceQueue queue;
    private final ClusterPoll clusterPoll;
    private final NoticeListener noticeListener;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final LogThrottle throttle = new LogThrottle();
    private final Map<String, Runnable> eachMinute = new LinkedHashMap<>();

    /** The text of the last {@link RegistryNews} by which all tubes were read. */
    private String tubes = "";

    /** Whether news have come since the last heartbeat. */
    private boolean hasNews;

    private final Every housekeeping;
    private final Every poll;
    private final Every recount = new Every(RECOUNT);
    private final Every negative = new Every(NEGATIVE);

    Maintenance(NodeParts parts, StoreConnector connector) {
        this.parts = parts;
        this.connector = connector;
        this.queue = parts.queue();
        this.clusterPoll =
                new ClusterPoll(parts.access(), parts.directory(), parts.deadServers()::hasLivePeers, this::follow);
        this.noticeListener =
                new NoticeListener(parts.access(), parts.directory(), parts.notices(), () -> clusterPoll.soon(queue));
        this.housekeeping = new Every(parts.settings().heartbeat().multipliedBy(BEATS_WITHOUT_ANSWER));
        connector.onPulse(this::keepHouse);
        this.poll = new Every(parts.settings().pollInterval());
    }

    /** Adds an action for each minute, and for each time that the store was opened. Called before the thread begins. */
    void eachMinute(String what, Runnable action) {
        eachMinute.put(what, action);
    }

    /** Returns the thread that hears other servers. It ends with this one. */
    Runnable noticeListener() {
        return noticeListener;
    }

    void end() {
        noticeListener.end();
        queue.end();
        connector.end();
        if (queue.hasBegun()) {
            awaitEnd();
        }
        noticeListener.awaitEnd();
        parts.access().enter(AdapterState.ENDING, "");
    }

    private void awaitEnd() {
        try {
            if (!ended.await(END_PATIENCE.toNanos(), TimeUnit.NANOSECONDS)) {
                Log.LOG.maintenanceDoesNotEnd();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void run() {
        queue.begin();
        try {
            parts.access().enter(AdapterState.STARTUP, "");
            while (!queue.isEnding()) {
                openAndKeepUp();
            }
        } catch (InterruptedException e) {
            queue.end();
        } finally {
            connector.end();
            ended.countDown();
        }
    }

    private void openAndKeepUp() throws InterruptedException {
        try {
            if (connector.open()) {
                keepUp();
            }
        } catch (RuntimeException | Error e) {
            ThreadFailure.after(e, PAUSE);
        }
    }

    /** Works until the store must be opened again or the adapter ends. */
    private void keepUp() throws InterruptedException {
        try {
            eachMinute.forEach(this::perform);
            while (!queue.isEnding() && connector.isOpen()) {
                Optional<Runnable> given = queue.next(untilNext());
                if (given.isPresent() && !queue.isEnding()) {
                    perform("what it was given", given.get());
                }
                if (!connector.isAway() && !queue.isEnding() && connector.isOpen()) {
                    doRegularWork();
                }
            }
            if (connector.isOpen() && !connector.isAway()) {
                parts.flow().writeLast();
            }
            if (connector.isOpen()) {
                connector.leave();
            }
        } finally {
            parts.access().enter(queue.isEnding() ? AdapterState.ENDING : AdapterState.WAITING, "");
            parts.access().close();
        }
    }

    /** While the database is away, the heartbeats say when there is something to do. */
    private long untilNext() {
        if (connector.isAway()) {
            return Deadlines.LONGEST_SLEEP.toNanos();
        }
        if (connector.isTakenForDead()) {
            return Math.max(0, housekeeping.left());
        }
        if (parts.sweeper().isBehind()) {
            return 0;
        }
        return Math.max(0, Math.min(housekeeping.left(), Math.min(poll.left(), recount.left())));
    }

    private void doRegularWork() {
        if (housekeeping.isDue()) {
            readAndKeepHouse();
        }
        if (connector.isTakenForDead()) {
            return;
        }
        if (poll.isDue()) {
            perform("look for what other servers did", clusterPoll);
        }
        if (recount.isDue()) {
            checkHolders();
            perform("end the sessions of servers that are gone", () -> parts.deadServers()
                    .releaseLeft(connector.registry()));
            perform(
                    "check the kinds of failures",
                    () -> parts.access().store().tasks().checkFailureKinds());
            eachMinute.forEach(this::perform);
            perform("remove what is older than its retention", parts.retention());
            perform("keep the search indexes", parts.indexes());
            perform("look for old transactions", () -> parts.oldTransactions().look(connector.registry()));
            if (parts.deadServers().hasLivePeers() || parts.recount().isUncertain()) {
                parts.recount().regularly();
            } else {
                connector.countIfFailed();
            }
        }
        if (negative.isDue()) {
            parts.recount().ifNegative();
        }
        if (parts.sweeper().isBehind() || parts.deadlines().overdue() > TIMER_LOST) {
            perform("end deadlines", parts.sweeper()::sweep);
        }
    }

    /** Does what is due with each heartbeat. */
    private void keepHouse(Pulse pulse) {
        housekeeping.restart();
        perform("see the work of all servers", () -> {
            parts.recount().told(parts.work().read(pulse, connector.number()));
            parts.work().prepare();
        });
        perform("release what dead servers held", () -> parts.deadServers()
                .release(connector.registry(), connector.number(), pulse.servers(), false));
        if (!hasNews) {
            perform(
                    "look for tubes that others created or dropped, and for sessions that are over",
                    () -> follow(connector.registry().news()));
        }
        hasNews = false;
        perform("write the flow of tasks", parts.flow());
        perform("probe the notices", parts.notices()::probe);
        if (parts.claims().isSuspicious()) {
            checkHolders();
        }
    }

    /** Does what the news ask for, which is nothing most of the time. A poll brings them as well. */
    private void follow(RegistryNews news) {
        hasNews = true;
        if (news.sessionsOver()) {
            perform("end sessions", parts.effects()::expireSessions);
        }
        if (parts.deadServers().hasLivePeers()
                && (!news.tubes().equals(tubes) || parts.directory().hasLearned())) {
            perform("look for tubes that others created or dropped", () -> {
                parts.directory().read(parts.access().own());
                tubes = news.tubes();
            });
        }
    }

    /** Heartbeats have no answer, but this thread may have a connection that works. */
    private void readAndKeepHouse() {
        perform("find other servers", () -> {
            List<Peer> servers = parts.deadServers().read(connector.registry());
            if (connector.isAmong(servers)) {
                keepHouse(new Pulse(true, servers, parts.work().dead()));
            }
        });
    }

    private void checkHolders() {
        perform("look for tasks without a holder", () -> parts.holderCheck()
                .check(connector.registry(), connector.number()));
    }

    /** Runs a piece of work, and logs its failure. Some work calls code of applications. */
    private void perform(String what, Runnable piece) {
        try {
            piece.run();
        } catch (AdapterNotRunningException e) {
            Log.LOG.leftForLater(what, e.getMessage());
        } catch (TaskTubeException e) {
            if (throttle.isNew(e.getMessage())) {
                Log.LOG.pieceFailed(what, e.getMessage());
            }
        } catch (Throwable e) {
            Log.LOG.maintenanceFailed(e);
        } finally {
            // A request to end this thread also sets a flag, so the interrupt alone means nothing
            if (!queue.isEnding()) {
                Thread.interrupted();
            }
        }
    }

    /** A recurring time, slightly different on each server. */
    private static final class Every {

        private final long nanos;
        private long next;

        Every(Duration interval) {
            this.nanos = interval.toNanos();
            this.next = System.nanoTime() + nanos;
        }

        long left() {
            return next - System.nanoTime();
        }

        boolean isDue() {
            if (left() > 0) {
                return false;
            }
            restart();
            return true;
        }

        void restart() {
            long jitter = nanos / 10;
            next = System.nanoTime()
                    + nanos
                    - jitter
                    + ThreadLocalRandom.current().nextLong(2 * jitter + 1);
        }
    }
}
