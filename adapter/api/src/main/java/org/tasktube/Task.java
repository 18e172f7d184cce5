package org.tasktube;

import java.io.Serializable;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A task as it was when the call returned it. The value does not change with the task.
 *
 * @param id the id, which ascends with each put inside a tube and is never used again
 * @param tube the name of the tube
 * @param state the state at that moment
 * @param pri the priority, smaller first
 * @param attempts the number of takes since the put or the last kick, this one included
 * @param token the token of this take, 0 if the task is not TAKEN. An ack with the token of an earlier take fails.
 *     Tokens are random, so their order says nothing
 * @param utube the sub-queue; empty for none
 * @param headers the headers as put, in their order; empty for none. The map is unmodifiable. Each state change keeps
 *     them; a {@link OnConflict#REPLACE} sets new ones. The text of a task shows them, and not its data
 * @param data the data as put
 */
public record Task(
        long id,
        String tube,
        TaskState state,
        int pri,
        int attempts,
        long token,
        Optional<String> utube,
        Map<String, String> headers,
        TaskData data)
        implements Serializable {

    public Task {
        Objects.requireNonNull(tube, "tube");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(utube, "utube");
        Objects.requireNonNull(data, "data");
        headers = headers.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    }

    /** Serializes the task without its {@code Optional}, which is not serializable. */
    private Object writeReplace() {
        return new Written(id, tube, state, pri, attempts, token, utube.orElse(null), headers, data);
    }

    private record Written(
            long id,
            String tube,
            TaskState state,
            int pri,
            int attempts,
            long token,
            String utube,
            Map<String, String> headers,
            TaskData data)
            implements Serializable {

        private Object readResolve() {
            return new Task(id, tube, state, pri, attempts, token, Optional.ofNullable(utube), headers, data);
        }
    }

    /** Returns a copy of the data's bytes. */
    public byte[] bytes() {
        return data.bytes();
    }

    /** Returns the data as text, decoded as UTF-8. */
    public String text() {
        return data.text();
    }

    /**
     * Returns the data as an object: {@code String} and {@code byte[]} unchanged, any other type mapped from JSON.
     *
     * @throws TaskDataException if the data does not map to the type
     */
    public <T> T data(Class<T> type) {
        return data.as(type);
    }
}
