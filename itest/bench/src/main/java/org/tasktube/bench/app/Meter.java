package org.tasktube.bench.app;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** When beans begin with tasks: the first of those that are expected, and the last. */
@ApplicationScoped
public class Meter {

    private static final int MINUTES = 5;

    private volatile Expected expected = new Expected(0);

    void expect(int tasks) {
        expected = new Expected(tasks);
    }

    void began() {
        expected.began();
    }

    /** The nanoseconds from the first to the last. */
    long await() throws InterruptedException {
        Expected now = expected;
        now.await();
        return now.last - now.first;
    }

    /** When the first began, by {@link System#nanoTime()}. */
    long awaitFirst() throws InterruptedException {
        Expected now = expected;
        now.await();
        return now.first;
    }

    private static final class Expected {

        private final int tasks;
        private final AtomicInteger begun = new AtomicInteger();
        private final CountDownLatch all;
        private volatile long first;
        private volatile long last;

        Expected(int tasks) {
            this.tasks = tasks;
            this.all = new CountDownLatch(Math.min(tasks, 2));
        }

        void began() {
            int number = begun.incrementAndGet();
            if (number == 1) {
                first = System.nanoTime();
                all.countDown();
            }
            if (number == tasks) {
                last = System.nanoTime();
                all.countDown();
            }
        }

        void await() throws InterruptedException {
            if (!all.await(MINUTES, TimeUnit.MINUTES)) {
                throw new IllegalStateException(
                        "of " + tasks + " tasks, " + begun + " were delivered within " + MINUTES + " minutes");
            }
        }
    }
}
