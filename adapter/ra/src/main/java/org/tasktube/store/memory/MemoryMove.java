package org.tasktube.store.memory;

import java.util.Optional;
import org.tasktube.store.TaskId;
import org.tasktube.store.TaskLog;

/** A move of a task in memory. Later moves have higher numbers. */
record MemoryMove(TaskId task, TaskLog.Move move, Optional<TaskId> parent) {

    long text() {
        return move.event()
                .failure()
                .map(failure -> (long) failure.type().length()
                        + failure.message().length()
                        + failure.trace().map(String::length).orElse(0))
                .orElse(0L);
    }
}
