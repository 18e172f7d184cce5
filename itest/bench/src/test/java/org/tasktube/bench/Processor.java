package org.tasktube.bench;

import java.time.Duration;

/** The processor time of the server and of the database. Other work on the machine moves it less than it moves rates. */
record Processor(Duration server, Duration database) {

    private static final double MICRO = 1e3;

    /** The microseconds a task that each has used since then. */
    record Use(double server, double database) {}

    Use since(Processor then, int tasks) {
        return new Use(
                server.minus(then.server).toNanos() / MICRO / tasks,
                database.minus(then.database).toNanos() / MICRO / tasks);
    }
}
