package org.tasktube;

/**
 * Pause, drain and resume of a tube, for operators. A tube has one {@link TubeMode} at a time. A server that starts
 * finds the mode as it was, and the tube's statistics have it with who set it, when and why.
 *
 * <p>Each call is part of the caller's JTA transaction like any other: the mode changes at the commit, on all servers,
 * and a rollback undoes the call. A take or a put that began before the commit counts as before it.
 *
 * <p>The texts have 1 to {@value #MAX_MODE_TEXT} characters. A blank or longer text, and one with a control character,
 * fails with an {@link IllegalArgumentException}. The forms without {@code by} give the server's node name.
 */
public interface TubeModes {

    /** The maximum length of a reason, and of the name of who gives it, in characters. */
    int MAX_MODE_TEXT = 255;

    /** Pauses the tube in the name of this server, as {@link #pause(String, String)} does. */
    boolean pause(String reason);

    /**
     * Pauses the tube: no task is taken or delivered. Puts go on, and so does each operation on a TAKEN task, and kick,
     * delete and the other operations by id. Deadlines run. Waiting takes go on waiting. Tasks that were claimed ahead
     * for a bean, and that the bean has not begun, become READY again; their attempts do not count. Another server may
     * still begin such a task for at most 500 ms.
     *
     * <p>A DRAINING tube becomes PAUSED, and accepts puts again.
     *
     * @param reason why, for the statistics, the log and other operators
     * @param by the user who pauses
     * @return true if this call paused the tube; false if it was PAUSED already. Then the first pause's reason stays
     */
    boolean pause(String reason, String by);

    /** Drains the tube in the name of this server, as {@link #drain(String, String)} does. */
    boolean drain(String reason);

    /**
     * Drains the tube: each put fails with a {@link TubeDrainingException}, also one that would find or replace a task
     * of its unique key. A put that waits for free capacity fails as well: on this server at once, on others within
     * {@code pollInterval}. Takes and deliveries go on.
     *
     * <p>A PAUSED tube becomes DRAINING, and its tasks are taken again.
     *
     * @param reason why, for the statistics, the log and the producers' errors
     * @param by the user who drains
     * @return true if this call drained the tube; false if it was DRAINING already. Then the first drain's reason stays
     */
    boolean drain(String reason, String by);

    /** Resumes the tube in the name of this server, as {@link #resume(String)} does. */
    boolean resume();

    /**
     * Makes the tube OPEN again. Waiting takes wake: on this server at once, on others within {@code pollInterval}.
     *
     * @param by the user who resumes
     * @return true if the tube was PAUSED or DRAINING; false if it was OPEN already
     */
    boolean resume(String by);
}
