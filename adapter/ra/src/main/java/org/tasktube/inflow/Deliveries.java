package org.tasktube.inflow;

import jakarta.resource.spi.UnavailableException;
import jakarta.resource.spi.endpoint.MessageEndpoint;
import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import jakarta.resource.spi.work.WorkException;
import jakarta.resource.spi.work.WorkManager;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.TaskTubeException;
import org.tasktube.jca.LongRunning;
import org.tasktube.queue.Client;
import org.tasktube.queue.TubeQueue;

/**
 * The tasks that an activation has claimed, and the threads that hand them to the bean: up to {@code maxSession}, as many
 * as there is work for, each with an endpoint of its own.
 *
 * <p>A quick bean has tasks claimed for it ahead, so that it does not wait for the claim, and the claim is shared by many;
 * a slow one has none, so that others may take them.
 */
final class Deliveries {

    /** How much work may be claimed ahead of the bean, by how long it will take to get to it. */
    private static final Duration AHEAD = Duration.ofMillis(20);

    private static final int MOST_AHEAD = 128;

    /** What was claimed ahead and not begun by then is given back: the bean has become slow, and others may be idle. */
    private static final Duration LONGEST_AHEAD = Duration.ofMillis(500);

    /** A thread without work stays that long, so that bursts do not ask the server for threads again and again. */
    private static final Duration LINGER = Duration.ofSeconds(2);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private final DeliveryPolicy policy;
    private final MessageEndpointFactory endpoints;
    private final WorkManager workManager;
    private final Delivery delivery;
    private final Client client;
    private final Runnable wakeClaimer;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final Condition room = lock.newCondition();
    private final Deque<Claimed> waiting = new ArrayDeque<>();
    private final Deque<Runnable> unsettled = new ArrayDeque<>();
    private int busy;
    private int threads;
    private boolean ending;
    private double meanNanos = AHEAD.toNanos();
    private Duration pause = Duration.ZERO;
    private long pausedUntil;

    Deliveries(
            DeliveryPolicy policy,
            MessageEndpointFactory endpoints,
            WorkManager workManager,
            Delivery delivery,
            Client client,
            Runnable wakeClaimer) {
        this.policy = policy;
        this.endpoints = endpoints;
        this.workManager = workManager;
        this.delivery = delivery;
        this.client = client;
        this.wakeClaimer = wakeClaimer;
    }

    private record Claimed(TubeQueue tube, Task task, long at) {}

    // For the claimer

    /** Waits until tasks can be used and says how many; 0 if there is something else to do first. */
    int awaitRoom() throws InterruptedException {
        lock.lock();
        try {
            while (!ending && unsettled.isEmpty()) {
                if (untilStale() <= 0) {
                    giveBackStale();
                } else if (isThereRoom()) {
                    return policy.maxSession() - busy + ahead() - waiting.size();
                } else {
                    room.awaitNanos(Math.min(untilStale(), untilPauseEnds()));
                }
            }
            return 0;
        } finally {
            lock.unlock();
        }
    }

    private boolean isThereRoom() {
        if (pausedUntil - System.nanoTime() > 0) {
            return false;
        }
        int ahead = ahead();
        return waiting.isEmpty() ? busy < policy.maxSession() || ahead > 0 : waiting.size() <= ahead / 2;
    }

    private long untilPauseEnds() {
        long left = pausedUntil - System.nanoTime();
        return left > 0 ? left : Long.MAX_VALUE;
    }

    /** How long until what waits must be given back, in nanoseconds. */
    long untilStale() {
        lock.lock();
        try {
            return waiting.isEmpty()
                    ? Long.MAX_VALUE
                    : waiting.getFirst().at + LONGEST_AHEAD.toNanos() - System.nanoTime();
        } finally {
            lock.unlock();
        }
    }

    private void giveBackStale() {
        meanNanos = Math.max(meanNanos, policy.maxSession() * AHEAD.toNanos() * 2.0);
        List<Claimed> stale = new ArrayList<>(waiting);
        waiting.clear();
        unsettled.addLast(() -> giveBack(stale));
    }

    private int ahead() {
        return (int) Math.min(MOST_AHEAD, policy.maxSession() * AHEAD.toNanos() / meanNanos);
    }

    void add(TubeQueue tube, List<Task> tasks) {
        lock.lock();
        try {
            long now = System.nanoTime();
            tasks.forEach(task -> waiting.addLast(new Claimed(tube, task, now)));
            int wanted = Math.min(policy.maxSession(), busy + waiting.size());
            while (threads < wanted && startThread()) {
                threads++;
            }
            work.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private boolean startThread() {
        try {
            workManager.scheduleWork(new LongRunning(new Loop()));
            return true;
        } catch (WorkException e) {
            Log.LOG.noThread(policy.tube(), String.valueOf(e.getMessage()));
            if (threads == 0) {
                pause();
                List<Claimed> all = new ArrayList<>(waiting);
                waiting.clear();
                unsettled.addLast(() -> giveBack(all));
            }
            return false;
        }
    }

    /** Does what the database did not let be done before. */
    void settle() {
        Runnable next = firstUnsettled();
        while (next != null) {
            next.run();
            settled(next);
            next = firstUnsettled();
        }
    }

    private Runnable firstUnsettled() {
        lock.lock();
        try {
            return unsettled.peekFirst();
        } finally {
            lock.unlock();
        }
    }

    private void settled(Runnable done) {
        lock.lock();
        try {
            unsettled.remove(done);
        } finally {
            lock.unlock();
        }
    }

    /** Nothing new begins. */
    void end() {
        lock.lock();
        try {
            ending = true;
            work.signalAll();
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until what was begun has ended. */
    void awaitEnd() throws InterruptedException {
        lock.lock();
        try {
            while (threads > 0) {
                room.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Gives back what was claimed and not begun. */
    void giveBackRest() {
        List<Claimed> rest;
        lock.lock();
        try {
            rest = new ArrayList<>(waiting);
            waiting.clear();
        } finally {
            lock.unlock();
        }
        giveBack(rest);
    }

    private void giveBack(List<Claimed> claimed) {
        Map<TubeQueue, List<Task>> byTube = claimed.stream()
                .collect(Collectors.groupingBy(Claimed::tube, Collectors.mapping(Claimed::task, Collectors.toList())));
        byTube.forEach((tube, tasks) -> tube.giveBack(client, tasks));
    }

    // For the threads

    private final class Loop implements Runnable {

        private MessageEndpoint endpoint;

        @Override
        public void run() {
            try {
                for (Claimed next = next(); next != null; next = next()) {
                    long start = System.nanoTime();
                    handle(next);
                    done(System.nanoTime() - start);
                }
            } finally {
                releaseEndpoint();
                gone();
            }
        }

        private void handle(Claimed claimed) {
            if (policy.isOver(claimed.task.attempts())) {
                failed(
                        claimed,
                        new Exception("it was taken " + claimed.task.attempts()
                                + " times: each holder died, or ran out of the ttr"));
                return;
            }
            try {
                if (endpoint == null) {
                    endpoint = endpoints.createEndpoint(null);
                }
            } catch (UnavailableException e) {
                unavailable(claimed, e);
                return;
            }
            Optional<Throwable> failure = delivery.deliver(endpoint, claimed.tube, claimed.task);
            if (failure.isEmpty()) {
                resume();
            } else {
                // The container may have thrown away the bean behind it
                releaseEndpoint();
                judge(claimed, failure.get());
            }
        }

        private void releaseEndpoint() {
            if (endpoint != null) {
                endpoint.release();
                endpoint = null;
            }
        }
    }

    private Claimed next() {
        lock.lock();
        try {
            long left = LINGER.toNanos();
            while (!ending && waiting.isEmpty() && left > 0) {
                left = work.awaitNanos(left);
            }
            if (ending || waiting.isEmpty()) {
                return null;
            }
            busy++;
            Claimed next = waiting.removeFirst();
            if (isThereRoom()) {
                room.signal();
            }
            return next;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        } finally {
            lock.unlock();
        }
    }

    private void done(long nanos) {
        lock.lock();
        try {
            busy--;
            meanNanos += (nanos - meanNanos) / 16;
            if (isThereRoom()) {
                room.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    private void gone() {
        lock.lock();
        try {
            threads--;
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void judge(Claimed claimed, Throwable failure) {
        if (failure instanceof Delivery.TaskLostException) {
            Log.LOG.lost(claimed.task.id(), failure.getMessage());
        } else if (failure instanceof Delivery.NotDeliveredException) {
            unavailable(claimed, failure);
        } else {
            failed(claimed, failure);
        }
    }

    private void failed(Claimed claimed, Throwable failure) {
        Task task = claimed.task;
        Optional<Duration> delay = policy.delayAfter(task.attempts());
        if (delay.isPresent()) {
            Log.LOG.failed(task.tube(), task.id(), task.attempts(), delay.get(), failure.toString());
        } else {
            Log.LOG.buried(task.tube(), task.id(), task.attempts(), failure.toString());
        }
        Log.LOG.thrown(failure);
        TaskFailure kept = TaskFailure.of(failure);
        settleOrRemember(() -> claimed.tube.fail(client, task, kept, delay));
    }

    /** The server, not the task, is why it was not delivered: the attempt does not count, and nobody hurries. */
    private void unavailable(Claimed claimed, Throwable why) {
        Log.LOG.unavailable(policy.tube(), pause(), String.valueOf(why.getMessage()));
        settleOrRemember(() -> claimed.tube.giveBack(client, List.of(claimed.task)));
    }

    private void settleOrRemember(Runnable change) {
        try {
            change.run();
        } catch (TaskTubeException e) {
            remember(change);
        }
    }

    private void remember(Runnable change) {
        lock.lock();
        try {
            unsettled.addLast(change);
            room.signalAll();
        } finally {
            lock.unlock();
        }
        wakeClaimer.run();
    }

    private Duration pause() {
        lock.lock();
        try {
            pause = pause.isZero() ? FIRST_PAUSE : pause.multipliedBy(2);
            if (pause.compareTo(LONGEST_PAUSE) > 0) {
                pause = LONGEST_PAUSE;
            }
            pausedUntil = System.nanoTime() + pause.toNanos();
            return pause;
        } finally {
            lock.unlock();
        }
    }

    private void resume() {
        lock.lock();
        try {
            pause = Duration.ZERO;
        } finally {
            lock.unlock();
        }
    }
}
