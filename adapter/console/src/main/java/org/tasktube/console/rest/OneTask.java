package org.tasktube.console.rest;

import java.util.List;
import org.tasktube.TubeConnection;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskDetail;
import org.tasktube.admin.WaitingTask;
import org.tasktube.console.json.TaskRow;
import org.tasktube.console.json.Views;

/** Reads all that the console shows of one task. */
final class OneTask {

    private OneTask() {}

    /** Returns a task; a user who does not see secrets gets them hidden. */
    static TaskRow read(TubeConnection connection, String name, long id, boolean sees) {
        TaskAdmin admin = Tubes.admin(connection);
        TaskDetail read = admin.task(name, id);
        TaskRow.Known known = new TaskRow.Known(
                why(admin.whyWaiting(name, id)),
                Views.Order.of(admin.relations(name, id)),
                Views.Progress.of(admin.progress(List.of(id)).get(id)));
        return TaskRow.of(read, known, sees);
    }

    private static Views.Why why(WaitingTask waiting) {
        return new Views.Why(
                waiting.reason().name(),
                waiting.sentence(),
                waiting.heldBy().isPresent() ? Long.toString(waiting.heldBy().getAsLong()) : null);
    }
}
