package org.tasktube.bench;

import java.time.Duration;

/**
 * What the server and the database have done so far. Other work on the machine moves it less than it moves rates.
 *
 * @param server the processor time of the server
 * @param database the processor time of the database
 * @param log the bytes of the database's log
 * @param commits the database's commits
 * @param syncs how often the database had the disk keep its log; commits at one time share one
 */
record Effort(Duration server, Duration database, long log, long commits, long syncs) {

    private static final double MICRO = 1e3;

    /** The same of each task, with times in microseconds. */
    record PerTask(double server, double database, double log, double commits, double syncs) {}

    PerTask since(Effort then, int tasks) {
        return new PerTask(
                server.minus(then.server).toNanos() / MICRO / tasks,
                database.minus(then.database).toNanos() / MICRO / tasks,
                (double) (log - then.log) / tasks,
                (double) (commits - then.commits) / tasks,
                (double) (syncs - then.syncs) / tasks);
    }
}
