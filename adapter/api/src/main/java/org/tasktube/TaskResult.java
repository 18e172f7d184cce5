package org.tasktube;

import java.io.Serializable;
import java.time.Duration;
import java.util.Objects;

/**
 * The result of a task. The task is DONE and keeps its result until the result's ttl expires. (The outcomes and the
 * default of one hour are Torrelque's.)
 *
 * @param outcome COMPLETED or REJECTED
 * @param data the result
 * @param ttl the time for which the result is kept after the ack, at least 1 ms and at most
 *     {@link TubeDefinition#MAX_DURATION}
 */
public record TaskResult(Outcome outcome, TaskData data, Duration ttl) implements Serializable {

    /** The default ttl of a result, one hour. */
    public static final Duration DEFAULT_TTL = Duration.ofHours(1);

    /** The two ways in which a task can end. */
    public enum Outcome {
        /** The work was done. */
        COMPLETED,
        /** The work was refused, and will not be done. */
        REJECTED
    }

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if the ttl is below 1 ms or over {@link TubeDefinition#MAX_DURATION}
     */
    public TaskResult {
        Objects.requireNonNull(outcome, "outcome");
        Objects.requireNonNull(data, "data");
        Limits.checkSpan("ttl of a result", ttl);
    }

    /**
     * Returns a result of work that was done, kept for {@link #DEFAULT_TTL}.
     *
     * @param data bytes, text, or an object that JSON-B can map
     * @throws NullPointerException if the data is null
     * @throws TaskDataException if the data does not map to JSON
     */
    public static TaskResult completed(Object data) {
        return new TaskResult(Outcome.COMPLETED, TaskData.of(data), DEFAULT_TTL);
    }

    /**
     * Returns a result of work that was refused and will not be done, kept for {@link #DEFAULT_TTL}.
     *
     * @param data bytes, text, or an object that JSON-B can map
     * @throws NullPointerException if the data is null
     * @throws TaskDataException if the data does not map to JSON
     */
    public static TaskResult rejected(Object data) {
        return new TaskResult(Outcome.REJECTED, TaskData.of(data), DEFAULT_TTL);
    }

    /**
     * Returns a copy with another ttl.
     *
     * @throws IllegalArgumentException if the ttl is below 1 ms or over {@link TubeDefinition#MAX_DURATION}
     */
    public TaskResult ttl(Duration value) {
        return new TaskResult(outcome, data, value);
    }

    /**
     * Returns the result as an object: {@code String} and {@code byte[]} unchanged, any other type mapped from JSON.
     *
     * @throws TaskDataException if the data does not map to the type
     */
    public <T> T data(Class<T> type) {
        return data.as(type);
    }
}
