package org.tasktube.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.TaskMeta;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;

/**
 * Keeps tubes and tasks. Each method is atomic, and part of the caller's transaction where there is one. A move is one
 * guarded change: that the task was not in the state, or not held by that taking, is an ordinary empty result. Times are
 * the store's own clock, {@link Duration}s count from its now.
 *
 * <p>Methods throw {@link org.tasktube.StoreException} when the store fails.
 */
public interface TaskStore extends AutoCloseable {

    // Tubes

    List<StoredTube> tubes();

    Optional<StoredTube> tube(String name);

    /** Creates a tube; empty if one of that name exists. */
    Optional<StoredTube> createTube(TubeDefinition definition);

    /** Removes a tube with its tasks. */
    void dropTube(StoredTube tube);

    // Tasks

    /** Puts a task and returns its id; empty if the tube is gone. */
    Optional<Long> put(StoredTube tube, NewTask task);

    /**
     * Takes up to max READY tasks in order, of those that stand after a place, passing over those that other transactions
     * are about to take.
     */
    List<ClaimedTask> claim(StoredTube tube, Holder holder, Place after, int max);

    /** Removes a task that this taking holds. */
    boolean ack(StoredTube tube, Holder holder, Task task);

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

    /** Gives tasks back that were taken but not worked on: these attempts do not count. Returns how many. */
    int giveBack(StoredTube tube, Holder holder, Collection<Task> tasks);

    /** Makes up to max buried tasks READY, in order. Returns how many. */
    int kick(StoredTube tube, int max);

    /** Makes one buried task READY. */
    Optional<Moved> dig(StoredTube tube, long id);

    /** Removes a task in any state; returns the state it was in. */
    Optional<TaskState> delete(StoredTube tube, long id);

    /** Makes every taken task READY. Returns how many. */
    long releaseAll(StoredTube tube);

    /** Makes READY what a session holds of these tasks. Returns how many. */
    int releaseSession(StoredTube tube, Holder holder, Collection<Long> ids);

    /** Removes every task. Returns how many were in which state. */
    List<TubeCount> truncate(StoredTube tube);

    // Looks

    Optional<Task> find(StoredTube tube, long id);

    /** The session that holds a task, if one does. */
    Optional<UUID> holder(StoredTube tube, long id);

    Optional<TaskMeta> meta(StoredTube tube, long id);

    /** The first task in a state: by deadline if DELAYED, else in order. */
    Optional<Task> first(StoredTube tube, TaskState state);

    List<Task> page(StoredTube tube, TaskState state, long afterId, int limit);

    /** How many tasks of each tube are in which state; reads them all. */
    List<TubeCount> counts();

    /** Which of these tubes have something to take. */
    Set<Integer> readyTubes(Collection<Integer> tubes);

    // Time and servers

    /** Does what is due, at most some hundred tasks of it. */
    Sweep sweep();

    /** Registers a server that came up. */
    int registerNode(String name);

    /** How many servers are up, or were lately. */
    int servers();

    /** Says that a server is up; false if others have taken it for dead. */
    boolean seen(int node);

    /**
     * Releases what servers hold that were not seen for too long, and forgets them. A server of the own name is most
     * likely a former self that was killed, so it may have a shorter timeout.
     */
    List<TubeCount> releaseDead(String ownName, Duration ownTimeout, Duration timeout);

    /** Releases what a server holds, and forgets it. */
    List<TubeCount> leave(int node);

    @Override
    void close();
}
