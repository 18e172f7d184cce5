package org.tasktube.store;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.tasktube.TaskState;
import org.tasktube.admin.TaskEvent;

/**
 * The histories of tasks, which the transactions of their moves have written.
 *
 * <p>If the store fails, a method throws {@link org.tasktube.StoreException}.
 */
public interface Histories {

    /**
     * Returns a part of the history of a task, as the caller's transaction sees it.
     *
     * @param after the number of the move before the first one to return
     * @param moves the most moves to return
     * @param puts the most tasks to return that its deliveries put
     */
    TaskLog of(StoredTube tube, long id, long after, int moves, int puts);

    /**
     * Removes moves that are older than the retention of their tube, and moves of dropped tubes, some thousand at most.
     * Returns whether more may be left. Callers are never in a transaction.
     */
    boolean removeOld();

    /**
     * Returns a move as callers get it.
     *
     * @param server null for none, as with the other references here
     */
    static TaskEvent event(
            Instant at,
            Transition transition,
            TaskState from,
            int attempt,
            String server,
            String bean,
            UUID session,
            String by,
            Instant until,
            TaskEvent.Failure failure) {
        return new TaskEvent(
                at,
                transition.event(),
                Optional.ofNullable(from),
                transition.to(),
                attempt,
                Optional.ofNullable(server),
                Optional.ofNullable(bean),
                Optional.ofNullable(session),
                Optional.ofNullable(by),
                Optional.ofNullable(until),
                Optional.ofNullable(failure),
                note(transition));
    }

    private static Optional<String> note(Transition transition) {
        return switch (transition) {
            case REPLACE, REPLACE_DELAYED -> Optional.of("replaced the data and times");
            case HEARTBEAT -> Optional.of("heartbeat");
            case RETURN_UNSTARTED -> Optional.of("not begun; the attempt does not count");
            default -> Optional.empty();
        };
    }
}
