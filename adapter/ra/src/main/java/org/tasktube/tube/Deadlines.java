package org.tasktube.tube;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.tasktube.TubeDefinition;
import org.tasktube.spi.DeadlineTimer;

/**
 * Where ttl, ttr and delay are enforced: knows when the next one is due, has a timer armed for it, and the timer has
 * the maintenance thread sweep. Durations count on this server's monotonic clock from what the database said, so that no clock
 * of a server decides when something is due.
 */
public final class Deadlines {

    /** Sweeps come at least this often: other servers' deadlines are found by that, should they die. */
    public static final Duration LONGEST_SLEEP = Duration.ofSeconds(5);

    private final Executor background;
    private final Runnable sweep;
    private final LongSupplier nanoTime;
    private DeadlineTimer fallback;
    private DeadlineTimer timer;
    private long next = Long.MAX_VALUE;

    public Deadlines(Executor background, Runnable sweep, LongSupplier nanoTime) {
        this.background = background;
        this.sweep = sweep;
        this.nanoTime = nanoTime;
    }

    /** Something is due in that time. Cheap unless it is the next thing to come. */
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

    /** A sweep begins: what comes next is not known until its end. */
    public synchronized void swept() {
        next = Long.MAX_VALUE;
    }

    /** How long the timer is overdue, in nanoseconds; below 0 if it is not. */
    public synchronized long overdue() {
        return next == Long.MAX_VALUE ? Long.MIN_VALUE : nanoTime.getAsLong() - next;
    }

    /** Uses another timer from now on; none for the adapter's own. */
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
     * On the background thread: never inside a transaction, which an EJB timer would take part in, and not on the maintenance thread,
     * which must not wait for a container.
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

    /** Nothing sleeps longer than the longest sleep, so a century need not fit into nanoseconds. */
    private static long nanos(Duration duration) {
        return duration.compareTo(LONGEST_SLEEP) < 0 ? duration.toNanos() : LONGEST_SLEEP.toNanos();
    }

    /** A timeout of a take in nanoseconds; a century of them fits into a long. */
    public static long capped(Duration timeout) {
        return timeout.compareTo(TubeDefinition.MAX_DURATION) < 0
                ? timeout.toNanos()
                : TubeDefinition.MAX_DURATION.toNanos();
    }
}
