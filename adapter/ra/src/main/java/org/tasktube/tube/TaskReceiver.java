package org.tasktube.tube;

import java.util.Optional;
import org.tasktube.Task;
import org.tasktube.session.Session;

/** A bean at a tube, which gets a task that is put for it without a claim. */
public interface TaskReceiver {

    /** Reserves one of the bean's idle threads. Returns the session that is to hold the task; empty if none is idle. */
    Optional<Session> reserve();

    /** Gives a reservation back: no task was put for it. */
    void cancel();

    /**
     * Gets the task of a reservation. Its session holds it. Uses no database.
     *
     * @param since the time of its put, in the monotonic clock
     */
    void receive(Task task, long since);
}
