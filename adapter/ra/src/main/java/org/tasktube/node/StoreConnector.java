package org.tasktube.node;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.tasktube.AdapterState;
import org.tasktube.StoreException;
import org.tasktube.TaskFailure;
import org.tasktube.TaskTubeException;
import org.tasktube.store.Peer;
import org.tasktube.store.Pulse;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.Transition;
import org.tasktube.store.sql.OpenStore;
import org.tasktube.store.sql.Registry;

/**
 * Opens the store and registers this server in it. If the database has failed, or other servers took this one for dead,
 * it does so again. All this runs on the maintenance thread, except the methods that the {@link Heartbeat} calls. Only
 * the heartbeat decides whether the database is available.
 */
final class StoreConnector implements Heartbeat.Listener {

    private static final Duration FIRST_RETRY = Duration.ofMillis(250);
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(5);
    private static final int FAILURES_TO_REOPEN = 3;
    private static final Duration HEARTBEAT_PATIENCE = Duration.ofSeconds(10);
    private static final Duration LOOK_FOR_HEARTBEAT = Duration.ofMillis(2);
    private static final Duration LOOK_WHETHER_ENDING = Duration.ofMillis(500);
    private static final Duration LOCK_PATIENCE = Duration.ofSeconds(1);
    private static final Duration COUNT_PATIENCE = Duration.ofSeconds(1);

    private final NodeParts parts;
    private final StoreOpener opener;
    private final StoreAccess access;
    private final MaintenanceQueue queue;
    private final Heartbeat heartbeat;
    private final LostAnswers lostAnswers;
    private final DeadConnections deadConnections;
    private final LogThrottle throttle = new LogThrottle();
    private final CountDownLatch toEnd = new CountDownLatch(1);

    private volatile boolean away;

    /** The number that the database did not know at the last heartbeat, because other servers took this one for dead. */
    private volatile Heartbeat.Registration lost;

    private volatile Heartbeat.Registration registration;

    /** Whether a start of this run has come past the tasks of a former one in temporary tubes. */
    private boolean begunTemporary;

    /** The registration of the last heartbeat that the database answered. */
    private volatile Heartbeat.Registration confirmed;

    /** The last answer to a heartbeat that the maintenance thread has not followed yet. */
    private final AtomicReference<Confirmed> pulse = new AtomicReference<>();

    private volatile Consumer<Pulse> onPulse = answer -> {};
    private int failures;

    private record Confirmed(Heartbeat.Registration by, Pulse pulse) {}

    /** The first count of all tasks, which may end after the adapter is RUNNING. */
    private CompletableFuture<Void> count = CompletableFuture.completedFuture(null);

    StoreConnector(NodeParts parts, StoreOpener opener) {
        this.parts = parts;
        this.opener = opener;
        this.access = parts.access();
        this.queue = parts.queue();
        this.lostAnswers = new LostAnswers(queue, access, parts.directory(), parts.recount());
        this.deadConnections = new DeadConnections(queue, opener);
        this.heartbeat = new Heartbeat(parts.settings(), this);
    }

    Heartbeat heartbeat() {
        return heartbeat;
    }

    /** Sets what the maintenance thread does after each heartbeat. */
    void onPulse(Consumer<Pulse> action) {
        onPulse = action;
    }

    /** Ends attempts to open the store, and heartbeats. */
    void end() {
        toEnd.countDown();
        heartbeat.end();
    }

    /** Returns whether the store is open. */
    boolean isOpen() {
        return access.own() != null;
    }

    /** Returns whether the database fails, by the last heartbeat. */
    boolean isAway() {
        return away;
    }

    /**
     * Returns whether others took this server for dead, and it has no new number yet. What it does under the former one,
     * others undo.
     */
    boolean isTakenForDead() {
        Heartbeat.Registration former = lost;
        return former != null && former.equals(registration);
    }

    /** Returns this server's number in the database. */
    int number() {
        return registration.node();
    }

    /** Returns the registry on the maintenance thread's own connection. */
    Registry registry() {
        return access.own().registry();
    }

    // The store

    /** Tries until the store opens. Returns false if the adapter ends first. */
    boolean open() throws InterruptedException {
        Duration retry = FIRST_RETRY;
        String failure = "";
        while (!queue.isEnding()) {
            try {
                OpenStore store = opener.open(this::answerLost);
                access.enter(AdapterState.STARTUP, failure);
                Duration answer = max(parts.settings().nodeTimeout(), LONGEST_RETRY);
                access.own(store.onOwnConnection(LOCK_PATIENCE, answer));
                arrive(store);
                return true;
            } catch (StoreUnavailableException | RuntimeException | Error e) {
                access.close();
                failure = isAway(e);
                if (registration != null) {
                    deadConnections.found();
                }
                toEnd.await(retry.toNanos(), TimeUnit.NANOSECONDS);
                retry = min(retry.multipliedBy(2), LONGEST_RETRY);
            }
        }
        return false;
    }

    /** Enters WAITING, and returns the reason. */
    private String isAway(Throwable e) {
        boolean expected = e instanceof StoreUnavailableException || e instanceof TaskTubeException;
        String why = expected ? e.getMessage() : TaskFailure.summary(e);
        access.enter(AdapterState.WAITING, why);
        if (throttle.isNew(why)) {
            Log.LOG.storeUnavailable(why);
            if (!expected) {
                Log.LOG.maintenanceFailed(e);
            }
        }
        return why;
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static Duration max(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /**
     * Takes up work in an open store: other servers see this one from now on, and the tasks of its former run become
     * READY.
     */
    private void arrive(OpenStore store) {
        OpenStore own = access.own();
        int former = registration == null ? 0 : registration.node();
        boolean resumes = former != 0
                && own.registry().resumeNode(former, parts.settings().nodeName());
        if (!resumes) {
            register(store, former);
        } else {
            opened(store, former);
        }
        awaitHeartbeat();
        releaseFormer();
        registry().beginTemporary(parts.settings().nodeName(), !begunTemporary);
        own.temporary().complete();
        begunTemporary = true;
        parts.directory().read(own);
        parts.work().forget();
        count = parts.recount().first(store);
        awaitCount();
        // It is from before the release of this server's former run
        pulse.set(null);
        away = false;
        failures = 0;
        throttle.forget();
        access.enter(AdapterState.RUNNING, "");
        parts.deadlines().due(Duration.ZERO);
        Log.LOG.running(Version.ours(), parts.settings().nodeName(), number(), store.database());
    }

    /** Registers this server under a new number. */
    private void register(OpenStore store, int former) {
        parts.work().begin();
        opened(store, registry().registerNode(parts.settings().nodeName()));
        if (former != 0) {
            // A claim under the former number may end after the release of what that one held
            parts.claims().suspect();
            Log.LOG.takenForDead(parts.settings().nodeTimeout());
        }
    }

    private void opened(OpenStore store, int number) {
        access.opened(store, number);
        registration = new Heartbeat.Registration(store, number);
    }

    /** Releases what a former run or a former number of this server holds, and registers its sessions again. */
    private void releaseFormer() {
        DeadServers dead = parts.deadServers();
        dead.release(registry(), number(), dead.read(registry()), true);
        parts.holderCheck().check(registry(), number());
    }

    /** Waits for the first heartbeat, which thereby has its connection before applications can use up the pool. */
    private void awaitHeartbeat() {
        heartbeat.beatNow();
        Heartbeat.Registration awaited = registration;
        long end = System.nanoTime() + HEARTBEAT_PATIENCE.toNanos();
        while (!awaited.equals(confirmed) && !queue.isEnding()) {
            if (System.nanoTime() - end > 0) {
                throw new StoreException(
                        "the heartbeat had no answer within " + HEARTBEAT_PATIENCE.toSeconds()
                                + " s: its thread has not"
                                + " begun, or the datasource's pool has no connection for it; raise tasktube.threads,"
                                + " or the pool's size",
                        null);
            }
            LockSupport.parkNanos(LOOK_FOR_HEARTBEAT.toNanos());
        }
    }

    /** Waits for the count, but not for long: only statistics need it, and its connection may never get an answer. */
    private void awaitCount() {
        long end = System.nanoTime() + COUNT_PATIENCE.toNanos();
        while (!queue.isEnding()) {
            try {
                count.get(LOOK_WHETHER_ENDING.toMillis(), TimeUnit.MILLISECONDS);
                return;
            } catch (TimeoutException e) {
                if (System.nanoTime() - end > 0) {
                    Log.LOG.countsStill(COUNT_PATIENCE);
                    CompletableFuture<Void> unused = count.whenComplete((done, failure) -> countedLate(failure));
                    return;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                queue.end();
            } catch (ExecutionException e) {
                throw e.getCause() instanceof TaskTubeException cause ? cause : new IllegalStateException(e.getCause());
            }
        }
    }

    /** Counts again, because the late count may have begun to read long after its request. */
    private void countedLate(Throwable failure) {
        if (failure == null) {
            parts.recount().soon();
        } else {
            Log.LOG.backgroundWorkFailed(TaskFailure.summary(failure));
        }
    }

    /** Counts again if the count at the opening of the store failed. */
    void countIfFailed() {
        if (count.isCompletedExceptionally()) {
            count = parts.recount().first(registration.store());
        }
    }

    /**
     * Releases this server's tasks at the adapter's stop. If the datasource is gone by then, other servers release
     * them.
     */
    void leave() {
        Duration sessionTtr = parts.settings().sessionTtr();
        try {
            parts.effects().released(Transition.SERVER_END, registry().leave(number(), sessionTtr));
        } catch (TaskTubeException e) {
            Log.LOG.leftUnsaid(parts.settings().nodeTimeout(), e.getMessage());
        }
    }

    /** Called when a statement or a commit has failed as if its answer were lost. */
    void answerLost() {
        lostAnswers.add();
        // A commit may have made tasks TAKEN that no session knows
        parts.claims().suspect();
        heartbeat.beatNow();
    }

    // Results of heartbeats, on the heartbeat's thread

    @Override
    public Heartbeat.Registration registration() {
        return isOpen() ? registration : null;
    }

    @Override
    public String work() {
        return parts.work().line();
    }

    @Override
    public void answered(Heartbeat.Registration to, Pulse answer) {
        confirmed = to;
        if (away) {
            queue.execute(this::comeBack);
        } else if (!answer.known()) {
            takenForDead(to);
        } else {
            lost = null;
            if (pulse.getAndSet(new Confirmed(to, answer)) == null) {
                queue.execute(this::follow);
            }
        }
        lostAnswers.databaseAnswers();
    }

    @Override
    public void connectionLost() {
        deadConnections.found();
    }

    /** Compares the servers that the maintenance thread has read by itself. Returns whether this one is among them. */
    boolean isAmong(List<Peer> servers) {
        boolean there = servers.stream()
                .anyMatch(peer -> peer.node() == number()
                        && peer.name().equals(parts.settings().nodeName())
                        && !peer.dead());
        if (there) {
            lost = null;
        } else {
            takenForDead(registration);
        }
        return there;
    }

    private void follow() {
        Confirmed last = pulse.getAndSet(null);
        if (last != null && !away && isOpen() && last.by.equals(registration) && !isTakenForDead()) {
            onPulse.accept(last.pulse);
        }
    }

    @Override
    public void failed(Heartbeat.Registration from, String why) {
        away = true;
        if (!queue.isEnding()) {
            access.enter(AdapterState.WAITING, why);
            if (throttle.isNew(why)) {
                Log.LOG.storeFailed(why);
            }
            queue.execute(this::failedAgain);
        }
    }

    /** Resumes work on the same store: usually the database has kept everything, and Hibernate needs no new start. */
    private void comeBack() {
        if (away && isOpen()) {
            try {
                arrive(registration.store());
            } catch (RuntimeException e) {
                deadConnections.found();
                isAway(e);
                failedAgain();
            }
        }
    }

    /**
     * Closes the store after repeated failures, so that it is opened from scratch. The datasource may be another one by
     * now, or the tables may be gone.
     */
    private void failedAgain() {
        failures++;
        if (away && failures >= FAILURES_TO_REOPEN) {
            access.close();
        }
    }

    private void takenForDead(Heartbeat.Registration former) {
        lost = former;
        queue.executeFirst(() -> renumber(former));
    }

    /**
     * Starts over under a new number. What this server took under the former one is released, by whichever server is
     * the first: an ack of it fails, and the task comes again.
     */
    private void renumber(Heartbeat.Registration former) {
        if (!isOpen() || !former.equals(registration)) {
            return;
        }
        try {
            register(former.store(), former.node());
        } catch (StoreException e) {
            // The tables may be others by now
            access.close();
            throw e;
        }
        releaseFormer();
    }
}
