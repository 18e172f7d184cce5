package org.tasktube.console.json;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.tasktube.TaskState;
import org.tasktube.admin.DeliveryLog;
import org.tasktube.admin.TaskEvent;
import org.tasktube.admin.TaskHistory;

/**
 * A page of the history of a task, the oldest events first. A member without a value is absent.
 *
 * @param tube the name of the tube
 * @param id the id of the task
 * @param history OFF, FAILURES or ALL: the events that the tube keeps now
 * @param retention the time for which the tube keeps them
 * @param parent the task whose delivery put this one
 * @param puts the tasks that a delivery of this one put, the first 100
 * @param events the events
 * @param next where the next page begins; null if this page is the last
 * @param now the time of the answer
 */
public record HistoryView(
        String tube,
        String id,
        String history,
        Duration retention,
        Other parent,
        List<Other> puts,
        List<Event> events,
        String next,
        Instant now) {

    /** Another task; {@code at} is the time of its put, where it is known. It may be gone. */
    public record Other(String tube, String id, Instant at) {}

    /** A failed delivery: the id of its kind, the class, the message and the trace. */
    public record Failure(String fingerprint, String type, String message, String trace) {}

    /**
     * A move of the task.
     *
     * @param at its time
     * @param event its kind
     * @param from the state before
     * @param to the state after
     * @param attempt the number of takes since the put or the last kick
     * @param server the server that made the move
     * @param bean the bean that took the task
     * @param session the session that held the task
     * @param by the user in whose name it was made
     * @param until the deadline after it
     * @param failure the failure of the delivery that it ended
     * @param note a word about a special form of the event
     */
    public record Event(
            Instant at,
            String event,
            String from,
            String to,
            int attempt,
            String server,
            String bean,
            String session,
            String by,
            Instant until,
            Failure failure,
            String note) {

        static Event of(TaskEvent event) {
            return new Event(
                    event.at(),
                    event.event().name(),
                    event.from().map(TaskState::name).orElse(null),
                    event.to().map(TaskState::name).orElse(null),
                    event.attempt(),
                    event.server().orElse(null),
                    event.bean().orElse(null),
                    event.session().map(UUID::toString).orElse(null),
                    event.by().orElse(null),
                    event.until().orElse(null),
                    event.failure().map(Event::failure).orElse(null),
                    event.note().orElse(null));
        }

        private static Failure failure(TaskEvent.Failure failure) {
            Optional<String> trace = failure.trace();
            return new Failure(failure.fingerprint(), failure.type(), failure.message(), trace.orElse(null));
        }
    }

    public static HistoryView of(TaskHistory history) {
        return new HistoryView(
                history.tube(),
                Long.toString(history.id()),
                history.kept().name(),
                history.retention(),
                history.parent()
                        .map(task -> new Other(task.tube(), Long.toString(task.id()), null))
                        .orElse(null),
                history.puts().stream()
                        .map(put -> new Other(put.tube(), Long.toString(put.id()), put.at()))
                        .toList(),
                history.events().stream().map(Event::of).toList(),
                history.next().orElse(null),
                history.now());
    }

    /** What was logged during deliveries, the oldest first. */
    public record Logs(List<DeliveryLog> deliveries) {}
}
