package org.tasktube.itest.rude;

import java.util.concurrent.Semaphore;

/** The tubes of an application that does all wrong, and a signal for each task that one of its beans began. */
final class Rude {

    static final String ERRORS = "rude-errors";
    static final String INTERRUPTS = "rude-interrupts";
    static final String TIMEOUTS = "rude-timeouts";
    static final String LEAKS = "rude-leaks";

    static final Semaphore BEGUN = new Semaphore(0);

    private Rude() {}
}
