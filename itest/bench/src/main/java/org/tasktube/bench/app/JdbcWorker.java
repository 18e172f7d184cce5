package org.tasktube.bench.app;

import jakarta.ejb.Stateless;
import jakarta.inject.Inject;

/** The same as {@link TubeWorker} in the reference: a transaction for each task, with its ack. */
@Stateless
public class JdbcWorker {

    @Inject
    private Meter meter;

    @Inject
    private JdbcTasks tasks;

    public void work(JdbcTasks.Claimed task) {
        meter.began();
        tasks.ack(task);
    }
}
