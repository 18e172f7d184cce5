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
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.TaskMeta;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;

/**
 * Keeps tasks. Each method is atomic, and part of the caller's transaction where there is one, unless it says otherwise. A
 * move is one guarded change: that the task was not in the state, or not held by that taking, is an ordinary empty result.
 * Times are the store's own clock, {@link Duration}s count from its now.
 *
 * <p>Of a sub-queue the store hands out one task at a time, the first of those that are READY. Which one that is, is settled
 * after the commit of what made it so, before the next claim outside a transaction.
 *
 * <p>Methods throw {@link org.tasktube.StoreException} when the store fails.
 */
public interface TaskStore extends AutoCloseable {

    /** Puts tasks, all or none, in their order. At most one of them has a unique key, and then it is alone. */
    Put put(StoredTube tube, List<NewTask> tasks);

    /** Gives a task that is READY or DELAYED other data and times, which count from now. */
    Optional<Moved> replace(StoredTube tube, long id, TaskState from, NewTask task);

    /**
     * Takes up to max READY tasks in order, of those that stand after a place, passing over those that other transactions
     * are about to take.
     *
     * @param token names this taking; above 0, and nobody else's
     */
    List<ClaimedTask> claim(StoredTube tube, Holder holder, long token, Place after, int max);

    /** Takes by a random token. */
    default List<ClaimedTask> claim(StoredTube tube, Holder holder, Place after, int max) {
        return claim(tube, holder, ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE), after, max);
    }

    /** Has claims inside transactions see what can be taken in sub-queues now. Never part of a transaction. */
    void settle(StoredTube tube);

    /** Removes a task that this taking holds. */
    boolean ack(StoredTube tube, Holder holder, Task task);

    /** Removes tasks that their takings hold, all or none. */
    boolean ackAll(StoredTube tube, Holder holder, Collection<Task> tasks);

    /** Makes a task DONE that this taking holds, and keeps the result. */
    Optional<Moved> done(StoredTube tube, Holder holder, Task task, TaskResult result);

    /** Gives a task back to its old place. */
    Optional<Moved> release(StoredTube tube, Holder holder, Task task);

    /** Gives a task back for later; the delay prolongs its life, or a new ttl counts from the end of the delay. */
    Optional<Moved> release(StoredTube tube, Holder holder, Task task, Duration delay, Optional<Duration> ttl);

    /** Gives a task back to the end of its pri. */
    Optional<Moved> requeue(StoredTube tube, Holder holder, Task task);

    /** Buries what this taking holds. */
    Optional<Moved> bury(StoredTube tube, Holder holder, Task task);

    /** Buries a task that nobody holds and that is in that state. */
    Optional<Moved> buryIdle(StoredTube tube, long id, TaskState from);

    /** Moves the deadline and the end of life away. */
    Optional<Moved> touch(StoredTube tube, Holder holder, Task task, Duration increment);

    /** Starts the ttr anew. */
    Optional<Moved> heartbeat(StoredTube tube, Holder holder, Task task);

    /** Gives a task back after a failed delivery, which it remembers; buries it without a delay. */
    Optional<Moved> fail(StoredTube tube, Holder holder, Task task, TaskFailure failure, Optional<Duration> delay);

    /** Gives tasks back that were taken but not worked on: these attempts do not count. Returns which. */
    List<Long> giveBack(StoredTube tube, Holder holder, Collection<Task> tasks);

    /** Makes up to max buried tasks READY, in order. Returns which. */
    List<Long> kick(StoredTube tube, int max);

    /** Makes one buried task READY. */
    Optional<Moved> dig(StoredTube tube, long id);

    /** Removes a task in any state; returns the state it was in. */
    Optional<TaskState> delete(StoredTube tube, long id);

    /** Makes every taken task READY. Returns which. */
    List<Long> releaseAll(StoredTube tube);

    /** Makes READY what a session holds of these tasks. Returns which. */
    List<Long> releaseSession(StoredTube tube, UUID session, Collection<Long> ids);

    /** Removes every task. Returns how many were in which state. */
    List<TubeCount> truncate(StoredTube tube);

    /** Removes every task, and returns them as they were. */
    List<Task> removeAll(StoredTube tube);

    /**
     * Makes a change and looks at what it made, with nobody else's change in between: in the caller's transaction, or in one
     * of its own.
     */
    <T> T together(Supplier<T> calls);

    // Looks

    /** Those of these tasks that are there, as the caller's transaction sees them. */
    List<Task> tasks(StoredTube tube, Collection<Long> ids);

    Optional<Task> find(StoredTube tube, long id);

    /** The session that holds a task, if one does. */
    Optional<UUID> holder(StoredTube tube, long id);

    Optional<TaskMeta> meta(StoredTube tube, long id);

    Optional<TaskResult> result(StoredTube tube, long id);

    /** The states of those of these tasks that are there. */
    Map<Long, TaskState> states(Collection<Long> ids);

    /** The first task in a state: by deadline if DELAYED, else in order. */
    Optional<Task> first(StoredTube tube, TaskState state);

    List<Task> page(StoredTube tube, TaskState state, long afterId, int limit);

    /** How many tasks of each tube are in which state; reads them all. */
    List<TubeCount> counts();

    /** Which of these tubes have, or may have, something to take. */
    Set<Integer> readyTubes(Collection<Integer> tubes);

    /** Which of these tubes, which have a capacity, have a place. */
    Set<Integer> freeTubes(Collection<Integer> tubes);

    /**
     * Removes tasks of tubes that are gone, which a put can leave behind that committed during the drop. Reads about as much as
     * there are tubes in PostgreSQL, and all tasks in H2. Never part of a transaction.
     *
     * @return how many tasks were removed
     */
    default int removeOrphans() {
        return 0;
    }

    /**
     * Does what is due, at most some hundred tasks of it.
     *
     * @param told the tubes of which the tasks are wanted, as they were
     */
    Sweep sweep(Set<Integer> told);

    @Override
    void close();
}
