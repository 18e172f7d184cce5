package org.tasktube.console.json;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskFailure;
import org.tasktube.TaskMeta;
import org.tasktube.TaskProgress;
import org.tasktube.admin.FoundTask;
import org.tasktube.admin.TaskDetail;

/**
 * A task. A member without a value is absent. The last five members are those of one task only, not of a search.
 *
 * @param id the id, as text, because it can be over 2^53
 * @param tube the name of the tube
 * @param state the state
 * @param pri the priority, smaller first
 * @param utube the sub-queue
 * @param key the unique key
 * @param attempts the number of takes since the put or the last kick
 * @param takenCount the number of times that it was taken
 * @param buriedCount the number of times that it was buried
 * @param created the time of the put
 * @param takenAt the time of the take, if it is TAKEN
 * @param event the time when the delay, ttr or ttl of its state expires
 * @param ttl the whole time to live
 * @param ttr the time to run
 * @param session the session that holds it
 * @param server the server that holds it
 * @param failure the last failure
 * @param contentType the content type of its data
 * @param size the size of its data, in bytes
 * @param now the time of the database
 * @param headers its headers
 * @param data its data
 * @param result its result, if it is DONE
 * @param why the reason why it waits
 * @param order the tasks that come before it and after it; null for none
 * @param progress how far its holder says it is; null if nothing is known
 * @param beginning the first 80 characters of its data; null if they are no text, or could have a hidden value
 */
public record TaskRow(
        String id,
        String tube,
        String state,
        int pri,
        String utube,
        String key,
        int attempts,
        int takenCount,
        int buriedCount,
        Instant created,
        Instant takenAt,
        Instant event,
        Duration ttl,
        Duration ttr,
        UUID session,
        String server,
        FailureView failure,
        String contentType,
        long size,
        Instant now,
        Map<String, String> headers,
        DataView data,
        Views.Result result,
        Views.Why why,
        Views.Order order,
        Views.Progress progress,
        String beginning) {

    /** What is known of one task beside its row; the order and the progress can be null. */
    public record Known(Views.Why why, Views.Order order, Views.Progress progress) {}

    /** What is read of one task only, each null in a search. */
    private record Details(
            Map<String, String> headers,
            DataView data,
            Views.Result result,
            Views.Why why,
            Views.Order order,
            Views.Progress progress,
            Instant failed) {

        static Details of(TaskProgress progress) {
            return new Details(null, null, null, null, null, Views.Progress.of(progress), null);
        }
    }

    /** Returns the row of a search; the beginning of its data and its progress can be null. */
    public static TaskRow of(FoundTask found, TaskData beginning, TaskProgress progress, boolean sees) {
        String line = beginning == null ? null : DataView.line(beginning, found.size(), sees);
        return of(found, Details.of(progress), line);
    }

    /**
     * Returns one task. Its failure has the trace and the time that the search leaves out.
     *
     * @param sees true if the user sees values of secret names
     */
    public static TaskRow of(TaskDetail read, Known known, boolean sees) {
        Task task = read.task();
        Details details = new Details(
                sees ? task.headers() : Secrets.hide(task.headers()),
                DataView.of(task.data(), sees),
                read.result().map(result -> Views.Result.of(result, sees)).orElse(null),
                known.why,
                known.order,
                known.progress,
                read.failedAt().orElse(null));
        return of(read.found(), details, null);
    }

    private static TaskRow of(FoundTask found, Details details, String beginning) {
        TaskMeta meta = found.meta();
        return new TaskRow(
                Long.toString(meta.id()),
                meta.tube(),
                meta.state().name(),
                meta.pri(),
                meta.utube().orElse(null),
                meta.uniqueKey().orElse(null),
                meta.attempts(),
                meta.takenCount(),
                meta.buriedCount(),
                meta.created(),
                meta.takenAt().orElse(null),
                meta.event().orElse(null),
                meta.ttl().orElse(null),
                meta.ttr().orElse(null),
                meta.session().orElse(null),
                found.server().orElse(null),
                meta.lastFailure()
                        .map(failure -> FailureView.of(failure, details.failed))
                        .orElse(null),
                found.contentType(),
                found.size(),
                details.data == null ? null : meta.now(),
                details.headers,
                details.data,
                details.result,
                details.why,
                details.order,
                details.progress,
                beginning);
    }

    static String nullIfEmpty(String text) {
        return text.isEmpty() ? null : text;
    }

    /**
     * The last failure of a task.
     *
     * @param type the class of the exception
     * @param cause the class of its root cause; null if it has none
     * @param message its message
     * @param trace causes and frames; null in a row of a search
     * @param fingerprint the id of the kind
     * @param at the time of the failed delivery; null in a row of a search
     */
    public record FailureView(String type, String cause, String message, String trace, String fingerprint, Instant at) {

        static FailureView of(TaskFailure failure, Instant at) {
            return new FailureView(
                    failure.type(),
                    nullIfEmpty(failure.fingerprint().cause()),
                    failure.message(),
                    nullIfEmpty(failure.trace()),
                    failure.fingerprint().id(),
                    at);
        }
    }
}
