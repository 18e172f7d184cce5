package org.tasktube;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * A tube, seen through a connection. What only the holder of a task may do takes the {@link Task} that {@code take}
 * returned; what anybody may do takes its id.
 *
 * <p>Inside a JTA transaction each call is part of it: nobody else sees its effect before the commit, and a rollback
 * undoes it. Outside one, each call is a transaction of its own. In a transaction that is marked for rollback, or that has
 * ended, for instance by its timeout, each call that reads or changes tasks fails with
 * {@link TransactionNotActiveException}; a call that waits does so within milliseconds of the transaction's end.
 *
 * <p>Every call can throw {@link TubeNotFoundException} (the tube was dropped), {@link AdapterNotRunningException} (the
 * database is away) and {@link StoreException} (it refused), and {@link IllegalStateException} once the connection is
 * closed. All calls are safe for use by several threads.
 *
 * <p>The rules are tarantool/queue's where a call does not say otherwise. Words that other queues have for the same thing
 * stand in parentheses; {@code docs/coming-from.md} lists them all.
 */
public interface Tube {

    /** The most characters of a unique key. */
    int MAX_KEY = 255;

    /** The tube's name, 1 to 32 characters. */
    String name();

    /** The definition that the tube was created with. */
    TubeDefinition definition();

    /** As {@link #put(Object, PutOptions)} with the tube's defaults. (Torrelque and FoundationDB call it enqueue.) */
    Task put(Object data);

    /**
     * Puts a task: one round trip to the database, some more if the tube has a capacity.
     *
     * @param data bytes, text, or what JSON-B can map
     * @return the task as it was put: READY, or DELAYED where it or the tube has a delay
     * @throws NullPointerException if there is no data
     * @throws IllegalArgumentException if an urgent task has a pri, or the type's driver refuses it
     * @throws UnsupportedOptionException if the tube's type does not know an option
     * @throws DataTooLargeException if the data is over the adapter's {@code maxDataSize}
     * @throws TaskDataException if the data does not map to JSON
     * @throws TubeFullException if the tube has a capacity, or is temporary, and there is no place in it
     */
    Task put(Object data, PutOptions options);

    /**
     * As {@link #put(Object, PutOptions)}, waiting for a place in a tube that is full: the {@code timeout} of tarantool's
     * limfifottl. In a transaction it waits too, and keeps the connection meanwhile.
     *
     * @param timeout how long to wait for a place; zero answers at once
     * @return the task, or empty if there was no place in that time; never a {@link TubeFullException}
     * @throws IllegalArgumentException if the timeout is negative
     */
    Optional<Task> put(Object data, PutOptions options, Duration timeout);

    /**
     * Puts tasks, all or none; their ids ascend in the order of the list. Throws what {@link #put(Object, PutOptions)}
     * does. None of the seeds has it.
     *
     * @param data at least one, each as {@code put} takes it
     * @throws IllegalArgumentException if the list is empty
     */
    List<Task> putAll(List<?> data, PutOptions options);

    /**
     * Puts tasks with options of their own, all or none; their ids ascend in the order of the list. Throws what
     * {@link #put(Object, PutOptions)} does.
     *
     * @param items at least one
     * @throws IllegalArgumentException if the list is empty
     */
    List<Task> putAll(List<PutItem> items);

    /** As {@link #putAll(List, Duration)} with the same options for all. */
    Optional<List<Task>> putAll(List<?> data, PutOptions options, Duration timeout);

    /**
     * As {@link #putAll(List)}, waiting until a full tube has places for all of them. Puts of fewer tasks can go ahead
     * meanwhile. In a transaction it waits too, and keeps the connection, and in a persistent tube the places that it has
     * found, until the transaction ends: two that wait there for more than is left can wait for each other until their
     * timeouts.
     *
     * @param timeout how long to wait for places; zero answers at once
     * @return the tasks, or empty if there were too few places in that time; never a {@link TubeFullException}
     * @throws IllegalArgumentException if the list is empty, has more tasks than the tube has places in all, or the timeout
     *     is negative
     */
    Optional<List<Task>> putAll(List<PutItem> items, Duration timeout);

    /**
     * As {@link #putUnique(String, Object, PutOptions, OnConflict)} by the digest of the data, keeping what is there.
     * (tarantool's older API calls it put_unique.)
     */
    Task putUnique(Object data);

    /**
     * Puts a task unless the tube has one of that key that is not DONE, in whatever other state. Two that put the same
     * key at the same time make one task; the second waits for the end of the first one's transaction.
     *
     * @param key 1 to {@value #MAX_KEY} characters
     * @return the task as it was put, or the one that is there as it is now
     * @throws TaskExistsException if there is one, by {@link OnConflict#FAIL}
     * @throws TubeFullException if there is none, and no place either
     * @throws IllegalArgumentException if the key is out of its bounds
     */
    Task putUnique(String key, Object data, PutOptions options, OnConflict onConflict);

    /**
     * As {@link #putUnique(String, Object, PutOptions, OnConflict)}, waiting for a place in a tube that is full. A task of
     * the key needs no place: it is the answer as soon as it is there.
     *
     * @param timeout how long to wait for a place; zero answers at once
     * @return the task, or empty if there was no place in that time; never a {@link TubeFullException}
     * @throws IllegalArgumentException if the timeout is negative, or the key is out of its bounds
     */
    Optional<Task> putUnique(String key, Object data, PutOptions options, OnConflict onConflict, Duration timeout);

    /**
     * Takes the next task, waiting for one as long as it takes. (In tarantool's older API a negative timeout says so.)
     *
     * @throws AdapterNotRunningException if the adapter stops, or its database goes away, meanwhile
     */
    Task take();

    /**
     * Takes the next task: by priority, then in the order of put; of a sub-queue one at a time. It is TAKEN then, and held
     * by this connection's session until it is acked, released, requeued, buried or deleted, its ttr is over, or the last
     * connection of the session is closed. A task whose ttl is over is not taken. (Torrelque and FoundationDB call it
     * dequeue.)
     *
     * @param timeout how long to wait for one; zero answers at once
     * @return the task, or empty if there was none in that time
     * @throws IllegalArgumentException if the timeout is negative
     */
    Optional<Task> take(Duration timeout);

    /**
     * Takes up to so many tasks, as {@link #take(Duration)} takes one. It waits only for the first.
     *
     * @param max 1 to 1,000
     * @return the tasks in order, or an empty list if there was none in that time
     * @throws IllegalArgumentException if max is out of its bounds or the timeout negative
     */
    List<Task> take(int max, Duration timeout);

    /**
     * Ends a TAKEN task that was worked off: it is removed. (Torrelque calls it release.) That a later taking has another
     * token, so that a late ack fails also for the same session, is TaskTube's.
     *
     * @throws TaskNotFoundException if it is not there any more
     * @throws TaskNotTakenException if nobody holds it, for instance because its ttr ran out
     * @throws TaskTakenByAnotherException if somebody else holds it, or this session by a later take
     */
    void ack(Task task);

    /**
     * Ends a TAKEN task and keeps its result; the task is DONE until the result's ttl is over. The task's data stays as it
     * was put. (tarantool's older API calls it done, and has the result replace the data; Torrelque calls it release with a
     * result.) Throws what {@link #ack(Task)} does, and {@link DataTooLargeException}.
     */
    void ack(Task task, TaskResult result);

    /**
     * Ends several TAKEN tasks, all or none; nothing if there are none. Throws what {@link #ack(Task)} does, of the first
     * that is not this session's.
     */
    void ackAll(Collection<Task> tasks);

    /** As {@link #release(Task, ReleaseOptions)} with nothing set: READY at once, in its old place. */
    void release(Task task);

    /**
     * Gives a TAKEN task back unworked: READY in its old place, or DELAYED where a delay is given. (Torrelque's requeue with
     * a delay; what Torrelque calls release is {@link #ack(Task)}.)
     *
     * @throws UnsupportedOptionException if the tube's type knows no delay or ttl, and one is given
     * @throws TaskNotFoundException as {@link #ack} does
     * @throws TaskNotTakenException as {@link #ack} does
     * @throws TaskTakenByAnotherException as {@link #ack} does
     */
    void release(Task task, ReleaseOptions options);

    /**
     * Gives a TAKEN task back unworked: READY at the end of its priority. (Of tarantool's older API and Torrelque.) Throws
     * what {@link #ack(Task)} does.
     */
    void requeue(Task task);

    /**
     * Sets a task aside until it is kicked or dug; its ttl runs on. The holder can bury what it took, anybody what is READY
     * or DELAYED; burying a BURIED task changes nothing.
     *
     * @throws TaskNotFoundException if it is not there any more
     * @throws TaskTakenByAnotherException if somebody else holds it
     * @throws WrongStateException if it is DONE
     */
    void bury(Task task);

    /**
     * Sets a READY or DELAYED task aside, as {@link #bury(Task)} does; burying a BURIED task changes nothing. A TAKEN task is
     * its holder's to bury, by the task that take returned.
     *
     * @throws TaskNotFoundException if it is not there
     * @throws WrongStateException if it is TAKEN or DONE
     */
    void bury(long id);

    /**
     * Gives the holder more time: adds to the deadline of this taking, and to the ttl of the task. The task's ttr stays, and
     * so does {@link TaskMeta#ttr()}: a later heartbeat, and a later take, count that whole ttr from then, without the
     * increment. {@link TaskMeta#event()} is the new deadline, and {@link TaskMeta#ttl()} has grown by the increment. Less
     * than a millisecond does nothing; a task without a deadline or ttl gets none.
     *
     * @throws IllegalArgumentException if the increment is negative or over {@link TubeDefinition#MAX_DURATION}
     * @throws UnsupportedOptionException if the tube's type knows no ttr
     * @throws TaskNotFoundException as {@link #ack} does
     * @throws TaskNotTakenException as {@link #ack} does
     * @throws TaskTakenByAnotherException as {@link #ack} does
     */
    void touch(Task task, Duration increment);

    /**
     * Says that the holder is alive: the whole ttr of its TAKEN task starts again, the ttl does not. TaskTube's own; throws
     * what {@link #touch} does.
     */
    void heartbeat(Task task);

    /** As {@link #kick(long)} of one. */
    long kick();

    /**
     * Makes BURIED tasks READY, by priority and the order of put, in their old places; their attempts are counted from 0
     * again. Those that another transaction is about to change are passed over.
     *
     * @return how many; 0 if the count is 0 or less
     */
    long kick(long count);

    /**
     * Makes one BURIED task READY in its old place, its attempts counted from 0 again. (tarantool's older API also calls it
     * unbury.)
     *
     * @throws TaskNotFoundException if it is not there
     * @throws WrongStateException if it is not BURIED
     */
    void dig(long id);

    /**
     * Removes a task in any state; its holder's ack then fails.
     *
     * @throws TaskNotFoundException if it is not there
     */
    void delete(long id);

    /** Looks at a task in any state, DONE included; changes nothing. Empty if it is not there. */
    Optional<Task> peek(long id);

    /**
     * Looks at the first READY task, which would be taken next unless its ttl is over; in a tube with sub-queues at the
     * first of those whose turn it is.
     */
    Optional<Task> peekReady();

    /** Looks at the DELAYED task that will be ready first. */
    Optional<Task> peekDelayed();

    /** Looks at the task that would be kicked next. */
    Optional<Task> peekBuried();

    /**
     * The tasks in a state in the order of their ids, a page at a time. (tasks_by_state of tarantool's drivers.)
     *
     * @param afterId 0 for the first page, then the last id of the page before
     * @param limit 1 to 1,000
     * @throws IllegalArgumentException if the limit is out of its bounds
     */
    List<Task> tasks(TaskState state, long afterId, int limit);

    /** What is known about a task besides its data, in any state; empty if it is not there. (Of tarantool's older API.) */
    Optional<TaskMeta> meta(long id);

    /** What came of a task that is DONE; empty if there is none, or it is not, or not any more, DONE. */
    Optional<TaskResult> result(long id);

    /**
     * Waits for the result of a task, wherever it is worked on. A result that another server keeps is seen at this server's
     * next poll. Wait outside the transaction that put the task: nobody else sees that before its commit.
     *
     * @param timeout how long to wait; zero answers at once
     * @return empty if it was not done in that time
     * @throws TaskNotFoundException if it is not there, or went without a result: acked without one, deleted, or at the
     *     end of its ttl
     * @throws IllegalArgumentException if the timeout is negative
     */
    Optional<TaskResult> await(long id, Duration timeout);

    /**
     * Watches a task until it is gone, or the watch is closed. Part of no transaction: it tells what was committed. So
     * watch a task after the commit of its put; one that is not committed yet may count as gone.
     *
     * @throws TaskNotFoundException if it is not there
     */
    TaskWatch watch(long id);

    /** Makes every TAKEN task READY in its old place, whoever holds it; their acks fail then. Returns how many. */
    long releaseAll();

    /** Removes every task in whatever state, DONE included; the tube stands. Returns how many. */
    long truncate();

    /**
     * Removes the tube and the tasks in it. Waiting takes on another server fail within a fifth of
     * {@code nodeTimeout}; watches end.
     *
     * @throws TubeInUseException while tasks are TAKEN, or consumers wait on this server
     */
    void drop();

    /**
     * Removes the tube and the tasks in it, even while tasks are TAKEN or consumers wait. Each holder's ack, release or bury
     * fails from then on with {@link TubeNotFoundException} or {@link TaskNotFoundException}; the work of a message-driven
     * bean that holds one of the tasks is rolled back. Waiting takes on this server fail with
     * {@link TubeNotFoundException}, those on others within a fifth of {@code nodeTimeout}.
     */
    void dropForcibly();

    /**
     * Has a listener told what happens in this tube on this server from now on, in place of the one before. It is not kept
     * over a restart, and other servers do not know of it. It runs on the thread whose transaction has ended, which must not
     * use transactional resources then, nor wait for anything.
     *
     * <p>Whatever it throws is logged, {@code Error}s too, and changes nothing. The adapter holds it no longer than its class:
     * it goes with the class loader of its application. It is dropped if it fails by a {@link LinkageError}, as code of an
     * application does that was undeployed.
     *
     * @param listener null for none
     * @return the listener before
     */
    Optional<TaskChangeListener> onTaskChange(TaskChangeListener listener);

    /** Counters of this tube; answered without asking the database. */
    TubeStatistics statistics();
}
