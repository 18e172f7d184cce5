package org.tasktube.tube;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.session.ClientConnection;

/** A call that may wait for a task or for room: tries at once, then each time when there may be something. */
final class BlockingCall {

    private final TubeEngine tube;
    private final TubeContext context;
    private final ClientConnection client;

    BlockingCall(TubeEngine tube, TubeContext context, ClientConnection client) {
        this.tube = tube;
        this.context = context;
        this.client = client;
    }

    /** Tries until an attempt finds something or the time is over, waiting in line with others. */
    <T> Optional<T> waitIn(Supplier<WaitQueue.Waiter> line, Duration timeout, Supplier<Optional<T>> attempt) {
        client.checkOpen();
        checkTimeout(timeout);
        return attempt.get().or(() -> timeout.isZero() ? Optional.empty() : waitLonger(line, timeout, attempt));
    }

    static void checkTimeout(Duration timeout) {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("timeout " + timeout + " is negative; zero answers at once");
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

    /** After a timeout another thread rolls the caller's transaction back: the next attempt fails, and says so. */
    private void wakeAtEndOfTransaction(WaitQueue.Waiter waiter) {
        if (context.transactions().active()) {
            context.transactions().atEnd(waiter::wake);
        }
    }
}
