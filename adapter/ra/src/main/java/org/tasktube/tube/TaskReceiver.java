package org.tasktube.tube;

import java.util.Optional;
import org.tasktube.Task;
import org.tasktube.session.Session;

/** A bean at a tube, which gets a task that is put for it without a claim. */
public interface TaskReceiver {

    /** Reserves one of the bean's idle threads. Returns empty if none is idle. {@link #answered} follows soon. */
    Optional<Reservation> reserve();

    /**
     * Reserves a place among the tasks that a quick bean has before its threads are free, as if claimed ahead. Returns
     * empty if there is none for a task of so many bytes.
     */
    Optional<Reservation> reserveAhead(int bytes);

    /** Learns that the database has answered the put of a reservation, or that its commit has ended, whatever the answer. */
    void answered();

    /** Learns that the commit of the put begins: others can see the task before this bean gets it. */
    void commits();

    /**
     * A reserved thread or place.
     *
     * @param session the session that is to hold the task
     * @param othersIdle the number of further idle threads
     * @param keepsOrder whether the tasks must begin in their order
     */
    record Reservation(Session session, int othersIdle, boolean keepsOrder) {}

    /** Gives a reservation back: no task was put for it. */
    void cancel();

    /**
     * Gets the task of a reservation. Its session holds it. Uses no database.
     *
     * @param since the time of its put, in the monotonic clock
     * @param isLate true if too little is left of its ttr, its ttl is over, or a task before it has become READY since the
     *     put, so that it is only to be returned
     */
    void receive(Task task, long since, boolean isLate);
}
