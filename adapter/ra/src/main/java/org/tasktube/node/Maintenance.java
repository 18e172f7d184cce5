package org.tasktube.node;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.AdapterState;
import org.tasktube.TaskTubeException;

/**
 * The thread that keeps a server going, and its schedule: opens the store, ends deadlines, polls for what other servers did,
 * releases what dead servers held, and runs what must not run in the caller's transaction. It has a connection of its own,
 * and waits a second for a lock at most. A piece of work that fails, whatever it throws, is logged and tried again at its
 * next time; only the {@link Heartbeat} decides whether the database is there.
 *
 * <p>Idle, it costs the database a poll per poll interval while somebody waits, two statements per heartbeat, a sweep each
 * few seconds, and a look at what is taken per minute; while there are other servers, a look at the tubes per heartbeat, and
 * a count of all tasks per minute.
 */
final class Maintenance implements Runnable {

    private static final Duration END_PATIENCE = Duration.ofSeconds(10);

    /** While other servers work on the same tubes, our counters of tasks by state drift from theirs. */
    private static final Duration RECOUNT = Duration.ofMinutes(1);

    /** A timer this late is not coming; the maintenance sweeps in its place. */
    private static final long TIMER_LOST = Duration.ofSeconds(1).toNanos();

    private final NodeParts parts;
    private final StoreConnector connector;
    private final MaintenanceQueue queue;
    private final ClusterPoll clusterPoll;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final LogThrottle told = new LogThrottle();
    private final Every housekeeping;
    private final Every poll;
    private final Every census = new Every(RECOUNT);

    Maintenance(NodeParts parts, StoreConnector connector) {
        this.parts = parts;
        this.connector = connector;
        this.queue = parts.queue();
        this.clusterPoll = new ClusterPoll(parts.access(), parts.directory());
        this.housekeeping = new Every(Heartbeat.interval(parts.settings().nodeTimeout()));
        this.poll = new Every(parts.settings().pollInterval());
    }

    void end() {
        queue.end();
        connector.end();
        if (queue.hasBegun()) {
            awaitEnd();
        }
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
                if (connector.open()) {
                    keepUp();
                }
            }
        } catch (InterruptedException e) {
            queue.end();
        } finally {
            connector.end();
            ended.countDown();
        }
    }

    /** Until the store has to be opened anew or the adapter ends. */
    private void keepUp() throws InterruptedException {
        try {
            while (!queue.isEnding() && connector.isOpen()) {
                Optional<Runnable> given = queue.next(untilNext());
                if (given.isPresent() && !queue.isEnding()) {
                    perform("what it was given", given.get());
                }
                if (!connector.isAway() && !queue.isEnding() && connector.isOpen()) {
                    doRegularWork();
                }
            }
            if (connector.isOpen()) {
                connector.leave();
            }
        } finally {
            parts.access().enter(queue.isEnding() ? AdapterState.ENDING : AdapterState.WAITING, "");
            parts.access().close();
        }
    }

    private long untilNext() {
        return Math.max(0, Math.min(housekeeping.left(), Math.min(poll.left(), census.left())));
    }

    private void doRegularWork() {
        if (housekeeping.isDue()) {
            keepHouse();
        }
        if (poll.isDue()) {
            perform("look for what other servers did", clusterPoll);
        }
        if (census.isDue()) {
            checkCustody();
            if (parts.deadServers().hasLivePeers()) {
                parts.recount().soon();
            } else {
                connector.countIfFailed();
            }
        }
        if (parts.deadlines().overdue() > TIMER_LOST) {
            perform("end deadlines", parts.sweeper()::sweep);
        }
    }

    private void keepHouse() {
        perform("release what dead servers held", () -> parts.deadServers()
                .release(connector.registry(), connector.number(), false));
        perform("end sessions", parts.effects()::expireSessions);
        if (parts.deadServers().hasLivePeers()) {
            perform("look for tubes that others created or dropped", () -> parts.directory()
                    .read(parts.access().own()));
        }
        if (parts.claims().isSuspicious()) {
            checkCustody();
        }
    }

    private void checkCustody() {
        perform("look for tasks without a holder", () -> parts.custody()
                .check(connector.registry(), connector.number()));
    }

    /** Logs what fails, and goes on: some of it comes from applications. */
    private void perform(String what, Runnable piece) {
        try {
            piece.run();
        } catch (AdapterNotRunningException e) {
            Log.LOG.leftForLater(what, e.getMessage());
        } catch (TaskTubeException e) {
            if (told.isNew(e.getMessage())) {
                Log.LOG.pieceFailed(what, e.getMessage());
            }
        } catch (Throwable e) {
            Log.LOG.maintenanceFailed(e);
        } finally {
            // Whoever ends this thread sets a flag of its own as well
            if (!queue.isEnding()) {
                Thread.interrupted();
            }
        }
    }

    /** Something that comes again and again, a little apart on each server. */
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
            long jitter = nanos / 10;
            next = System.nanoTime()
                    + nanos
                    - jitter
                    + ThreadLocalRandom.current().nextLong(2 * jitter + 1);
            return true;
        }
    }
}
