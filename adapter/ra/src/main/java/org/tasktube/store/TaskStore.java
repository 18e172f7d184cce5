package org.tasktube.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.tasktube.FailureGroup;
import org.tasktube.Fingerprint;
import org.tasktube.Task;
import org.tasktube.TaskState;

/**
 * Keeps tasks. Each method is atomic. If the caller has a transaction, a method is part of it, unless its comment says
 * otherwise. A change is guarded: if the task is not in the state, or that taking does not hold it, the empty result is
 * ordinary. Times are by the store's own clock, and a {@link java.time.Duration} counts from its present time.
 *
 * <p>The store gives out one task of a sub-queue at a time: its head, the first of the READY tasks. The store promotes
 * a head after the commit that made it the first, before the next claim outside a transaction.
 *
 * <p>If the store fails, a method throws {@link org.tasktube.StoreException}.
 */
public interface TaskStore extends AutoCloseable {

    /** Puts all tasks or none, in their order. A task with a unique key must be the only one. */
    Put put(StoredTube tube, List<NewTask> tasks);

    /**
     * Puts a READY task that a holder waits for. The task is TAKEN by the holder from its put on, unless too many READY
     * tasks come before it, or the tube is PAUSED; then it is put as by {@link #put}. A store may always do that.
     *
     * @param task a task with {@link NewTask#isPlain()}
     * @param token the token of the taking, which is above 0 and no other taking's
     * @param mostBefore the number of READY tasks that may come before it
     */
    default Put putFor(StoredTube tube, NewTask task, Holder holder, long token, int mostBefore) {
        return put(tube, List.of(task));
    }

    /** Replaces the data and the times of a READY or DELAYED task. The new times count from now. */
    Optional<Transitioned> replace(StoredTube tube, long id, TaskState from, NewTask task);

    /**
     * Takes READY tasks, the first ones of a range. Skips tasks that other transactions have locked.
     *
     * @param token the token of this taking, which is above 0 and no other taking's
     */
    List<ClaimedTask> claim(StoredTube tube, Holder holder, long token, ClaimRange range);

    /** Takes tasks with a random token. */
    default List<ClaimedTask> claim(StoredTube tube, Holder holder, OrderKey after, int max) {
        long token = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
        return claim(tube, holder, token, ClaimRange.of(after, max));
    }

    /**
     * Promotes heads of sub-queues, so that claims inside transactions see them. Callers are never in a transaction.
     */
    void promoteHeads(StoredTube tube);

    // Transitions

    /** Applies a change to a task that this taking holds. */
    Optional<Transitioned> apply(StoredTube tube, Change change, Holder holder, Task task);

    /** Applies a change to each of these tasks that its taking still holds. */
    Transitioned applyToHeld(StoredTube tube, Change change, Holder holder, Collection<Task> tasks);

    /** Acks each of these tasks that its taking still holds and that no other transaction has locked. Waits for none. */
    Transitioned ackUnlocked(StoredTube tube, Holder holder, Collection<Task> tasks);

    /**
     * Applies a change to all of these tasks. If one of them is no longer held by its taking, changes none and returns
     * empty.
     */
    Optional<Transitioned> applyToAllHeld(StoredTube tube, Change change, Holder holder, Collection<Task> tasks);

    /** Applies a change to the task with an id. */
    Optional<Transitioned> apply(StoredTube tube, Change change, long id);

    /** Applies a change to the first tasks, at most {@code max}, of the state that it is from. */
    Transitioned applyToFirst(StoredTube tube, Change change, int max);

    /** Applies a change to each of these tasks that a session holds. */
    Transitioned applyToSession(StoredTube tube, Change change, UUID session, Collection<Long> ids);

    /**
     * Applies a change to all tasks in the states that it is from.
     *
     * @param withTasks true to return the tasks as they were, if the change removes them
     * @return one result per state; it has ids only of tasks that still exist
     */
    List<Transitioned> applyToAll(StoredTube tube, Change change, boolean withTasks);

    /**
     * Runs a change and the read of its result in one transaction: the caller's, or a new one. No other transaction
     * changes the changed tasks before the read.
     */
    <T> T together(Supplier<T> calls);

    // Reads

    /** Returns the reads of tasks by their ids, states and tubes. */
    TaskReads reads();

    /**
     * Returns the tasks of a range, in its order. The tasks of other tubes than these count, but are not returned.
     *
     * @param names the names of the tubes by their ids
     */
    ScanResult scan(Scan scan, Map<Integer, String> names);

    /**
     * Returns the kinds of failures that tasks have, those of the most tasks first. The counts are exact. The
     * cost depends on the number of failed tasks, not on {@code most}.
     *
     * @param most the most kinds to return
     * @param also kinds to return besides, if tasks have them, wherever they are in that order
     */
    List<FailureGroup> failureGroups(int most, Collection<Fingerprint> also);

    /** Returns the kinds of failures that most tasks have. */
    default List<FailureGroup> failureGroups(int most) {
        return failureGroups(most, List.of());
    }

    /**
     * Looks for changes that a thread waits for. A PAUSED tube has no task to take.
     *
     * @param takers the tubes to check for a task to take
     * @param putters the tubes to check for a free slot. A database has slots only for tubes with a capacity
     */
    Poll poll(Collection<Integer> takers, Collection<Integer> putters);

    /** Returns the reads for those who operate TaskTube. */
    Reports reports();

    /** Returns the histories of tasks. */
    Histories histories();

    // Without a caller

    /**
     * Removes tasks of tubes that no longer exist. A put that commits during the drop of its tube leaves such tasks. In
     * PostgreSQL this reads about one row per tube, in H2 all tasks. Callers are never in a transaction.
     *
     * @return the number of removed tasks
     */
    default int removeOrphans() {
        return 0;
    }

    /**
     * Restores the rows of kinds of failures that tasks have, and removes rows that no task has needed for 8 days.
     * Reads some hundred kinds, and one task of each. Callers are never in a transaction.
     */
    default void checkFailureKinds() {}

    /**
     * Adds some tasks to the index of a tube's searchable fields, those that were put before their declaration. Another
     * server may do it at the same time. Callers are never in a transaction.
     *
     * @param margin the time after which each server that is up knows the tube's searchable fields
     */
    default IndexStep completeIndex(StoredTube tube, Duration margin) {
        return IndexStep.ENDED;
    }

    /**
     * Removes some rows of indexes that no search needs. Reads a bounded part of the indexes, the next one each time.
     * Callers are never in a transaction.
     *
     * @return whether more may be left
     */
    default boolean cleanIndexes() {
        return false;
    }

    /**
     * Applies due transitions, to some hundred tasks at most.
     *
     * @param observed the tubes whose swept tasks are to be returned as they were
     */
    Sweep sweep(Set<Integer> observed);

    @Override
    void close();
}
