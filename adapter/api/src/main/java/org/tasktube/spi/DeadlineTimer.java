package org.tasktube.spi;

import java.time.Duration;

/**
 * The clock that tells the adapter when a deadline has come. {@code tasktube-timers.jar} implements it by an EJB timer;
 * without that the adapter uses a timer of its own. Being late or early makes no wrong answer, only a late one.
 */
public interface DeadlineTimer {

    /**
     * Runs the sweep once after that time, instead of what it was armed for before. Called outside transactions, by one
     * thread at a time.
     *
     * @param delay from now, 0 or more; a timer that counts in milliseconds rounds up
     * @param sweep has the adapter end what is due and arm the timer anew; it returns at once, throws nothing, and needs no
     *     connection
     */
    void arm(Duration delay, Runnable sweep);
}
