package org.tasktube.console.rest;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.ProblemException;

/** Limits the takes by REST that wait at once. Each of them has a thread of the server, and a connection. */
@ApplicationScoped
public class TakeWaits {

    /** The most takes that wait at once on a server. */
    static final int MAX = 8;

    private final Semaphore permits = new Semaphore(MAX);

    /** Does work that waits up to a timeout. */
    <T> T during(Duration timeout, Supplier<T> work) {
        if (timeout.isZero()) {
            return work.get();
        }
        if (!permits.tryAcquire()) {
            throw new ProblemException(
                    Kind.TOO_MANY,
                    MAX + " takes by REST wait on this server, which is the most; take without a timeout, or repeat the"
                            + " take later");
        }
        try {
            return work.get();
        } finally {
            permits.release();
        }
    }
}
