package org.tasktube;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A tube, seen through a connection. What only the holder of a task may do takes the {@link Task} that {@code take}
 * returned; what anybody may do takes its id.
 *
 * <p>Inside a JTA transaction each call is part of it: nobody else sees its effect before the commit, and a rollback
 * undoes it. Outside one, each call is a transaction of its own.
 *
 * <p>Every call can throw {@link TubeNotFoundException} (the tube was dropped), {@link AdapterNotRunningException} (the
 * database is away) and {@link StoreException} (it refused), and {@link IllegalStateException} once the connection is
 * closed. All calls are safe for use by several threads.
 */
public interface Tube {

    String name();

    /** The definition that the tube was created with. */
    TubeDefinition definition();

    /** As {@link #put(Object, PutOptions)} with the tube's defaults. */
    Task put(Object data);

    /**
     * Puts a task. One round trip to the database.
     *
     * @param data bytes, text, or what JSON-B can map
     * @return the task as it was put, READY or DELAYED
     * @throws UnsupportedOptionException if the tube's type does not know an option
     * @throws DataTooLargeException if the data is over the adapter's {@code maxDataSize}
     * @throws TaskDataException if the data does not map to JSON
     */
    Task put(Object data, PutOptions options);

    /**
     * Takes the next task, waiting for one as long as it takes.
     *
     * @throws AdapterNotRunningException if the adapter stops, or its database goes away, meanwhile
     */
    Task take();

    /**
     * Takes the next task: by priority, then in the order of put. It is held by this connection's session until it is
     * acked, released, requeued, buried or deleted, its ttr is over, or the connection is closed.
     *
     * @param timeout how long to wait for one; zero answers at once
     * @return the task, or empty if there was none in that time
     * @throws IllegalArgumentException if the timeout is negative
     */
    Optional<Task> take(Duration timeout);

    /**
     * Ends a task that was worked off: it is removed.
     *
     * @throws TaskNotFoundException if it is not there any more
     * @throws TaskNotTakenException if nobody holds it, for instance because its ttr ran out
     * @throws TaskTakenByAnotherException if somebody else holds it, or this session by a later take
     */
    void ack(Task task);

    /** As {@link #release(Task, ReleaseOptions)} with nothing set: READY at once, in its old place. */
    void release(Task task);

    /**
     * Gives a task back unworked: READY in its old place, or DELAYED where a delay is given.
     *
     * @throws UnsupportedOptionException if the tube's type knows no delay or ttl
     * @throws TaskNotFoundException as {@link #ack} does
     * @throws TaskNotTakenException as {@link #ack} does
     * @throws TaskTakenByAnotherException as {@link #ack} does
     */
    void release(Task task, ReleaseOptions options);

    /** Gives a task back unworked, to the end of its priority. Throws what {@link #ack} does. */
    void requeue(Task task);

    /**
     * Sets a task aside until it is kicked or dug. The holder can bury what it took, anybody what is READY or DELAYED;
     * burying a BURIED task changes nothing.
     *
     * @throws TaskNotFoundException if it is not there any more
     * @throws TaskTakenByAnotherException if somebody else holds it
     * @throws WrongStateException if it is DONE
     */
    void bury(Task task);

    /**
     * Gives the holder more time: adds to the deadline and to the ttl. Zero does nothing.
     *
     * @throws IllegalArgumentException if the increment is negative or over {@link TubeDefinition#MAX_DURATION}
     * @throws UnsupportedOptionException if the tube's type knows no ttr
     * @throws TaskNotFoundException as {@link #ack} does
     * @throws TaskNotTakenException as {@link #ack} does
     * @throws TaskTakenByAnotherException as {@link #ack} does
     */
    void touch(Task task, Duration increment);

    /** Says that the holder is alive: its whole ttr starts again. Throws what {@link #touch} does. */
    void heartbeat(Task task);

    /** As {@link #kick(int)} of one. */
    int kick();

    /**
     * Makes buried tasks READY, by priority and the order of put; their attempts are counted from 0 again.
     *
     * @return how many; 0 if the count is 0 or less
     */
    int kick(int count);

    /**
     * Makes one buried task READY, its attempts counted from 0 again. (tarantool's older API also calls it unbury.)
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

    /** Looks at a task in any state; changes nothing. */
    Optional<Task> peek(long id);

    /** Looks at the first READY task, which would be taken next unless its ttl is over. */
    Optional<Task> peekReady();

    /** Looks at the delayed task that will be ready first. */
    Optional<Task> peekDelayed();

    /** Looks at the task that would be kicked next. */
    Optional<Task> peekBuried();

    /**
     * The tasks in a state in the order of their ids, a page at a time.
     *
     * @param afterId 0 for the first page, then the last id of the page before
     * @param limit 1 to 1,000
     */
    List<Task> tasks(TaskState state, long afterId, int limit);

    /** What is known about a task besides its data. */
    Optional<TaskMeta> meta(long id);

    /** Makes every taken task READY, whoever holds it. Returns how many. */
    long releaseAll();

    /** Removes every task, in whatever state. Returns how many. */
    long truncate();

    /**
     * Removes the tube and what is in it.
     *
     * @throws TubeInUseException while tasks are taken or consumers wait
     */
    void drop();

    /** Counters of this tube; answered without asking the database. */
    TubeStatistics statistics();
}
