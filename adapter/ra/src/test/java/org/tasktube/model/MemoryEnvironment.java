package org.tasktube.model;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.TaskMeta;
import org.tasktube.TaskState;
import org.tasktube.store.StoredTube;
import org.tasktube.testing.TestStore;

/** The store of temporary tubes. */
final class MemoryEnvironment extends Environment {

    private static final int ALL = 10_000;

    MemoryEnvironment() {
        super(TestStore.Kind.MEMORY.open());
    }

    @Override
    boolean hasExactCapacity() {
        return true;
    }

    @Override
    Map<Long, Version> contents(List<StoredTube> of) {
        Map<Long, Version> contents = new HashMap<>();
        for (StoredTube tube : of) {
            for (TaskState state : TaskState.values()) {
                store().reads()
                        .page(tube, state, Long.MIN_VALUE, ALL)
                        .forEach(task -> contents.put(
                                task.id(),
                                version(
                                        tube,
                                        task,
                                        store().reads().meta(tube, task.id()).orElseThrow())));
            }
        }
        return contents;
    }

    private Version version(StoredTube tube, Task task, TaskMeta meta) {
        Version version = new Version();
        version.state = task.state();
        version.pri = task.pri();
        version.data = task.text();
        version.headers = task.headers();
        version.utube = meta.utube().orElse(null);
        version.key = meta.uniqueKey().orElse(null);
        version.created = Environment.millis(meta.created());
        version.event = Environment.millis(meta.event().orElse(null));
        version.expires = meta.ttl()
                .map(ttl -> version.created + Environment.exactly(ttl))
                .orElse(null);
        version.ttr = meta.ttr().map(Environment::exactly).orElse(null);
        version.session = Environment.actor(meta.session().orElse(null));
        version.takenAt = Environment.millis(meta.takenAt().orElse(null));
        version.attempts = meta.attempts();
        version.taken = meta.takenCount();
        version.buried = meta.buriedCount();
        version.failure = meta.lastFailure().map(TaskFailure::message).orElse(null);
        version.result =
                store().reads().result(tube, task.id()).map(Environment::text).orElse(null);
        return version;
    }
}
