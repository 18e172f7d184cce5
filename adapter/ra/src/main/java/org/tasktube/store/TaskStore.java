package org.tasktube.store;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.tasktube.Task;
import org.tasktube.TaskMeta;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;

/**
 * Keeps tasks. Each method is atomic, and part of the caller's transaction where there is one, unless it says otherwise. A
 * change is guarded: that the task was not in the state, or not held by that taking, is an ordinary empty result. Times are
 * the store's own clock, and {@link java.time.Duration}s count from its now.
 *
 * <p>Of a sub-queue the store hands out one task at a time: its head, the first of those that are READY. The head is promoted
 * after the commit of what made it the first, before the next claim outside a transaction.
 *
 * <p>Methods throw {@link org.tasktube.StoreException} when the store fails.
 */
public interface TaskStore extends AutoCloseable {

    /** Puts tasks, all or none, in their order. At most one of them has a unique key, and then it is the only one. */
    Put put(StoredTube tube, List<NewTask> tasks);

    /** Gives a task that is READY or DELAYED other data and times, which count from now. */
    Optional<Transitioned> replace(StoredTube tube, long id, TaskState from, NewTask task);

    /**
     * Takes up to max READY tasks in order, of those that stand after a key, and passes over those that other transactions
     * are about to take.
     *
     * @param token names this taking; above 0, and no other taking's
     */
    List<ClaimedTask> claim(StoredTube tube, Holder holder, long token, OrderKey after, int max);

    /** Takes by a random token. */
    default List<ClaimedTask> claim(StoredTube tube, Holder holder, OrderKey after, int max) {
        return claim(tube, holder, ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE), after, max);
    }

    /** Promotes heads of sub-queues, so that claims inside transactions see them. Never part of a transaction. */
    void promoteHeads(StoredTube tube);

    // Transitions

    /** Applies a change to a task that this taking holds. */
    Optional<Transitioned> apply(StoredTube tube, Change change, Holder holder, Task task);

    /** Applies a change to those of these tasks that their takings hold. */
    Transitioned applyToHeld(StoredTube tube, Change change, Holder holder, Collection<Task> tasks);

    /** Applies a change to tasks that their takings hold: to all, or, if one of them is not held, to none. */
    Optional<Transitioned> applyToAllHeld(StoredTube tube, Change change, Holder holder, Collection<Task> tasks);

    /** Applies a change to the task of an id. */
    Optional<Transitioned> apply(StoredTube tube, Change change, long id);

    /** Applies a change to up to max tasks, the first ones of the state that it is from. */
    Transitioned applyToFirst(StoredTube tube, Change change, int max);

    /** Applies a change to those of these tasks that a session holds. */
    Transitioned applyToSession(StoredTube tube, Change change, UUID session, Collection<Long> ids);

    /**
     * Applies a change to all tasks of the states that it is from.
     *
     * @param telling whether the tasks are wanted, as they were, of a change that removes them
     * @return one answer for each state; ids only for tasks that are still there
     */
    List<Transitioned> applyToAll(StoredTube tube, Change change, boolean telling);

    /**
     * Makes a change and reads what it made, with no other transaction's change in between: in the caller's transaction, or
     * in one of its own.
     */
    <T> T together(Supplier<T> calls);

    // Reads

    /** Returns those of these tasks that are there, as the caller's transaction sees them. */
    List<Task> tasks(StoredTube tube, Collection<Long> ids);

    Optional<Task> find(StoredTube tube, long id);

    /** Returns the session that holds a task; empty if none does. */
    Optional<UUID> holder(StoredTube tube, long id);

    Optional<TaskMeta> meta(StoredTube tube, long id);

    Optional<TaskResult> result(StoredTube tube, long id);

    /** Returns the states of those of these tasks that are there. */
    Map<Long, TaskState> states(Collection<Long> ids);

    /** Returns the first task in a state: by deadline if DELAYED, else in order. */
    Optional<Task> first(StoredTube tube, TaskState state);

    List<Task> page(StoredTube tube, TaskState state, long afterId, int limit);

    /** Returns how many tasks of each tube are in which state; reads them all. */
    List<TubeCount> counts();

    /** Returns which of these tubes have, or may have, something to take. */
    Set<Integer> readyTubes(Collection<Integer> tubes);

    /** Returns which of these tubes, which have a capacity, have a free slot. */
    Set<Integer> freeTubes(Collection<Integer> tubes);

    // Without a caller

    /**
     * Removes tasks of tubes that are gone, which a put leaves that committed during the drop. Reads about as much as there
     * are tubes in PostgreSQL, and all tasks in H2. Never part of a transaction.
     *
     * @return how many tasks were removed
     */
    default int removeOrphans() {
        return 0;
    }

    /**
     * Applies the transitions that are due, to at most some hundred tasks.
     *
     * @param told the tubes of which the tasks are wanted, as they were
     */
    Sweep sweep(Set<Integer> told);

    @Override
    void close();
}
