package org.tasktube.bench.app;

import jakarta.ejb.Stateless;
import jakarta.inject.Inject;

/** The same as {@link TubeWorker} in the reference: a transaction for each task, with its ack. */
@Stateless
public class JdbcWorker {

    @Inject
    private Meter meter;

    @Inject
    private SmallTable table;

    public void work(PlainQueue queue, PlainQueue.Claimed task, boolean writesRow) {
        meter.began();
        if (writesRow) {
            table.work(task.id());
        }
        queue.ack(task);
    }
}
