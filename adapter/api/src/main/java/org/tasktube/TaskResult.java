package org.tasktube;

import java.io.Serializable;
import java.time.Duration;
import java.util.Objects;

/**
 * What came of a task. It is kept with the task, which is DONE then, until its time is over. (The outcomes and the hour are
 * Torrelque's.)
 *
 * @param outcome whether the work was done or refused
 * @param data the result
 * @param ttl how long it is kept from the ack on, at least a millisecond and at most {@link TubeDefinition#MAX_DURATION}
 */
public record TaskResult(Outcome outcome, TaskData data, Duration ttl) implements Serializable {

    /** How long a result is kept if nothing else is said: an hour. */
    public static final Duration DEFAULT_TTL = Duration.ofHours(1);

    /** How a task ended. */
    public enum Outcome {
        /** The work was done. */
        COMPLETED,
        /** The work was not done, and will not be. */
        REJECTED
    }

    /** @throws IllegalArgumentException for a ttl out of its bounds */
    public TaskResult {
        Objects.requireNonNull(outcome, "outcome");
        Objects.requireNonNull(data, "data");
        Limits.checkSpan("ttl of a result", ttl);
    }

    /**
     * The work was done.
     *
     * @param data bytes, text, or what JSON-B can map
     * @throws TaskDataException if the data does not map to JSON
     */
    public static TaskResult completed(Object data) {
        return new TaskResult(Outcome.COMPLETED, TaskData.of(data), DEFAULT_TTL);
    }

    /** The work was not done, and will not be. Takes and throws what {@link #completed} does. */
    public static TaskResult rejected(Object data) {
        return new TaskResult(Outcome.REJECTED, TaskData.of(data), DEFAULT_TTL);
    }

    /**
     * The same, kept for another time.
     *
     * @throws IllegalArgumentException for a ttl out of its bounds
     */
    public TaskResult ttl(Duration value) {
        return new TaskResult(outcome, data, value);
    }

    /**
     * The result as an object: {@code String} and {@code byte[]} as they are, all else mapped from JSON.
     *
     * @throws TaskDataException if the data does not map to the type
     */
    public <T> T data(Class<T> type) {
        return data.as(type);
    }
}
