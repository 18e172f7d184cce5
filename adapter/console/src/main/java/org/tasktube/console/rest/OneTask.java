package org.tasktube.console.rest;

import org.tasktube.Task;
import org.tasktube.TaskMeta;
import org.tasktube.TaskNotFoundException;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.admin.FoundTask;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskFilter;
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
        Tube tube = connection.tube(name);
        TaskAdmin admin = Tubes.admin(connection);
        Task task = tube.peek(id).orElseThrow(() -> new TaskNotFoundException(name, id));
        TaskMeta meta = tube.meta(id).orElseThrow(() -> new TaskNotFoundException(name, id));
        FoundTask found =
                admin
                        .search(TaskFilter.parse("tube:" + name + " id:" + id), java.util.Optional.empty(), 1)
                        .tasks()
                        .stream()
                        .findFirst()
                        .orElseThrow(() -> new TaskNotFoundException(name, id));
        return TaskRow.of(
                found,
                meta,
                sees ? task.headers() : Secrets.hide(task.headers()),
                DataView.of(task.data(), sees),
                tube.result(id).map(result -> Views.Result.of(result, sees)).orElse(null),
                why(admin.whyWaiting(name, id)));
    }

    private static Views.Why why(WaitingTask waiting) {
        return new Views.Why(waiting.reason().name(), waiting.sentence());
    }
}
