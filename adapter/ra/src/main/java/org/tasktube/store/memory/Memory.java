package org.tasktube.store.memory;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.tasktube.StoreException;
import org.tasktube.store.Change;
import org.tasktube.store.NewTask;
import org.tasktube.store.Put;
import org.tasktube.store.StoredTube;

/**
 * All tasks of all temporary tubes, with the changes of the open transactions. Callers hold the lock of
 * {@link OpenTransactions}.
 */
final class Memory {

    /** More than the ids that a server uses per millisecond, on average over its life. */
    private static final long IDS_PER_MILLISECOND = 1_000;

    final InstantSource clock;
    private final Map<Long, MemoryTask> tasks = new HashMap<>();
    private final Map<Integer, MemoryTube> tubes = new HashMap<>();

    /** Ids of tubes that are dropped, so that a caller with such a tube does not create it again. */
    private final Set<Integer> dropped = new HashSet<>();

    /** Committed rows with a deadline, also those that a transaction is changing: it may roll back. */
    private final NavigableSet<Row> events = new TreeSet<>(Row.BY_EVENT);

    private final FirstFailures firstFailures = new FirstFailures();
    final MemoryHistory history = new MemoryHistory();
    private final Room room;
    private final Room heap;
    private long lastId;

    /** The first transaction that has begun to end; null if there is none. */
    private MemoryTransaction ending;

    /** Ids start from the time, so that none is used again after a restart; they stay exact in a JSON number. */
    Memory(InstantSource clock, int maxTasks, long maxBytes) {
        this.clock = clock;
        this.room = new Room(maxTasks);
        this.heap = new Room(maxBytes);
        this.lastId = clock.millis() * IDS_PER_MILLISECOND;
    }

    long newId() {
        return ++lastId;
    }

    Optional<MemoryTask> task(long id) {
        return Optional.ofNullable(tasks.get(id));
    }

    /** Returns the task that an indexed row is a version of. */
    MemoryTask taskOf(Row row) {
        return tasks.get(row.id);
    }

    /** Returns the tasks of these ids in a tube, committed or not. */
    Stream<MemoryTask> tasks(StoredTube tube, Set<Long> ids) {
        history.saw(tube);
        return ids.stream().flatMap(id -> task(id).stream()).filter(task -> task.tube.id() == tube.id());
    }

    NavigableSet<Row> events() {
        return events;
    }

    FirstFailures firstFailures() {
        return firstFailures;
    }

    // Tubes

    boolean isDropped(MemoryTransaction transaction, int tube) {
        return dropped.contains(tube) || transaction.dropped.contains(tube);
    }

    Collection<MemoryTube> tubes() {
        return tubes.values();
    }

    Set<Integer> tubeIds() {
        return new HashSet<>(tubes.keySet());
    }

    Optional<MemoryTube> tube(int id) {
        return Optional.ofNullable(tubes.get(id));
    }

    /** Returns the tube; one without any put yet is created, and not kept. */
    MemoryTube tube(StoredTube tube) {
        history.saw(tube);
        MemoryTube known = tubes.get(tube.id());
        return known != null ? known : new MemoryTube(tube, clock);
    }

    // Changes

    Put put(MemoryTransaction transaction, StoredTube stored, List<NewTask> fresh) {
        history.saw(stored);
        MemoryTube tube = tubes.computeIfAbsent(stored.id(), none -> new MemoryTube(stored, clock));
        long weight = fresh.stream().mapToLong(Row::weight).sum();
        if (!hasSlot(transaction, tube, fresh.size()) || !heap.has(transaction, weight)) {
            return Put.FULL;
        }
        List<Long> ids = new ArrayList<>(fresh.size());
        for (NewTask one : fresh) {
            MemoryTask task = new MemoryTask(newId(), stored);
            Row row = Row.of(task.id, stored, task.lock, one, clock.instant());
            tasks.put(task.id, task);
            set(transaction, task, row);
            history.put(transaction, one, row);
            ids.add(task.id);
        }
        return Put.done(ids);
    }

    /** Returns whether there may be room for one more task in a tube, if it is a small one. */
    boolean hasSlot(MemoryTransaction transaction, int tube) {
        return heap.has(transaction, Row.OVERHEAD)
                && tube(tube).map(there -> hasSlot(transaction, there, 1)).orElseGet(() -> room.has(transaction, 1));
    }

    private boolean hasSlot(MemoryTransaction transaction, MemoryTube tube, int more) {
        return tube.slots.has(transaction, more) && room.has(transaction, more);
    }

    /** Changes a task as the transaction sees it; returns the new version. */
    Row change(MemoryTransaction transaction, MemoryTask task, Change change, RowEdit edit) {
        Row before = task.seenBy(transaction);
        Row next = before.copy();
        Instant now = clock.instant();
        edit.apply(next, now);
        checkRoom(transaction, before, next);
        set(transaction, task, next);
        history.changed(transaction, change, before, next, now);
        return next;
    }

    /** Takes the unique key from a task. It is no change that others see. */
    void freeKey(MemoryTransaction transaction, MemoryTask task) {
        Row next = task.seenBy(transaction).copy();
        next.key = null;
        set(transaction, task, next);
    }

    /** Removes a task by a change, which its history may keep. */
    void remove(MemoryTransaction transaction, MemoryTask task, Change change) {
        Row before = task.seenBy(transaction);
        remove(transaction, task);
        history.changed(transaction, change, before, null, clock.instant());
    }

    /** Data, headers and results need room; a failure is short, and must not be lost with its delivery. */
    private void checkRoom(MemoryTransaction transaction, Row before, Row next) {
        long more = next.payload() - before.payload();
        if (!heap.has(transaction, more)) {
            throw new StoreException("the temporary tubes of this server have no room for " + more
                    + " bytes more of task " + next.id + " of tube '" + next.tube.name()
                    + "'; nothing was changed. Try again when tasks are worked off, or raise temporaryMaxBytes");
        }
    }

    void remove(MemoryTransaction transaction, MemoryTask task) {
        set(transaction, task, null);
    }

    /** Sets the version that the transaction sees from now on, and all after its commit; null for removed. */
    private void set(MemoryTransaction transaction, MemoryTask task, Row next) {
        Row before = task.seenBy(transaction);
        // First of all, so that the end of the transaction finds it even if an Error ends this half-way
        transaction.changed.add(task);
        unindex(transaction, task);
        task.lock.acquire(transaction);
        task.pending = next;
        account(transaction, task, before, -1);
        account(transaction, task, next, 1);
        index(transaction, task);
    }

    private void account(MemoryTransaction transaction, MemoryTask task, Row row, int sign) {
        if (row != null) {
            tubeOf(task).slots.add(transaction, sign);
            room.add(transaction, sign);
            heap.add(transaction, sign * row.weight());
        }
    }

    private void unindex(MemoryTransaction transaction, MemoryTask task) {
        tubeOf(task).unindex(transaction, task);
        if (task.committed != null && task.committed.event != null) {
            events.remove(task.committed);
        }
    }

    private void index(MemoryTransaction transaction, MemoryTask task) {
        tubeOf(task).index(transaction, task);
        if (task.committed != null && task.committed.event != null) {
            events.add(task.committed);
        }
    }

    private MemoryTube tubeOf(MemoryTask task) {
        return tubes.get(task.tube.id());
    }

    // Ends of transactions

    /**
     * Ends a transaction. It cannot fail for lack of room, which was reserved. If Errors end this half-way, as a lack
     * of heap or stack does, the next call does the rest.
     */
    void end(MemoryTransaction transaction, boolean commit, Collection<MemoryTransaction> others) {
        // Fields, because the stack may have no room for a call
        transaction.commits = commit;
        transaction.isDecided = true;
        transaction.next = ending;
        ending = transaction;
        try {
            finishEnds(others);
        } catch (Error e) {
            // The memory freed by then mostly suffices, and the caller need not learn of it
            finishEnds(others);
        }
    }

    /** Ends the transactions that have begun to end. */
    void finishEnds(Collection<MemoryTransaction> others) {
        while (ending != null) {
            MemoryTransaction first = ending;
            try {
                finishEnd(first, others);
            } catch (RuntimeException e) {
                // A fault of TaskTube, which would end each further call
                ending = first.next;
                throw e;
            }
            ending = first.next;
        }
    }

    private void finishEnd(MemoryTransaction transaction, Collection<MemoryTransaction> others) {
        if (transaction.commits) {
            transaction.dropped.forEach(tube -> tube(tube).ifPresent(there -> clear(transaction, there, others)));
            dropped.addAll(transaction.dropped);
            history.commit(transaction, dropped);
        }
        for (Iterator<MemoryTask> tasks = transaction.changed.iterator(); tasks.hasNext(); tasks.remove()) {
            MemoryTask task = tasks.next();
            tubeOf(task).slots.end(transaction, transaction.commits);
            finish(transaction, task, transaction.commits);
        }
        room.end(transaction, transaction.commits);
        heap.end(transaction, transaction.commits);
        if (transaction.commits) {
            tubes.keySet().removeAll(transaction.dropped);
        }
        transaction.end();
    }

    /**
     * Makes the version of a task that holds after the end the committed one. It may run again after an Error has ended
     * it half-way.
     */
    private void finish(MemoryTransaction transaction, MemoryTask task, boolean commit) {
        unindex(transaction, task);
        if (task.lock.isHeldBy(transaction)) {
            Row row = commit ? task.pending : task.committed;
            task.lock.release();
            task.committed = row;
            task.pending = null;
        }
        if (task.committed == null) {
            tasks.remove(task.id);
        } else {
            task.committed.blocked = false;
            firstFailures.add(task.committed);
            index(transaction, task);
        }
    }

    /** Removes the tasks that a tube got after its drop, and undoes the changes of other transactions to it. */
    private void clear(MemoryTransaction transaction, MemoryTube tube, Collection<MemoryTransaction> others) {
        for (MemoryTransaction other : others) {
            if (other != transaction) {
                List.copyOf(other.changed).stream()
                        .filter(task -> task.tube.id() == tube.id())
                        .forEach(task -> undo(other, task));
            }
        }
        tube.all(transaction).toList().forEach(row -> remove(transaction, taskOf(row)));
    }

    private void undo(MemoryTransaction transaction, MemoryTask task) {
        account(transaction, task, task.pending, -1);
        account(transaction, task, task.committed, 1);
        transaction.changed.remove(task);
        finish(transaction, task, false);
    }
}
