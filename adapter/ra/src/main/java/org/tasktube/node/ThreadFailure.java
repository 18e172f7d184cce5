package org.tasktube.node;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Keeps a thread of the adapter alive after a failure that its own handling did not survive. In a virtual machine
 * without memory each line of the log can fail, too. Nothing would start the thread again.
 */
final class ThreadFailure {

    private ThreadFailure() {}

    /** Logs the failure if there is memory for that, and returns after the pause. */
    @SuppressWarnings("CatchAndPrintStackTrace") // The second failure is of the log itself
    static void after(Throwable failure, Duration pause) {
        try {
            Log.LOG.maintenanceFailed(failure);
        } catch (RuntimeException | Error e) {
            // The thread goes on. The next failure has a line if there is memory for it by then
            Thread.onSpinWait();
        }
        // Each of these threads also has a flag for its end, so a leftover interrupt means nothing
        Thread.interrupted();
        LockSupport.parkNanos(pause.toNanos());
    }
}
