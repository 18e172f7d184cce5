package org.tasktube;

import java.io.Serializable;
import java.util.Objects;
import java.util.Optional;

/**
 * A task as it was at the moment of the call that returned it: a value, which does not follow what happens later.
 *
 * @param id ascends with put inside a tube, and is never used again
 * @param tube the name of the tube
 * @param state the state at that moment
 * @param pri the priority, smaller first
 * @param attempts how often the task was taken since it was put or last kicked, this time included
 * @param token names this one taking of the task, 0 if it is not taken. An ack with the token of an earlier taking
 *     fails. Tokens are random: they differ, and say nothing about which came later
 * @param utube the sub-queue it is in; empty for none
 * @param data what was put
 */
public record Task(
        long id, String tube, TaskState state, int pri, int attempts, long token, Optional<String> utube, TaskData data)
        implements Serializable {

    public Task {
        Objects.requireNonNull(tube, "tube");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(utube, "utube");
        Objects.requireNonNull(data, "data");
    }

    /** An {@code Optional} cannot be serialized. */
    private Object writeReplace() {
        return new Written(id, tube, state, pri, attempts, token, utube.orElse(null), data);
    }

    private record Written(
            long id, String tube, TaskState state, int pri, int attempts, long token, String utube, TaskData data)
            implements Serializable {

        private Object readResolve() {
            return new Task(id, tube, state, pri, attempts, token, Optional.ofNullable(utube), data);
        }
    }

    /** The data as it was put, a copy. */
    public byte[] bytes() {
        return data.bytes();
    }

    /** The data as text, in UTF-8. */
    public String text() {
        return data.text();
    }

    /**
     * The data as an object: {@code String} and {@code byte[]} as they are, all else mapped from JSON.
     *
     * @throws TaskDataException if the data does not map to the type
     */
    public <T> T data(Class<T> type) {
        return data.as(type);
    }
}
