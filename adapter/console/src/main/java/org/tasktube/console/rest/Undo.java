package org.tasktube.console.rest;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.tasktube.Task;
import org.tasktube.TaskNotFoundException;
import org.tasktube.TaskNotTakenException;
import org.tasktube.TaskTakenByAnotherException;
import org.tasktube.TaskTubeException;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;

/**
 * Returns tasks to their tube that a user will not get. A session without its first answer ends with its connection. A
 * session that goes on would hold them for ever; if it cannot release them, it ends, too.
 *
 * @param session the session that the user has named; empty for a new one
 */
record Undo(TubeConnection connection, Tube tube, Optional<UUID> session) {

    /** Returns tasks. A failure of that is suppressed in the reason. */
    void giveBack(List<Task> tasks, Throwable why) {
        if (tasks.isEmpty()) {
            return;
        }
        if (session.isEmpty()) {
            end(why);
            return;
        }
        try {
            tasks.forEach(this::release);
        } catch (TaskTubeException e) {
            why.addSuppressed(e);
            end(why);
        }
    }

    /** Ends the session's time with this call. If the database does not take that, the session ends by its time. */
    private void end(Throwable why) {
        try {
            connection.identify(Duration.ZERO);
        } catch (TaskTubeException e) {
            why.addSuppressed(e);
        }
    }

    private void release(Task task) {
        try {
            tube.release(task);
        } catch (TaskNotFoundException | TaskNotTakenException | TaskTakenByAnotherException e) {
            // It is back already: too large for the answer, or its ttr is over
        }
    }
}
