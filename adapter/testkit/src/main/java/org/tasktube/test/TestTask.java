package org.tasktube.test;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskState;

/**
 * A task for the test of a bean alone, as a delivery gives it: TAKEN, at its first attempt, and in no database. What a
 * bean does with the task's tube needs {@link TubeKit}.
 */
public final class TestTask {

    private final TaskData data;
    private final Map<String, String> headers = new LinkedHashMap<>();
    private long id = 1;
    private String tube = "test";
    private int pri;
    private int attempts = 1;
    private Optional<String> utube = Optional.empty();

    private TestTask(TaskData data) {
        this.data = data;
    }

    /**
     * Returns a task with this data, which is converted as by a put: text and bytes unchanged, anything else to JSON.
     *
     * @throws IllegalArgumentException if a put would refuse the data
     */
    public static Task of(Object data) {
        return with(data).build();
    }

    /** Begins a task with this data, whose other values are the defaults. */
    public static TestTask with(Object data) {
        return new TestTask(TaskData.of(data));
    }

    /** Default: 1. */
    public TestTask id(long value) {
        id = value;
        return this;
    }

    /** The name of the tube; default: {@code test}. */
    public TestTask tube(String name) {
        tube = name;
        return this;
    }

    /** The priority, smaller first; default: 0. */
    public TestTask pri(int value) {
        pri = value;
        return this;
    }

    /** The number of takes, this one included; default: 1. */
    public TestTask attempts(int number) {
        attempts = number;
        return this;
    }

    /** The sub-queue; default: none. */
    public TestTask utube(String name) {
        utube = Optional.of(name);
        return this;
    }

    /** Adds a header; default: none. */
    public TestTask header(String name, String value) {
        headers.put(name, value);
        return this;
    }

    public Task build() {
        return new Task(id, tube, TaskState.TAKEN, pri, attempts, 1, utube, headers, data);
    }
}
