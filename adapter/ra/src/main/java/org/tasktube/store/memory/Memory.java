package org.tasktube.store.memory;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.tasktube.StoreException;
import org.tasktube.store.NewTask;
import org.tasktube.store.Put;
import org.tasktube.store.StoredTube;

/**
 * All tasks of all temporary tubes, and what the open transactions are making of them. Each method is for who has the lock
 * of {@link OpenTransactions}.
 */
final class Memory {

    /** Fewer ids than these are given out in a millisecond, on average over the life of a server. */
    private static final long IDS_IN_A_MILLISECOND = 1_000;

    final InstantSource clock;
    private final Map<Long, MemoryTask> tasks = new HashMap<>();
    private final Map<Integer, MemoryTube> tubes = new HashMap<>();

    /** Numbers are all that is left of them, so that who still has such a tube does not begin it anew. */
    private final Set<Integer> dropped = new HashSet<>();

    /** All that come by themselves, also to what is being changed: its transaction may roll back. */
    private final NavigableSet<Row> events = new TreeSet<>(Row.BY_EVENT);

    private final Room room;
    private final Room heap;
    private long lastId;

    /** Ids start from the time, so that none of before a restart is given out again; they stay exact in a JSON number. */
    Memory(InstantSource clock, int maxTasks, long maxBytes) {
        this.clock = clock;
        this.room = new Room(maxTasks);
        this.heap = new Room(maxBytes);
        this.lastId = clock.millis() * IDS_IN_A_MILLISECOND;
    }

    long newId() {
        return ++lastId;
    }

    Optional<MemoryTask> task(long id) {
        return Optional.ofNullable(tasks.get(id));
    }

    NavigableSet<Row> events() {
        return events;
    }

    // Tubes

    boolean isDropped(MemoryTransaction transaction, int tube) {
        return dropped.contains(tube) || transaction.dropped.contains(tube);
    }

    Collection<MemoryTube> tubes() {
        return tubes.values();
    }

    /**
     * The tubes that were registered for sure: a transaction that creates a tube may be the one that is putting its first task.
     */
    Set<Integer> registeredTubes(Collection<MemoryTransaction> open) {
        Set<Integer> changing = open.stream()
                .flatMap(transaction -> transaction.changed.stream())
                .map(task -> task.tube.id())
                .collect(Collectors.toSet());
        return tubes.values().stream()
                .filter(tube -> !tube.isEmpty() || !changing.contains(tube.id()))
                .map(MemoryTube::id)
                .collect(Collectors.toSet());
    }

    Optional<MemoryTube> tube(int id) {
        return Optional.ofNullable(tubes.get(id));
    }

    /** The tube; one that nothing was put into yet is not kept. */
    MemoryTube tube(StoredTube tube) {
        MemoryTube known = tubes.get(tube.id());
        return known != null ? known : new MemoryTube(tube, clock);
    }

    // Changes

    Put put(MemoryTransaction transaction, StoredTube stored, List<NewTask> fresh) {
        MemoryTube tube = tubes.computeIfAbsent(stored.id(), none -> new MemoryTube(stored, clock));
        long weight = fresh.stream().mapToLong(Row::weight).sum();
        if (!hasPlace(transaction, tube, fresh.size()) || !heap.has(transaction, weight)) {
            return Put.FULL;
        }
        List<Long> ids = new ArrayList<>(fresh.size());
        for (NewTask one : fresh) {
            MemoryTask task = new MemoryTask(newId(), tube);
            Row row = Row.of(task, one, clock.instant());
            tasks.put(task.id, task);
            set(transaction, task, row);
            ids.add(task.id);
        }
        return Put.done(ids);
    }

    /** Whether there may be room for one more task in a tube, if it is a small one. */
    boolean hasPlace(MemoryTransaction transaction, int tube) {
        return heap.has(transaction, Row.OVERHEAD)
                && tube(tube).map(there -> hasPlace(transaction, there, 1)).orElseGet(() -> room.has(transaction, 1));
    }

    private boolean hasPlace(MemoryTransaction transaction, MemoryTube tube, int more) {
        return tube.places.has(transaction, more) && room.has(transaction, more);
    }

    /** Changes a task as the transaction sees it; returns what it is now. */
    Row change(MemoryTransaction transaction, MemoryTask task, Moves.Move move) {
        Row before = task.seenBy(transaction);
        Row next = before.copy();
        move.make(next, clock.instant());
        checkRoom(transaction, before, next);
        set(transaction, task, next);
        return next;
    }

    /** Data and results wait for room; a failure is short, and must not be lost with the delivery that it is of. */
    private void checkRoom(MemoryTransaction transaction, Row before, Row next) {
        long more = next.payload() - before.payload();
        if (!heap.has(transaction, more)) {
            throw new StoreException("the temporary tubes of this server have no room for " + more
                    + " bytes more of task " + next.id + " of tube '" + next.task.tube.name()
                    + "'; nothing was changed. Try again when tasks are worked off, or raise temporaryMaxBytes");
        }
    }

    void remove(MemoryTransaction transaction, MemoryTask task) {
        set(transaction, task, null);
    }

    /** What a task is to the transaction from now on, and after its commit to all; null for gone. */
    void set(MemoryTransaction transaction, MemoryTask task, Row next) {
        Row before = task.seenBy(transaction);
        // First of all, so that the end of the transaction finds it even if an Error ends this half-way
        transaction.changed.add(task);
        unindex(task);
        task.owner = transaction;
        task.pending = next;
        account(transaction, task.tube, before, -1);
        account(transaction, task.tube, next, 1);
        index(task);
    }

    private void account(MemoryTransaction transaction, MemoryTube tube, Row row, int sign) {
        if (row != null) {
            tube.places.add(transaction, sign);
            room.add(transaction, sign);
            heap.add(transaction, sign * row.weight());
        }
    }

    private void unindex(MemoryTask task) {
        task.tube.unindex(task);
        if (task.committed != null && task.committed.event != null) {
            events.remove(task.committed);
        }
    }

    private void index(MemoryTask task) {
        task.tube.index(task);
        if (task.committed != null && task.committed.event != null) {
            events.add(task.committed);
        }
    }

    // Ends of transactions

    /** Nothing in here can fail for want of room: that was reserved. */
    void end(MemoryTransaction transaction, boolean commit, Collection<MemoryTransaction> others) {
        if (commit) {
            transaction.dropped.forEach(tube -> tube(tube).ifPresent(there -> clear(transaction, there, others)));
            dropped.addAll(transaction.dropped);
        }
        Set<MemoryTube> touched = new HashSet<>();
        for (MemoryTask task : transaction.changed) {
            touched.add(task.tube);
            settleSurely(task, commit ? task.pending : task.committed);
        }
        touched.forEach(tube -> tube.places.end(transaction, commit));
        room.end(transaction, commit);
        heap.end(transaction, commit);
        if (commit) {
            tubes.keySet().removeAll(transaction.dropped);
        }
        transaction.end();
    }

    /** An Error in between leaves the other tasks to be settled, and mostly passes: what was freed by then suffices. */
    private void settleSurely(MemoryTask task, Row row) {
        try {
            settle(task, row);
        } catch (Throwable e) {
            settle(task, row);
        }
    }

    private void settle(MemoryTask task, Row row) {
        unindex(task);
        task.committed = row;
        task.pending = null;
        task.owner = null;
        if (row == null) {
            tasks.remove(task.id);
        } else {
            row.behind = false;
            index(task);
        }
    }

    /** Removes what has come into a tube since it was dropped, and what other transactions are making of it. */
    private void clear(MemoryTransaction transaction, MemoryTube tube, Collection<MemoryTransaction> others) {
        for (MemoryTransaction other : others) {
            if (other != transaction) {
                List.copyOf(other.changed).stream()
                        .filter(task -> task.tube == tube)
                        .forEach(task -> undo(other, task));
            }
        }
        tube.all(transaction).toList().forEach(task -> remove(transaction, task));
    }

    private void undo(MemoryTransaction transaction, MemoryTask task) {
        account(transaction, task.tube, task.pending, -1);
        account(transaction, task.tube, task.committed, 1);
        transaction.changed.remove(task);
        settle(task, task.committed);
    }
}
