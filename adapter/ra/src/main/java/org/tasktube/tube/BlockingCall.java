package org.tasktube.tube;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.session.ClientConnection;

/** A call that may wait for a task or for free capacity. It tries at once, and again at each wake. */
final class BlockingCall {

    private final TubeEngine tube;
    private final TubeContext context;
    private final ClientConnection client;

    BlockingCall(TubeEngine tube, TubeContext context, ClientConnection client) {
        this.tube = tube;
        this.context = context;
        this.client = client;
    }

    /**
     * Tries until an attempt finds something or the timeout ends, and waits in line with others. Returns empty after
     * the timeout.
     */
    <T> Optional<T> waitIn(Supplier<WaitQueue.Waiter> line, Duration timeout, Supplier<Optional<T>> attempt) {
        client.checkOpen();
        checkTimeout(timeout);
        return attempt.get().or(() -> timeout.isZero() ? Optional.empty() : waitLonger(line, timeout, attempt));
    }

    static void checkTimeout(Duration timeout) {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("timeout " + timeout + " is negative; set zero to not wait");
        }
    }

    private <T> Optional<T> waitLonger(
            Supplier<WaitQueue.Waiter> line, Duration timeout, Supplier<Optional<T>> attempt) {
        long end = System.nanoTime() + Deadlines.capped(timeout);
        WaitQueue.Waiter waiter = line.get();
        try (waiter) {
            client.waits(waiter);
            wakeAtEndOfTransaction(waiter);
            Optional<T> found = Optional.empty();
            long left = end - System.nanoTime();
            while (found.isEmpty() && left > 0) {
                waiter.enter();
                client.checkOpen();
                tube.checkThere();
                found = attempt.get();
                if (found.isEmpty()) {
                    waiter.await(left);
                    left = end - System.nanoTime();
                } else {
                    waiter.found();
                }
            }
            return found.or(attempt);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AdapterNotRunningException(context.server().state(), "the thread that waited was interrupted");
        } finally {
            client.waitsNoMore(waiter);
        }
    }

    /**
     * Wakes the waiter when the caller's transaction ends. After a transaction timeout, another thread rolls back, and
     * the next attempt then fails with that reason.
     */
    private void wakeAtEndOfTransaction(WaitQueue.Waiter waiter) {
        if (context.transactions().active()) {
            context.transactions().atEnd(waiter::wake);
        }
    }
}
