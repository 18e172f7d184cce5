package org.tasktube.inflow;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.tasktube.TaskFailure;
import org.tasktube.jca.LongRunning;

/**
 * The requests for threads of the server, one at a time, and the shortage of threads. A thread counts when it has
 * begun. Not thread-safe.
 */
final class ThreadRequests {

    /** The time after which a requested thread counts as missing. */
    static final Duration START_LIMIT = Duration.ofSeconds(1);

    static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration REPORT_AGAIN = Duration.ofMinutes(1);

    private final LongSupplier nanoTime;
    private Optional<LongRunning> open = Optional.empty();
    private long openedAt;
    private long retryAt;
    private Optional<String> refusal = Optional.empty();
    private boolean reported;
    private long reportAt;
    private int mostWanted;

    /** @param nanoTime the time in nanoseconds, as {@link System#nanoTime} gives it */
    ThreadRequests(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.openedAt = nanoTime.getAsLong();
        this.retryAt = openedAt;
        this.reportAt = openedAt;
    }

    boolean isOpen() {
        return open.isPresent();
    }

    boolean mayOpen() {
        return open.isEmpty() && untilRetry() == 0;
    }

    /**
     * Opens a request. If there is no memory or no thread for it, the request counts as refused. The Error is not
     * thrown: the calling thread delivers or claims already, and the virtual machine may recover.
     */
    void open(Supplier<LongRunning> starting) {
        try {
            open = Optional.of(starting.get());
            openedAt = nanoTime.getAsLong();
        } catch (OutOfMemoryError e) {
            refused(TaskFailure.summary(e));
        }
    }

    /** Ends the request for this work, because the server gave the thread. */
    void granted(LongRunning work) {
        if (open.isPresent() && open.get() == work) {
            open = Optional.empty();
        }
    }

    void refused(String why) {
        open = Optional.empty();
        retryAt = nanoTime.getAsLong() + RETRY.toNanos();
        refusal = Optional.of(why);
    }

    void cancel() {
        open.ifPresent(LongRunning::cancel);
    }

    /** Notes how many threads the bean wants. A shortage names the most of them, although tasks were returned since. */
    void wants(int threads) {
        mostWanted = Math.max(mostWanted, threads);
    }

    int mostWanted() {
        return mostWanted;
    }

    /** Ends the shortage, because the bean has all threads that it wants. The next shortage is a new one. */
    void satisfied() {
        reported = false;
        mostWanted = 0;
    }

    /** Returns whether the server refused a thread, or has not given one within {@link #START_LIMIT}. */
    boolean isShort() {
        return untilRetry() > 0 || untilLate() == 0;
    }

    /** Returns whether there is a shortage without a {@link #report}. */
    boolean isReportDue() {
        return !reported && isShort();
    }

    /** Returns the time in nanoseconds until a report may become due; {@link Long#MAX_VALUE} if it cannot. */
    long untilReport() {
        return reported ? Long.MAX_VALUE : untilLate();
    }

    private long untilLate() {
        return open.isEmpty() ? Long.MAX_VALUE : Math.max(0, openedAt + START_LIMIT.toNanos() - nanoTime.getAsLong());
    }

    /** Returns the time in nanoseconds until the next retry; {@link Long#MAX_VALUE} if the server may be asked now. */
    long untilNextRetry() {
        long left = untilRetry();
        return left > 0 ? left : Long.MAX_VALUE;
    }

    /** Returns the time in nanoseconds until the server may be asked again after a refusal. */
    long untilRetry() {
        return Math.max(0, retryAt - nanoTime.getAsLong());
    }

    /** Returns the reason for the shortage if it is to be logged: once per shortage, and at most once per minute. */
    Optional<String> report() {
        if (!isReportDue()) {
            return Optional.empty();
        }
        reported = true;
        long now = nanoTime.getAsLong();
        if (reportAt - now > 0) {
            return Optional.empty();
        }
        reportAt = now + REPORT_AGAIN.toNanos();
        String why = refusal.orElse("none was free for " + START_LIMIT.toSeconds() + "s");
        refusal = Optional.empty();
        return Optional.of(why);
    }
}
