package org.tasktube.tube;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.tasktube.TubeDefinition;
import org.tasktube.spi.DeadlineTimer;

/**
 * Watches ttl, ttr and delay: it knows the next deadline and arms the timer for it, and the timer makes the
 * maintenance thread sweep. The database gives durations, which this server's monotonic clock counts. So no server's
 * wall clock decides about deadlines.
 */
public final class Deadlines {

    /** The longest time between two sweeps. By that, this server finds the deadlines of a server that has died. */
    public static final Duration LONGEST_SLEEP = Duration.ofSeconds(5);

    private final Executor background;
    private final Runnable sweep;
    private final LongSupplier nanoTime;
    private final TimeHistogram lag = new TimeHistogram();
    private DeadlineTimer fallback;
    private DeadlineTimer timer;
    private long next = Long.MAX_VALUE;

    public Deadlines(Executor background, Runnable sweep, LongSupplier nanoTime) {
        this.background = background;
        this.sweep = sweep;
        this.nanoTime = nanoTime;
    }

    /** Reports that a deadline expires after this time. Cheap unless it is the next one. */
    public void due(Duration in) {
        long at = nanoTime.getAsLong() + nanos(in);
        synchronized (this) {
            if (at - next >= 0 && next != Long.MAX_VALUE) {
                return;
            }
            next = at;
        }
        background.execute(this::arm);
    }

    /** Forgets the next deadline, because a sweep begins, which finds the next one at its end. */
    public synchronized void swept() {
        next = Long.MAX_VALUE;
    }

    /** Returns by how many nanoseconds the timer is late; below 0 if it is not. */
    public synchronized long overdue() {
        return next == Long.MAX_VALUE ? Long.MIN_VALUE : nanoTime.getAsLong() - next;
    }

    /** Returns how late deadlines were that this server applied. */
    public TimeHistogram lag() {
        return lag;
    }

    /** Sets the timer to use from now on; null for the adapter's own. */
    public void use(DeadlineTimer another) {
        synchronized (this) {
            timer = another;
        }
        background.execute(this::arm);
    }

    public synchronized void fallBackTo(DeadlineTimer own) {
        fallback = own;
    }

    /**
     * Runs on the background thread. It must not run in a transaction, because an EJB timer would take part in it. Nor
     * may it run on the maintenance thread, which must not wait for a container.
     */
    private void arm() {
        DeadlineTimer current;
        long in;
        synchronized (this) {
            current = timer != null ? timer : fallback;
            if (current == null || next == Long.MAX_VALUE) {
                return;
            }
            in = Math.max(0, next - nanoTime.getAsLong());
        }
        current.arm(Duration.ofNanos(in), sweep);
    }

    /** Returns nanoseconds, at most those of the longest sleep, because a century would not fit into the sum. */
    private static long nanos(Duration duration) {
        return duration.compareTo(LONGEST_SLEEP) < 0 ? duration.toNanos() : LONGEST_SLEEP.toNanos();
    }

    /** Returns a call's timeout in nanoseconds, at most a century, which fits into a long. */
    public static long capped(Duration timeout) {
        return timeout.compareTo(TubeDefinition.MAX_DURATION) < 0
                ? timeout.toNanos()
                : TubeDefinition.MAX_DURATION.toNanos();
    }
}
