package org.tasktube.queue;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.tasktube.AdapterState;
import org.tasktube.TaskTubeException;
import org.tasktube.TubeEvent;
import org.tasktube.store.OpenStore;
import org.tasktube.store.StoreUnavailableException;

/**
 * The one thread that keeps a server's queue going: opens the store and opens it again when it was away, tells the other
 * servers that this one is up, looks for tasks that they put, and runs what must not run in the caller's transaction.
 *
 * <p>Idle, it costs the database a poll each poll interval while somebody waits, two statements each heartbeat, and a
 * sweep each few seconds; and while there are other servers, a count of all tasks each minute.
 */
final class Upkeep implements Runnable, Executor {

    private static final int BEATS_IN_TIMEOUT = 5;
    private static final Duration FIRST_RETRY = Duration.ofMillis(250);
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(5);

    /** While other servers work on the same tubes, our counters of tasks by state drift from theirs. */
    private static final Duration RECOUNT = Duration.ofMinutes(1);

    /** A timer this late is not coming; the upkeep sweeps in its place. */
    private static final long TIMER_LOST = Duration.ofSeconds(1).toNanos();

    private final Queue queue;
    private final Queue.StoreOpener opener;
    private final BlockingQueue<Runnable> work = new LinkedBlockingQueue<>();
    private final CountDownLatch toEnd = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicBoolean suspected = new AtomicBoolean();
    private volatile boolean ending;
    private volatile boolean started;

    private OpenStore store;
    private int node;
    private final Every heartbeat;
    private final Every poll;
    private final Every recount = new Every(RECOUNT);

    Upkeep(Queue queue, Queue.StoreOpener opener) {
        this.queue = queue;
        this.opener = opener;
        this.heartbeat = new Every(queue.settings().nodeTimeout().dividedBy(BEATS_IN_TIMEOUT));
        this.poll = new Every(queue.settings().pollInterval());
    }

    /** Runs something on the upkeep thread, soon. */
    @Override
    public void execute(Runnable something) {
        if (!ending) {
            work.add(something);
        }
    }

    /** A statement failed as if the database were away or read-only: looks at once. */
    private void suspect() {
        if (suspected.compareAndSet(false, true)) {
            execute(() -> {
                suspected.set(false);
                beat();
            });
        }
    }

    void end() {
        ending = true;
        toEnd.countDown();
        work.add(() -> {});
        if (started) {
            awaitEnd();
        }
        queue.enter(AdapterState.ENDING);
    }

    private void awaitEnd() {
        try {
            if (!ended.await(10, TimeUnit.SECONDS)) {
                Log.LOG.upkeepDoesNotEnd();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void run() {
        started = true;
        try {
            queue.enter(AdapterState.STARTUP);
            while (!ending) {
                if (open()) {
                    keepUp();
                }
            }
        } finally {
            ended.countDown();
        }
    }

    /** Tries until the store opens; false if the adapter ended meanwhile. */
    private boolean open() {
        Duration retry = FIRST_RETRY;
        boolean told = false;
        while (!ending) {
            try {
                store = opener.open(this::suspect);
                queue.enter(AdapterState.STARTUP);
                if (node == 0 || !store.registry().seen(node)) {
                    node = store.registry().registerNode(queue.settings().nodeName());
                }
                queue.opened(store, node);
                releaseDead();
                queue.recount();
                queue.enter(AdapterState.RUNNING);
                Log.LOG.running(queue.settings().nodeName(), node);
                return true;
            } catch (StoreUnavailableException | TaskTubeException e) {
                closeStore();
                queue.enter(AdapterState.WAITING);
                if (!told) {
                    Log.LOG.storeUnavailable(e.getMessage());
                    told = true;
                }
                pause(retry);
                retry = min(retry.multipliedBy(2), LONGEST_RETRY);
            }
        }
        return false;
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** What was to be done waits too: the store will have to know it when it is back. */
    private void pause(Duration time) {
        try {
            toEnd.await(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            ending = true;
        }
    }

    /** Until the store fails or the adapter ends. */
    private void keepUp() {
        try {
            queue.sweep();
            while (!ending) {
                Runnable next = work.poll(untilNext(), TimeUnit.NANOSECONDS);
                if (next != null) {
                    perform(next);
                }
                doRegularWork();
            }
            leave();
        } catch (TaskTubeException e) {
            Log.LOG.storeFailed(e.getMessage());
        } catch (InterruptedException e) {
            ending = true;
        } finally {
            queue.enter(AdapterState.ENDING);
            closeStore();
            if (!ending) {
                queue.enter(AdapterState.WAITING);
            }
        }
    }

    /** What is done here comes from others, timers among them; none of it may end the upkeep but a failing store. */
    private static void perform(Runnable something) {
        try {
            something.run();
        } catch (TaskTubeException e) {
            throw e;
        } catch (RuntimeException e) {
            Log.LOG.upkeepFailed(e);
        }
    }

    /** At the stop of a server its datasource is gone before the adapter ends; others release what it held then. */
    private void leave() {
        try {
            queue.released(
                    TubeEvent.RELEASED_AT_START,
                    store.registry().leave(node, queue.settings().sessionTtr()));
        } catch (TaskTubeException e) {
            Log.LOG.leftUnsaid(queue.settings().nodeTimeout(), e.getMessage());
        }
    }

    private void closeStore() {
        if (store != null) {
            store.close();
            store = null;
        }
    }

    private long untilNext() {
        return Math.max(0, Math.min(heartbeat.left(), Math.min(poll.left(), recount.left())));
    }

    private void doRegularWork() {
        if (heartbeat.isDue()) {
            beat();
        }
        if (poll.isDue()) {
            lookForOthers();
        }
        if (recount.isDue() && store.registry().servers() > 1) {
            queue.recount();
        }
        if (queue.deadlines().overdue() > TIMER_LOST) {
            queue.sweep();
        }
    }

    private void beat() {
        if (!store.registry().seen(node)) {
            node = store.registry().registerNode(queue.settings().nodeName());
            queue.renumbered(node);
            Log.LOG.takenForDead(queue.settings().nodeTimeout());
        }
        releaseDead();
        queue.released(TubeEvent.RELEASED_BY_SESSION, store.registry().expireSessions());
    }

    /** A server of this name that missed two heartbeats is this one before it was killed; nobody else is waited for less. */
    private void releaseDead() {
        Duration timeout = queue.settings().nodeTimeout();
        Duration twoBeats = timeout.dividedBy(BEATS_IN_TIMEOUT).multipliedBy(2);
        queue.released(
                TubeEvent.RELEASED_AT_START,
                store.registry()
                        .releaseDead(
                                queue.settings().nodeName(),
                                twoBeats,
                                timeout,
                                queue.settings().sessionTtr()));
    }

    /** What other servers did that somebody here waits for. */
    private void lookForOthers() {
        wake(TubeQueue::line, ids -> store.tasks().readyTubes(ids));
        wake(TubeQueue::places, ids -> store.tasks().freeTubes(ids));
        queue.lookAtWatched();
    }

    private void wake(Function<TubeQueue, WaitLine> line, Function<Set<Integer>, Set<Integer>> look) {
        Map<Integer, TubeQueue> waitedFor = queue.known().stream()
                .filter(tube -> !tube.definition().temporary())
                .filter(tube -> line.apply(tube).length() > 0)
                .collect(Collectors.toMap(tube -> tube.stored().id(), Function.identity()));
        if (!waitedFor.isEmpty()) {
            look.apply(waitedFor.keySet())
                    .forEach(tube -> line.apply(waitedFor.get(tube)).wakeOneForMore());
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
