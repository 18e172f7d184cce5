package org.tasktube.node;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.tasktube.TaskProgress;
import org.tasktube.store.InName;
import org.tasktube.store.Transactions;
import org.tasktube.tube.Deadlines;
import org.tasktube.tube.TubeContext;

/**
 * What holders say about their tasks, and what they are asked. A holder asks and says by the memory only, because its
 * transaction may be open for long, and may have locked its task. The maintenance thread reads. What can meet the lock of
 * another transaction is written on the background thread.
 */
final class HolderTalk implements TubeContext.Holding {

    /** The time between two looks for cancelled tasks. */
    private static final Duration LOOK = Duration.ofMillis(400);

    /** The time after the last question from which on it does not look any more. */
    private static final long RESTS = Duration.ofSeconds(30).toNanos();

    /** The time between two writes. */
    private static final Duration WRITE = Duration.ofSeconds(1);

    private final StoreAccess access;
    private final MaintenanceQueue queue;
    private final Executor background;
    private final Transactions transactions;
    private final Deadlines deadlines;
    private final String server;
    private final Map<Long, TaskProgress> said = new ConcurrentHashMap<>();
    private final AtomicBoolean looks = new AtomicBoolean();
    private final AtomicBoolean writes = new AtomicBoolean();
    private volatile Set<Long> cancelled = Set.of();
    private volatile long asked;
    private volatile long written = System.nanoTime() - WRITE.toNanos();

    HolderTalk(
            StoreAccess access,
            MaintenanceQueue queue,
            Executor background,
            Transactions transactions,
            Deadlines deadlines,
            String server) {
        this.access = access;
        this.queue = queue;
        this.background = background;
        this.transactions = transactions;
        this.deadlines = deadlines;
        this.server = server;
    }

    @Override
    public void ask(long id, String reason) {
        access.progress().ask(id, InName.present().orElse(server), reason);
        // It may be released before the commit, by a transaction that does not see the call
        transactions.afterCommit(() -> background.execute(() -> expire(Set.of(id))));
    }

    @Override
    public boolean isCancelled(long id) {
        asked = System.nanoTime();
        if (looks.compareAndSet(false, true)) {
            queue.execute(this::look);
        }
        return cancelled.contains(id);
    }

    private void look() {
        try {
            cancelled = access.store().progress().cancelled();
        } finally {
            if (System.nanoTime() - asked < RESTS) {
                queue.executeIn(LOOK, this::look);
            } else {
                looks.set(false);
            }
        }
    }

    @Override
    public void says(long id, TaskProgress progress) {
        said.put(id, progress);
        if (writes.compareAndSet(false, true)) {
            Duration pause = WRITE.minusNanos(System.nanoTime() - written);
            queue.executeIn(pause.isNegative() ? Duration.ZERO : pause, () -> background.execute(this::write));
        }
    }

    private void write() {
        written = System.nanoTime();
        writes.set(false);
        SortedMap<Long, TaskProgress> now = new TreeMap<>();
        said.keySet().forEach(id -> now.put(id, said.remove(id)));
        access.store().progress().write(now);
    }

    @Override
    public Optional<TaskProgress> of(long id) {
        return Optional.ofNullable(access.progress().of(List.of(id)).get(id));
    }

    private void expire(Set<Long> ids) {
        if (access.store().progress().expire(ids)) {
            deadlines.due(Duration.ZERO);
        }
    }

    /** Removes cancelled tasks that nobody holds, and what is known of tasks whose taking is over. */
    void lookAtAll() {
        expire(access.store().progress().cancelled());
        access.store().progress().removeOld();
    }
}
