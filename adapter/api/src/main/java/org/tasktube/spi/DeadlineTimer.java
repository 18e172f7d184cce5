package org.tasktube.spi;

import java.time.Duration;

/**
 * The clock that tells the adapter when a deadline has come. {@code tasktube-timers.jar} implements it by an EJB timer;
 * without that the adapter uses a timer of its own. Being late or early makes no wrong answer, only a late one.
 */
public interface DeadlineTimer {

    /**
     * Calls {@link org.tasktube.TubeConnection#sweep()} once after that time, instead of when it was armed for before.
     * Called outside transactions, by one thread at a time.
     */
    void arm(Duration delay);
}
