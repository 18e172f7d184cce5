package org.tasktube.console.rest;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.ProblemException;

/**
 * Limits the takes by REST at once. One that waits for tasks has a thread of the server, a connection, and one task at
 * most. One that has its turn reads up to {@link TakeResource#MAX_BYTES} of data. It keeps them in memory, and its
 * turn, until the client has the answer.
 */
@ApplicationScoped
public class TakeWaits {

    /** The most takes that wait at once on a server. */
    static final int MAX = 8;

    /** The heap of a turn: its data as rows of the driver, as tasks, and as text, which can have two bytes per byte. */
    static final long HEAP_OF_TAKE = 4L * TakeResource.MAX_BYTES;

    /** The longest wait for a turn. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Semaphore waits = new Semaphore(MAX);
    private final Semaphore turns;
    private final Duration patience;

    TakeWaits() {
        this(Runtime.getRuntime().maxMemory(), PATIENCE);
    }

    /** @param heap the bytes of the heap, of which takes get a half */
    TakeWaits(long heap, Duration patience) {
        this.turns = new Semaphore((int) Math.max(1, Math.min(Integer.MAX_VALUE, heap / 2 / HEAP_OF_TAKE)), true);
        this.patience = patience;
    }

    /** Does work that waits for tasks. */
    <T> T waiting(Supplier<T> work) {
        if (!waits.tryAcquire()) {
            throw new ProblemException(
                    Kind.TOO_MANY,
                    MAX + " takes by REST wait on this server, which is the most; take without a timeout, or repeat the"
                            + " take later");
        }
        return releasing(waits, work);
    }

    /** Does work that has the tasks of an answer in memory. */
    <T> T inTurn(Supplier<T> work) {
        if (!awaitTurn()) {
            throw new ProblemException(
                    Kind.TOO_MANY,
                    "as many takes by REST run on this server as its heap has room for; repeat the take later");
        }
        return releasing(turns, work);
    }

    private static <T> T releasing(Semaphore permits, Supplier<T> work) {
        try {
            return work.get();
        } finally {
            permits.release();
        }
    }

    private boolean awaitTurn() {
        try {
            return turns.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
