package org.tasktube.console.rest;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedScheduledExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Writes answers to their last byte, each within a time. A client that reads slowly would keep a thread of the server,
 * and the data of its answer in memory.
 */
@ApplicationScoped
public class Delivery {

    /** The longest time of an answer. */
    private static final Duration MAX = Duration.ofMinutes(1);

    private static final Duration ROUND = Duration.ofSeconds(1);

    @Resource
    private ManagedScheduledExecutorService executor;

    private final Duration max;
    private final Set<Writing> running = ConcurrentHashMap.newKeySet();
    private ScheduledFuture<?> rounds;

    /** Writes an answer, and closes the stream. */
    interface Answer {
        void write(OutputStream out) throws IOException;
    }

    Delivery() {
        this(MAX);
    }

    Delivery(Duration max) {
        this.max = max;
    }

    @PostConstruct
    void begin() {
        begin(executor, ROUND);
    }

    void begin(ScheduledExecutorService clock, Duration round) {
        rounds = clock.scheduleWithFixedDelay(
                () -> running.forEach(Writing::expire), round.toNanos(), round.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Writes an answer. If that fails, or takes too long, the connection ends, and the client has no whole answer. */
    void write(OutputStream out, Answer answer) throws IOException {
        Writing writing = new Writing(Thread.currentThread(), System.nanoTime() + max.toNanos());
        running.add(writing);
        try {
            answer.write(out);
        } catch (IOException | RuntimeException | Error e) {
            cut(out, e);
            throw e;
        } finally {
            running.remove(writing);
            writing.end();
        }
    }

    /** The server's close sends the rest, and waits for the client unless its thread is interrupted. */
    private static void cut(OutputStream out, Throwable why) {
        Thread.currentThread().interrupt();
        try {
            out.close();
        } catch (IOException e) {
            why.addSuppressed(e);
        } finally {
            Thread.interrupted();
        }
    }

    @PreDestroy
    void close() {
        rounds.cancel(false);
    }

    /** A thread that writes, until a time. */
    private static final class Writing {

        private final Thread thread;
        private final long deadline;
        private boolean ended;
        private boolean interrupted;

        Writing(Thread thread, long deadline) {
            this.thread = thread;
            this.deadline = deadline;
        }

        /** Interrupts the wait for the client, if the time is over and the thread still writes. */
        synchronized void expire() {
            if (!ended && System.nanoTime() - deadline >= 0) {
                interrupted = true;
                thread.interrupt();
            }
        }

        /** The thread goes back to the server without the interrupt. */
        synchronized void end() {
            ended = true;
            if (interrupted) {
                Thread.interrupted();
            }
        }
    }
}
