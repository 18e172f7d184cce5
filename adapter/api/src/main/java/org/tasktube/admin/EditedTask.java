package org.tasktube.admin;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import org.tasktube.TaskData;

/**
 * A new form of a task, for {@link TaskAdmin#retryEdited}. Absent values are those of the task, if its tube has them.
 *
 * @param data the new data; absent, that of the task
 * @param pri the priority, from 0, smaller first
 * @param ttl the time to live; absent, the whole ttl of the task begins anew
 * @param ttr the time to run
 * @param delay the time before the task becomes READY; absent, it is READY at once
 * @param utube the sub-queue
 * @param headers the headers; absent, those of the task
 * @param keepOld true to keep the task; the new one then has no unique key
 */
public record EditedTask(
        Optional<TaskData> data,
        OptionalInt pri,
        Optional<Duration> ttl,
        Optional<Duration> ttr,
        Optional<Duration> delay,
        Optional<String> utube,
        Optional<Map<String, String>> headers,
        boolean keepOld) {

    public EditedTask {
        Objects.requireNonNull(data, "data");
    }

    /** Returns a task that differs in its data only. */
    public static EditedTask of(TaskData data) {
        return new EditedTask(
                Optional.of(data),
                OptionalInt.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                false);
    }
}
