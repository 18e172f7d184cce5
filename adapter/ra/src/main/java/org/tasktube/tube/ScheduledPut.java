package org.tasktube.tube;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.tasktube.PutOptions;
import org.tasktube.Schedule;
import org.tasktube.Task;
import org.tasktube.store.NewTask;
import org.tasktube.store.Put;
import org.tasktube.store.sql.TaskStore;

/** The put of a task of a schedule. */
public record ScheduledPut(TubeEngine tube, NewTask task, PutOptions options) {

    /**
     * Returns the put of a schedule.
     *
     * @param headers further headers of the task
     * @throws IllegalArgumentException if the tube takes no such task
     */
    public static ScheduledPut of(TubeEngine tube, Schedule schedule, Map<String, String> headers) {
        PutOptions options = schedule.options();
        NewTask task = tube.plan(schedule.data(), options, Optional.empty());
        return new ScheduledPut(tube, task.withHeaders(headers), options);
    }

    /**
     * Puts the task as a call of an application does.
     *
     * @throws org.tasktube.TubeFullException if the tube is full
     */
    public Task byCaller() {
        Put put = tube.put(List.of(task), List.of(options));
        if (put.outcome() == Put.Outcome.FULL) {
            throw new RefusalReason(tube).full();
        }
        return tube.toTask(put.id(), task);
    }

    /** Puts the task in a transaction of the adapter. {@link #committed} has to follow that. */
    public Put in(TaskStore store) {
        return store.put(tube.stored(), List.of(task));
    }

    /** Applies the effects of the put. */
    public void committed(long id) {
        new PutPlan(tube.name(), List.of(task), List.of(options))
                .done(List.of(id), new AfterCommit(tube.runtime()))
                .run();
    }
}
