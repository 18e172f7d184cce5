package org.tasktube.console.rest;

import org.tasktube.Task;
import org.tasktube.TubeConnection;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskDetail;
import org.tasktube.admin.WaitingTask;
import org.tasktube.console.json.DataView;
import org.tasktube.console.json.Secrets;
import org.tasktube.console.json.TaskRow;
import org.tasktube.console.json.Views;

/** Reads all that the console shows of one task. */
final class OneTask {

    private OneTask() {}

    /** Returns a task; a user who does not see secrets gets them hidden. */
    static TaskRow read(TubeConnection connection, String name, long id, boolean sees) {
        TaskAdmin admin = Tubes.admin(connection);
        TaskDetail read = admin.task(name, id);
        Task task = read.task();
        return TaskRow.of(
                read.found(),
                sees ? task.headers() : Secrets.hide(task.headers()),
                DataView.of(task.data(), sees),
                read.result().map(result -> Views.Result.of(result, sees)).orElse(null),
                why(admin.whyWaiting(name, id)));
    }

    private static Views.Why why(WaitingTask waiting) {
        return new Views.Why(waiting.reason().name(), waiting.sentence());
    }
}
