package org.tasktube.admin;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.tasktube.Fingerprint;
import org.tasktube.TaskState;
import org.tasktube.TubeEvent;

/**
 * One move in the history of a task. All times are the database's clock.
 *
 * @param at the time of the move
 * @param event the kind of the move
 * @param from the state before; empty for a put
 * @param to the state after; empty if the move removed the task
 * @param attempt the number of takes since the put or the last kick, after the move
 * @param server the name of the server that made the move; empty if it had none yet
 * @param bean the name of the bean that took the task, for its takes and for what ended them; empty without one
 * @param session the session that held the task, where the move names it. An end of a ttr does not
 * @param by the user in whose name the move was made, by {@link TaskAdmin#inNameOf}; empty for the application's own
 * @param until the deadline of the task after the move: the end of its delay, ttr or ttl; empty without one
 * @param failure the failure of the delivery that the move ended, or the reason of a cancel; empty for any other move
 * @param note a word about a special form of the event; empty for the usual form
 */
public record TaskEvent(
        Instant at,
        TubeEvent event,
        Optional<TaskState> from,
        Optional<TaskState> to,
        int attempt,
        Optional<String> server,
        Optional<String> bean,
        Optional<UUID> session,
        Optional<String> by,
        Optional<Instant> until,
        Optional<Failure> failure,
        Optional<String> note) {

    /** The greatest length of a bean's name in a history, in characters. A longer one loses its beginning. */
    public static final int MAX_BEAN = 250;

    /**
     * A failed delivery.
     *
     * @param fingerprint the id of its kind, as {@link Fingerprint#id} has it
     * @param type the class of the exception
     * @param message the message of the exception; empty if it has none
     * @param trace the causes and frames, as {@link org.tasktube.TaskFailure#trace} has them; empty without any
     */
    public record Failure(String fingerprint, String type, String message, Optional<String> trace) {}
}
