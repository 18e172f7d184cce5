package org.tasktube.model;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.TaskMeta;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.store.Effects;
import org.tasktube.store.StoredTube;
import org.tasktube.store.TaskStore;
import org.tasktube.store.Transactions;
import org.tasktube.store.memory.MemoryTaskStore;

/** The store of temporary tubes. */
final class MemoryEnvironment implements Environment {

    private static final int ALL = 10_000;

    private Instant now = START;
    private final ByHand transactions = new ByHand();
    private final MemoryTaskStore store = new MemoryTaskStore(transactions, ALL, 64 << 20, this::now);
    private int tubes;

    private Instant now() {
        return now;
    }

    @Override
    public TaskStore store() {
        return store;
    }

    @Override
    public StoredTube create(TubeDefinition tube, boolean subQueues) {
        return new StoredTube(++tubes, tube.asTemporary(), subQueues);
    }

    @Override
    public void setClock(Instant to) {
        now = to;
    }

    @Override
    public void as(int actor) {
        transactions.actor = actor;
    }

    @Override
    public void begin(int actor) {
        transactions.open.put(actor, new Effects());
    }

    @Override
    public void end(int actor, boolean commit) {
        transactions.open.remove(actor).end(commit);
    }

    @Override
    public Map<Long, Version> contents(List<StoredTube> of) {
        Map<Long, Version> contents = new HashMap<>();
        for (StoredTube tube : of) {
            for (TaskState state : TaskState.values()) {
                store.page(tube, state, Long.MIN_VALUE, ALL)
                        .forEach(task -> contents.put(
                                task.id(),
                                version(tube, task, store.meta(tube, task.id()).orElseThrow())));
            }
        }
        return contents;
    }

    private Version version(StoredTube tube, Task task, TaskMeta meta) {
        Version version = new Version();
        version.state = task.state();
        version.pri = task.pri();
        version.data = task.text();
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
        version.result = store.result(tube, task.id()).map(Environment::text).orElse(null);
        return version;
    }

    @Override
    public void close() {
        store.close();
    }

    /** Transactions that are begun and ended by a test; an actor is in its own. */
    private static final class ByHand implements Transactions {

        private final Map<Integer, Effects> open = new HashMap<>();
        private int actor;

        @Override
        public boolean active() {
            return open.containsKey(actor);
        }

        @Override
        public Object key() {
            return open.get(actor);
        }

        @Override
        public void check() {
            // None ends while its actor is in it
        }

        @Override
        public void setRollbackOnly() {
            throw new IllegalStateException("nothing fails half-way");
        }

        @Override
        public void join(Participant participant) {
            open.get(actor).join(participant);
        }

        @Override
        public void afterCommit(Runnable action) {
            if (active()) {
                open.get(actor).afterCommit(action);
            } else {
                action.run();
            }
        }

        @Override
        public void atEnd(Runnable action) {
            if (active()) {
                open.get(actor).atEnd(action);
            } else {
                action.run();
            }
        }
    }
}
