package org.tasktube.simulation;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;

/** What the simulated classes call in place of the JDK's clocks, waits and chance. Public, because they call it. */
public final class VirtualTime {

    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

    private VirtualTime() {}

    public static long nanoTime() {
        return Scheduler.present().now();
    }

    /** The clock of the database; H2 calls it. */
    public static Instant now() {
        return Scheduler.present() == null ? BEGIN : BEGIN.plusNanos(nanoTime());
    }

    /** The clock of a server, which is wrong. */
    public static Instant wrong() {
        return now().plus(Scheduler.present().wrongBy());
    }

    public static long wrongMillis() {
        return wrong().toEpochMilli();
    }

    public static InstantSource system() {
        return VirtualTime::wrong;
    }

    public static Random random() {
        return Scheduler.present().random();
    }

    public static UUID uuid() {
        return new UUID(random().nextLong(), random().nextLong());
    }

    public static void parkNanos(long nanos) {
        Scheduler.present().until(() -> false, nanos);
    }

    public static boolean await(CountDownLatch latch, long time, TimeUnit unit) {
        return Scheduler.present().until(() -> latch.getCount() == 0, unit.toNanos(time));
    }

    public static boolean tryAcquire(Semaphore semaphore, long time, TimeUnit unit) {
        return Scheduler.present().until(semaphore::tryAcquire, unit.toNanos(time));
    }

    public static boolean tryLock(ReentrantLock lock, long time, TimeUnit unit) {
        if (lock.tryLock()) {
            return true;
        }
        return Scheduler.present().until(() -> !lock.isLocked(), unit.toNanos(time)) && lock.tryLock();
    }

    public static Object get(CompletableFuture<?> future, long time, TimeUnit unit)
            throws ExecutionException, InterruptedException, TimeoutException {
        if (!Scheduler.present().until(future::isDone, unit.toNanos(time))) {
            throw new TimeoutException();
        }
        return future.get();
    }

    public static Delayed poll(DelayQueue<?> queue, long time, TimeUnit unit) {
        Delayed[] found = new Delayed[1];
        Scheduler.present().until(() -> (found[0] = queue.poll()) != null, nextOr(queue, unit.toNanos(time)));
        return found[0] == null ? queue.poll() : found[0];
    }

    /** The time jumps to what is due first. */
    private static long nextOr(DelayQueue<?> queue, long nanos) {
        Delayed first = queue.peek();
        return first == null ? nanos : Math.min(nanos, Math.max(0, first.getDelay(TimeUnit.NANOSECONDS)));
    }

    public static Object take(BlockingQueue<?> queue) {
        Scheduler.present().until(() -> !queue.isEmpty());
        return queue.poll();
    }
}
