package org.tasktube.inflow;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.inflow.Prefetch.Claimed;
import org.tasktube.session.ClientConnection;
import org.tasktube.tube.TubeEngine;

/**
 * The acks of deliveries whose transaction had no resource. Nothing can be atomic with such an ack, so it needs no
 * commit of its own: one thread acks what the others have handed over while its last commit was on its way, by one
 * statement. While acks come quickly, it also waits some milliseconds for others to come, because a commit costs the
 * database more than all the rest of an ack. A lone task is acked at once.
 *
 * <p>A task stays TAKEN by its session until that commit. If the server dies before it, the task is delivered again, as
 * it would be if the server died before the commit of an ack in the delivery's own transaction.
 *
 * <p>The statement waits for no lock. A thread that found a task locked, or not held any more, lets the next thread
 * take over, and acks that task by itself. The next thread also takes over if a statement takes longer than a second,
 * because its connection may hang.
 */
final class GatheredAcks {

    /** The most acks per statement. */
    static final int BATCH = 256;

    /** The time after which another thread takes over. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    /** The longest time that an ack waits for others. */
    private static final Duration LINGER = Duration.ofMillis(4);

    /** The deliveries per session that wait for their acks, from which on the threads of the bean wait. */
    private static final int WAITING = 4;

    /** The sessions from which on one can wait for the others. */
    private static final int ENOUGH_SESSIONS = 4;

    private final ClientConnection client;
    private final int sessions;
    private final int most;
    private final BooleanSupplier othersRun;
    private final Consumer<Claimed> single;
    private final Consumer<Claimed> later;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private final Condition enough = lock.newCondition();
    private final Deque<Claimed> waiting = new ArrayDeque<>();
    private final AckRhythm rhythm = new AckRhythm(System.nanoTime());
    private Thread acking;
    private long since;
    private boolean mayTakeOver;

    /**
     * Creates the acks of one bean. The actions must not throw.
     *
     * @param policy the number of deliveries that can run at once, and of tasks in each
     * @param othersRun whether another delivery runs, whose ack may come
     * @param single acks one task, and waits for its lock
     * @param later acks one task when the database is back
     */
    GatheredAcks(
            ClientConnection client,
            DeliveryPolicy policy,
            BooleanSupplier othersRun,
            Consumer<Claimed> single,
            Consumer<Claimed> later) {
        this.othersRun = othersRun;
        this.client = client;
        this.sessions = policy.maxSession();
        this.most = WAITING * policy.maxSession() * policy.batchSize();
        this.single = single;
        this.later = later;
    }

    /** Acks tasks, or hands them over to the thread that acks. That thread ends when no ack is left. */
    void ack(List<Claimed> delivered) {
        if (!isToAck(delivered)) {
            return;
        }
        List<Claimed> left = new ArrayList<>();
        List<Claimed> batch = List.of();
        boolean done = false;
        try {
            for (batch = next(left); !batch.isEmpty(); batch = next(left)) {
                ack(batch, left);
            }
            done = true;
        } finally {
            if (!done) {
                failed(batch, left);
            }
            left.forEach(single);
        }
    }

    /** Returns whether the calling thread is the one that acks from now on. */
    private boolean isToAck(List<Claimed> delivered) {
        lock.lock();
        try {
            while (!mayTakeOver() && waiting.size() >= most) {
                try {
                    room.awaitNanos(PATIENCE.toNanos());
                } catch (InterruptedException e) {
                    // A leftover of the application or the container: the adapter ends no thread by interrupts
                    Thread.onSpinWait();
                }
            }
            waiting.addAll(delivered);
            rhythm.came(System.nanoTime());
            if (isEnough()) {
                enough.signal();
            }
            if (!mayTakeOver()) {
                return false;
            }
            acking = Thread.currentThread();
            since = System.nanoTime();
            mayTakeOver = false;
            return true;
        } finally {
            lock.unlock();
        }
    }

    private boolean isEnough() {
        return waiting.size() >= Math.min(BATCH, most / 2);
    }

    /**
     * Waits for more acks while they come quickly. The next task of a sub-queue and a free slot are worth more to
     * others than a commit.
     */
    private void linger() {
        TubeEngine tube = waiting.getFirst().tube();
        if (sessions < ENOUGH_SESSIONS
                || tube.stored().subQueues()
                || tube.stored().hasCapacity()
                || !rhythm.pays(othersRun.getAsBoolean())) {
            return;
        }
        int before = waiting.size();
        long left = LINGER.toNanos();
        int seen = before - 1;
        // It ends when no other came for some time: those that wait for these acks put no task before them
        while (left > 0 && !isEnough() && waiting.size() > seen) {
            seen = waiting.size();
            long slice = Math.min(left, rhythm.pause());
            try {
                left -= slice - Math.max(0, enough.awaitNanos(slice));
            } catch (InterruptedException e) {
                // A leftover of the application or the container: the adapter ends no thread by interrupts
                left = 0;
            }
        }
        rhythm.waited(waiting.size() == before);
    }

    private boolean mayTakeOver() {
        return acking == null || mayTakeOver || System.nanoTime() - since > PATIENCE.toNanos();
    }

    /** Returns the next tasks, each once; none if this thread acks no more. */
    private List<Claimed> next(List<Claimed> left) {
        lock.lock();
        try {
            Map<Long, Claimed> batch = new LinkedHashMap<>();
            if (acking == Thread.currentThread() && !waiting.isEmpty()) {
                linger();
            }
            // After the wait, another thread may have taken over
            if (acking == Thread.currentThread()) {
                while (!waiting.isEmpty()
                        && batch.size() < BATCH
                        && batch.putIfAbsent(waiting.getFirst().task().id(), waiting.getFirst()) == null) {
                    waiting.removeFirst();
                }
                acking = batch.isEmpty() ? null : acking;
                since = System.nanoTime();
                mayTakeOver = !left.isEmpty() && acking != null;
                room.signalAll();
            }
            return List.copyOf(batch.values());
        } finally {
            lock.unlock();
        }
    }

    /** Acks tasks by one statement per tube. Leaves those that were locked or not held, or whose statement failed. */
    private void ack(List<Claimed> batch, List<Claimed> left) {
        Map<TubeEngine, List<Claimed>> byTube = batch.stream().collect(Collectors.groupingBy(Claimed::tube));
        byTube.forEach((tube, claimed) -> {
            try {
                List<Task> tasks = claimed.stream().map(Claimed::task).toList();
                List<Task> not = tube.held().ackDelivered(client.session(), tasks);
                claimed.stream().filter(each -> not.contains(each.task())).forEach(left::add);
            } catch (Throwable e) {
                if (isAway(e)) {
                    claimed.forEach(later);
                } else {
                    // Each is tried again by itself, and its failure is logged and deferred
                    left.addAll(claimed);
                }
            }
        });
    }

    /** Returns whether no task can be acked now, or the statement was done and only its answer is lost. */
    private static boolean isAway(Throwable e) {
        return e instanceof AdapterNotRunningException
                || (e instanceof StoreException failed && failed.isDatabaseAway());
    }

    /** Follows an Error, for example of a virtual machine without memory. A second ack of a task finds it gone. */
    private void failed(List<Claimed> batch, List<Claimed> left) {
        lock.lock();
        try {
            if (acking == Thread.currentThread()) {
                acking = null;
                left.addAll(waiting);
                waiting.clear();
            }
            left.addAll(batch);
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
