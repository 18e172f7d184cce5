package org.tasktube.spi;

import java.time.Duration;

/**
 * The clock that notifies the adapter of a deadline. {@code tasktube-timers.jar} implements it by an EJB timer; without
 * that the adapter uses a timer of its own. A late or early notification makes no wrong transition, only a late one.
 */
public interface DeadlineTimer {

    /**
     * Runs the sweep once after a delay, in place of the run that was armed before. The adapter calls this method
     * outside transactions, by one thread at a time.
     *
     * @param delay the time from now, 0 or more; a timer that counts milliseconds must round up
     * @param sweep applies the expired deadlines and arms the timer again. It returns at once, throws nothing, and
     *     needs no connection
     */
    void arm(Duration delay, Runnable sweep);
}
