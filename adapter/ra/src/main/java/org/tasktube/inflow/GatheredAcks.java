package org.tasktube.inflow;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.tasktube.Task;
import org.tasktube.inflow.Prefetch.Claimed;
import org.tasktube.session.ClientConnection;
import org.tasktube.tube.TubeEngine;

/**
 * The acks of deliveries whose transaction had no resource. Nothing can be atomic with such an ack, so it needs no
 * commit of its own: one thread acks what the others have handed over while its last commit was on its way, by one
 * statement. No thread waits for others to come, so a lone task is acked at once.
 *
 * <p>A task stays TAKEN by its session until that commit. If the server dies before it, the task is delivered again, as
 * it would be if the server died before the commit of an ack in the delivery's own transaction.
 *
 * <p>The statement waits for no lock. A thread that found a task locked, or not held any more, lets the next thread
 * take over, and acks that task by itself.
 */
final class GatheredAcks {

    /** The most acks per statement. */
    static final int BATCH = 256;

    private final ClientConnection client;
    private final int most;
    private final Consumer<Claimed> single;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private final Deque<Claimed> waiting = new ArrayDeque<>();
    private Thread acking;
    private boolean mayTakeOver;

    /**
     * Creates the acks of one bean.
     *
     * @param most the number of acks that wait for their statement, from which on threads wait
     * @param single acks one task, and waits for its lock
     */
    GatheredAcks(ClientConnection client, int most, Consumer<Claimed> single) {
        this.client = client;
        this.most = most;
        this.single = single;
    }

    /** Acks a task, or hands it over to the thread that acks. That thread ends when no ack is left. */
    void ack(Claimed claimed) {
        if (!isToAck(claimed)) {
            return;
        }
        List<Claimed> left = new ArrayList<>();
        for (List<Claimed> batch = next(!left.isEmpty()); !batch.isEmpty(); batch = next(!left.isEmpty())) {
            left.addAll(ack(batch));
        }
        left.forEach(single);
    }

    /** Returns whether the calling thread is the one that acks from now on. */
    private boolean isToAck(Claimed claimed) {
        lock.lock();
        try {
            while (acking != null && !mayTakeOver && waiting.size() >= most) {
                room.awaitUninterruptibly();
            }
            waiting.add(claimed);
            if (acking == null || mayTakeOver) {
                acking = Thread.currentThread();
                mayTakeOver = false;
                return true;
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the next tasks; none if this thread acks no more. */
    private List<Claimed> next(boolean hasLeft) {
        lock.lock();
        try {
            List<Claimed> batch = new ArrayList<>();
            if (acking != Thread.currentThread()) {
                return batch;
            }
            while (!waiting.isEmpty() && batch.size() < BATCH) {
                batch.add(waiting.removeFirst());
            }
            acking = batch.isEmpty() ? null : acking;
            mayTakeOver = hasLeft && acking != null;
            room.signalAll();
            return batch;
        } finally {
            lock.unlock();
        }
    }

    /** Acks tasks by one statement per tube. Returns those that were locked or not held, or whose statement failed. */
    private List<Claimed> ack(List<Claimed> batch) {
        List<Claimed> left = new ArrayList<>();
        Map<TubeEngine, List<Claimed>> byTube = batch.stream().collect(Collectors.groupingBy(Claimed::tube));
        byTube.forEach((tube, claimed) -> {
            try {
                List<Task> tasks = claimed.stream().map(Claimed::task).toList();
                List<Task> not = tube.held().ackDelivered(client.session(), tasks);
                claimed.stream().filter(each -> not.contains(each.task())).forEach(left::add);
            } catch (Throwable e) {
                // Each is tried again by itself, and its failure is logged and deferred
                left.addAll(claimed);
            }
        });
        return left;
    }
}
