package org.tasktube.bench.app;

import jakarta.annotation.Resource;
import jakarta.ejb.EJB;
import jakarta.enterprise.concurrent.ManagedThreadFactory;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Delivery in the reference: one thread claims in batches, eight work on what was claimed. */
@ApplicationScoped
public class JdbcDelivery {

    private static final int THREADS = 8;
    private static final int BATCH = 64;

    @Resource
    private ManagedThreadFactory threadFactory;

    @EJB
    private JdbcWorker worker;

    @Inject
    private SmallTable small;

    @Inject
    private Meter meter;

    private final BlockingQueue<PlainQueue.Claimed> claimed = new LinkedBlockingQueue<>(BATCH);
    private final Semaphore wakes = new Semaphore(0);
    private final List<Thread> threads = new ArrayList<>();
    private volatile PlainQueue queue;
    private volatile boolean writesRow;
    private volatile boolean ending;

    void start(PlainQueue from, boolean withRow) {
        queue = from;
        writesRow = withRow;
        ending = false;
        start(this::claim);
        for (int i = 0; i < THREADS; i++) {
            start(this::work);
        }
    }

    /** Starts threads that claim and ack batches, without a server's transaction. */
    void startBatches() {
        ending = false;
        for (int i = 0; i < THREADS; i++) {
            start(this::workOnBatches);
        }
    }

    private void workOnBatches() throws InterruptedException {
        while (!ending) {
            List<PlainQueue.Claimed> batch = small.claim(BATCH);
            batch.forEach(task -> meter.began());
            small.ackAll(batch);
            if (batch.isEmpty()) {
                wakes.tryAcquire(1, TimeUnit.MILLISECONDS);
            }
        }
    }

    @FunctionalInterface
    private interface Work {
        void run() throws InterruptedException;
    }

    private void start(Work work) {
        Thread thread = threadFactory.newThread(() -> {
            try {
                work.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        threads.add(thread);
        thread.start();
    }

    private void claim() throws InterruptedException {
        while (!ending) {
            wakes.drainPermits();
            List<PlainQueue.Claimed> batch = queue.claim(BATCH);
            for (PlainQueue.Claimed task : batch) {
                claimed.put(task);
            }
            if (batch.isEmpty() && !ending) {
                wakes.acquire();
            }
        }
        for (int i = 0; i < THREADS; i++) {
            claimed.put(PlainQueue.Claimed.END);
        }
    }

    private void work() throws InterruptedException {
        for (PlainQueue.Claimed task = claimed.take(); !task.isEnd(); task = claimed.take()) {
            worker.work(queue, task, writesRow);
        }
    }

    /** Says that a task was put. */
    void wake() {
        wakes.release();
    }

    /** Returns when all that was claimed is worked off. */
    void stop() throws InterruptedException {
        ending = true;
        wake();
        for (Thread thread : threads) {
            thread.join();
        }
        threads.clear();
    }
}
