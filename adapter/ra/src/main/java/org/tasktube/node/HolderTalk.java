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
import java.util.concurrent.TimeUnit;
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

    /** The age of a look from which on a question waits for the next one. */
    private static final Duration FRESH = Duration.ofSeconds(1);

    /** The time until tasks that were asked for are looked at again. It doubles with each look. */
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

    /** From then on, the look of each minute does. */
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

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
    private final AtomicBoolean removes = new AtomicBoolean();
    private final AtomicBoolean comes = new AtomicBoolean();
    private volatile Duration pause = FIRST_PAUSE;
    private volatile long looked = System.nanoTime() - FRESH.toNanos();
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
    }

    @Override
    public void asked() {
        // It may be released before the commit, by a transaction that does not see the call
        transactions.afterCommit(() -> {
            pause = FIRST_PAUSE;
            removeSoon();
        });
    }

    private void removeSoon() {
        if (removes.compareAndSet(false, true)) {
            background.execute(this::remove);
        }
    }

    /** Comes again while there are some: each may be released by a transaction that is open now. */
    private void remove() {
        removes.set(false);
        Duration next = pause;
        boolean isAny = true;
        try {
            isAny = lookAtAll();
        } finally {
            if (isAny && next.compareTo(LONGEST_PAUSE) < 0 && comes.compareAndSet(false, true)) {
                pause = next.multipliedBy(2);
                queue.executeIn(next, () -> {
                    comes.set(false);
                    removeSoon();
                });
            }
        }
    }

    @Override
    public boolean isCancelled(long id) {
        asked = System.nanoTime();
        if (looks.compareAndSet(false, true)) {
            queue.execute(this::look);
        }
        awaitLook();
        return cancelled.contains(id);
    }

    /** Waits for a look if the last one is too old, for a second at most: the database may be away. */
    private synchronized void awaitLook() {
        long end = asked + FRESH.toNanos();
        try {
            for (long left = FRESH.toNanos();
                    left > 0 && asked - looked > FRESH.toNanos() && !queue.isThisThread();
                    left = end - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void looked(Set<Long> found, long at) {
        cancelled = found;
        looked = at;
        notifyAll();
    }

    private void look() {
        try {
            long begin = System.nanoTime();
            looked(access.store().progress().cancelled(), begin);
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

    /**
     * Removes cancelled tasks that nobody holds, and what is known of tasks whose taking is over. Returns whether there
     * are cancelled ones.
     */
    boolean lookAtAll() {
        Set<Long> all = access.store().progress().cancelled();
        try {
            access.store().progress().expire(all);
            if (!all.isEmpty()) {
                // Also those whose release has ended their ttl wait for the sweep, and their sub-queues with them
                deadlines.due(Duration.ZERO);
            }
        } finally {
            access.store().progress().removeOld();
        }
        return !all.isEmpty();
    }
}
