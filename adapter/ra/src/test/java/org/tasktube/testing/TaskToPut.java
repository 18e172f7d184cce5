package org.tasktube.testing;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.tasktube.TaskData;
import org.tasktube.TaskState;
import org.tasktube.spi.Position;
import org.tasktube.store.NewTask;
import org.tasktube.store.TaskId;

/**
 * Builds a task to put into a store. Without further words it is READY, has pri 0, goes to the end, and has neither
 * times nor a sub-queue nor a key nor headers.
 */
public final class TaskToPut {

    private final TaskData data;
    private int pri;
    private Position position = Position.last();
    private Optional<Duration> delay = Optional.empty();
    private Optional<Duration> ttl = Optional.empty();
    private Optional<Duration> ttr = Optional.empty();
    private Optional<String> utube = Optional.empty();
    private Optional<String> uniqueKey = Optional.empty();
    private Map<String, String> headers = Map.of();
    private Optional<TaskId> parent = Optional.empty();

    private TaskToPut(TaskData data) {
        this.data = data;
    }

    public static TaskToPut of(String text) {
        return of(TaskData.of(text));
    }

    public static TaskToPut of(TaskData data) {
        return new TaskToPut(data);
    }

    public TaskToPut pri(int value) {
        pri = value;
        return this;
    }

    public TaskToPut at(Position where) {
        position = where;
        return this;
    }

    /** DELAYED, for so long. */
    public TaskToPut delay(Duration value) {
        delay = Optional.of(value);
        return this;
    }

    public TaskToPut ttl(Duration value) {
        ttl = Optional.of(value);
        return this;
    }

    public TaskToPut ttr(Duration value) {
        ttr = Optional.of(value);
        return this;
    }

    public TaskToPut utube(String value) {
        utube = Optional.of(value);
        return this;
    }

    public TaskToPut uniqueKey(String value) {
        uniqueKey = Optional.of(value);
        return this;
    }

    public TaskToPut headers(Map<String, String> values) {
        headers = values;
        return this;
    }

    /** Put by the delivery of that task. */
    public TaskToPut parent(TaskId value) {
        parent = Optional.of(value);
        return this;
    }

    public NewTask build() {
        TaskState state = delay.isPresent() ? TaskState.DELAYED : TaskState.READY;
        return new NewTask(
                state,
                pri,
                position,
                delay.or(() -> ttl),
                ttl,
                ttr,
                utube,
                uniqueKey,
                headers,
                data,
                parent,
                Optional.empty());
    }
}
