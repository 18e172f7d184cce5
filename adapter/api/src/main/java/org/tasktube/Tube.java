package org.tasktube;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * A tube, seen through a connection. Operations of a task's holder take the {@link Task} that {@code take} returned.
 * Operations that any caller may do take the task's id.
 *
 * <p>Inside a JTA transaction each call is part of it: other callers see its effect after the commit only, and a
 * rollback undoes it. Outside a transaction, each call is a transaction of its own. If the caller's transaction is
 * marked for rollback or has ended, for instance by its timeout, each call that reads or changes tasks fails with
 * {@link TransactionNotActiveException}. A waiting call fails so within milliseconds of the transaction's end.
 *
 * <p>Every call can throw {@link TubeNotFoundException} (the tube was dropped), {@link AdapterNotRunningException} (the
 * database is unreachable), {@link StoreException} (the database refused a statement), and
 * {@link IllegalStateException} (the connection is closed). All calls are safe for use by several threads.
 *
 * <p>If a call does not say otherwise, its rules are tarantool/queue's. Other queues' words for the same thing stand in
 * parentheses; {@code docs/coming-from.md} lists them all.
 */
public interface Tube extends TubeModes {

    /** The maximum length of a unique key, in characters. */
    int MAX_KEY = 255;

    /** The type of the failure of a task that was buried with a reason. */
    String BURIED = "buried";

    /** Returns the tube's name, 1 to 32 characters. */
    String name();

    /** Returns the definition that the tube was created with. */
    TubeDefinition definition();

    /**
     * Puts a task with the tube's defaults, as {@link #put(Object, PutOptions)} does. (Torrelque and FoundationDB call
     * it enqueue.)
     */
    default Task put(Object data) {
        return put(data, PutOptions.defaults());
    }

    /**
     * Puts a task. Costs one round trip to the database, and some more if the tube has a capacity.
     *
     * @param data bytes, text, or an object that JSON-B can map
     * @return the task as it was put: DELAYED if it or the tube has a delay, else READY
     * @throws NullPointerException if the data is null
     * @throws IllegalArgumentException if an urgent task has a pri, or the driver of the tube's type refuses the task
     * @throws UnsupportedOptionException if the tube's type does not have an option
     * @throws DataTooLargeException if the data is larger than the adapter's {@code maxDataSize}
     * @throws TaskDataException if the data does not map to JSON
     * @throws TubeFullException if the tube has a capacity, and is full
     * @throws TubeDrainingException if the tube is DRAINING
     */
    Task put(Object data, PutOptions options);

    /**
     * Puts a task, as {@link #put(Object, PutOptions)} does. If the tube is full, waits for free capacity. (This is the
     * {@code timeout} of tarantool's limfifottl.) In a transaction the call waits, too, and keeps its database
     * connection during the wait.
     *
     * @param timeout the longest time to wait for free capacity; zero does not wait
     * @return the task; empty after the timeout, in place of a {@link TubeFullException}
     * @throws TubeDrainingException if the tube is DRAINING, or becomes so during the wait
     * @throws IllegalArgumentException if the timeout is negative
     */
    Optional<Task> put(Object data, PutOptions options, Duration timeout);

    /**
     * Puts all tasks or none. Their ids ascend in the order of the list. Throws what {@link #put(Object, PutOptions)}
     * throws. (TaskTube's own.)
     *
     * @param data at least one, each as for {@code put}
     * @throws IllegalArgumentException if the list is empty
     */
    List<Task> putAll(List<?> data, PutOptions options);

    /**
     * Puts all tasks or none, each with its own options. Their ids ascend in the order of the list. Throws what
     * {@link #put(Object, PutOptions)} throws.
     *
     * @param items at least one
     * @throws IllegalArgumentException if the list is empty
     */
    List<Task> putAll(List<PutItem> items);

    /** Puts all tasks or none with the same options, and waits as {@link #putAll(List, Duration)} does. */
    Optional<List<Task>> putAll(List<?> data, PutOptions options, Duration timeout);

    /**
     * Puts all tasks or none, as {@link #putAll(List)} does. If the tube is full, waits until it has free capacity for
     * all of them. Puts of fewer tasks can go ahead during the wait.
     *
     * <p>In a transaction the call waits, too. Until the transaction ends, it keeps its database connection, and in a
     * persistent tube the free slots that it has found. If two such calls together need more slots than are free, they
     * can wait for each other until their timeouts.
     *
     * @param timeout the longest time to wait for free capacity; zero does not wait
     * @return the tasks; empty after the timeout, in place of a {@link TubeFullException}
     * @throws IllegalArgumentException if the list is empty or has more tasks than the tube's capacity, or if the
     *     timeout is negative
     */
    Optional<List<Task>> putAll(List<PutItem> items, Duration timeout);

    /**
     * Puts a task with the digest of its data as the key, and keeps an existing one, as
     * {@link #putUnique(String, Object, PutOptions, OnConflict)} does. (tarantool's older API calls it put_unique.)
     */
    Task putUnique(Object data);

    /**
     * Puts a task unless the tube has a task of that key that is not DONE. A task whose ttl is over counts as none,
     * also before it is removed, unless it is TAKEN. If two callers put the same key at the same time, the second waits
     * for the end of the first one's transaction. Throws what {@link #put(Object, PutOptions)} throws.
     *
     * <p>With {@link PutOptions#uniqueFor} the key stays taken for that time, also after the end of its task. Until then
     * such a put returns the task as it would have put it, with the id of the one that has ended, and the state DONE.
     *
     * @param key 1 to {@value #MAX_KEY} characters
     * @return the task as it was put, or the existing task as it is now
     * @throws TaskExistsException if such a task exists, and {@code onConflict} is {@link OnConflict#FAIL}
     * @throws TubeFullException if no such task exists, and the tube is full
     * @throws IllegalArgumentException if the key is empty, longer than {@value #MAX_KEY} characters, or has a NUL or
     *     half of a surrogate pair
     */
    Task putUnique(String key, Object data, PutOptions options, OnConflict onConflict);

    /**
     * Puts a unique task, as {@link #putUnique(String, Object, PutOptions, OnConflict)} does. If the tube is full,
     * waits for free capacity. An existing task of the key needs no capacity: the call returns as soon as one exists.
     *
     * @param timeout the longest time to wait for free capacity; zero does not wait
     * @return the task; empty after the timeout, in place of a {@link TubeFullException}
     * @throws IllegalArgumentException if the timeout is negative, or the key is out of its bounds
     */
    Optional<Task> putUnique(String key, Object data, PutOptions options, OnConflict onConflict, Duration timeout);

    /**
     * Takes the next task, and waits for one without a limit. (In tarantool's older API a negative timeout does so.)
     *
     * @throws AdapterNotRunningException if the adapter stops or loses its database during the wait
     */
    Task take();

    /**
     * Takes the next task: by priority, then in the order of put, and of each sub-queue one at a time. A task whose ttl
     * has expired is not taken. (Torrelque and FoundationDB call it dequeue.)
     *
     * <p>The task is then TAKEN, and this connection's session holds it. That ends when the task is acked, released,
     * requeued, buried or deleted, or when its ttr expires. It also ends when the last connection of the session is
     * closed.
     *
     * @param timeout the longest time to wait for a task; zero does not wait
     * @return the task; empty after the timeout
     * @throws IllegalArgumentException if the timeout is negative
     * @throws AdapterNotRunningException if the adapter stops or loses its database during the wait
     */
    Optional<Task> take(Duration timeout);

    /**
     * Takes up to {@code max} tasks, each as {@link #take(Duration)} does. The call waits for the first task only.
     *
     * @param max 1 to 1,000
     * @param timeout the longest time to wait for the first task; zero does not wait
     * @return the tasks in order; empty after the timeout
     * @throws IllegalArgumentException if max is out of its bounds, or the timeout is negative
     */
    List<Task> take(int max, Duration timeout);

    /**
     * Ends a TAKEN task whose work is done: the task is removed. (Torrelque calls it release.) Each take has its own
     * token, so that a late ack fails even for the same session. (That is TaskTube's own.)
     *
     * @throws TaskNotFoundException if the tube no longer has the task
     * @throws TaskNotTakenException if no session holds the task, for instance because its ttr has expired
     * @throws TaskTakenByAnotherException if another session holds the task, or this session by a later take
     */
    void ack(Task task);

    /**
     * Ends a TAKEN task and keeps its result. The task is DONE until the result's ttl expires, and keeps its data as
     * put. Throws what {@link #ack(Task)} throws. (tarantool's older API calls it done, and replaces the data by the
     * result. Torrelque calls it release with a result.)
     *
     * @throws DataTooLargeException if the result's data is larger than the adapter's {@code maxDataSize}
     */
    void ack(Task task, TaskResult result);

    /**
     * Ends all of these TAKEN tasks or none. If the collection is empty, the call has no effect. Throws what
     * {@link #ack(Task)} throws, for the first task that this session does not hold.
     */
    void ackAll(Collection<Task> tasks);

    /**
     * Returns a TAKEN task to READY at once, in its old place, as {@link #release(Task, ReleaseOptions)} does with no
     * option set.
     */
    default void release(Task task) {
        release(task, ReleaseOptions.defaults());
    }

    /**
     * Returns a TAKEN task to its tube: DELAYED if a delay is given, else READY in its old place. (This is Torrelque's
     * requeue with a delay; Torrelque's release is {@link #ack(Task)}.)
     *
     * @throws UnsupportedOptionException if a delay or ttl is given, and the tube's type does not have it
     * @throws TaskNotFoundException if the tube no longer has the task
     * @throws TaskNotTakenException if no session holds the task, for instance because its ttr has expired
     * @throws TaskTakenByAnotherException if another session holds the task, or this session by a later take
     */
    void release(Task task, ReleaseOptions options);

    /**
     * Returns a TAKEN task to READY, at the end of its priority. Throws what {@link #ack(Task)} throws. (Of tarantool's
     * older API and Torrelque.)
     */
    void requeue(Task task);

    /**
     * Buries a task: sets it aside until it is kicked or dug. Its ttl continues. A holder can bury its TAKEN task, and
     * any caller a READY or DELAYED one. If the task is BURIED already, the call has no effect.
     *
     * @throws TaskNotFoundException if the tube no longer has the task
     * @throws TaskTakenByAnotherException if another session holds the task, or this session by a later take
     * @throws WrongStateException if the task is DONE
     */
    void bury(Task task);

    /**
     * Buries a TAKEN task with a reason, which its holder gives. It becomes the last failure of the task, of the type
     * {@value #BURIED}, so that operators see it.
     *
     * @param reason 1 to {@value TaskFailure#MAX_MESSAGE} characters
     * @throws IllegalArgumentException if the reason is blank or longer
     * @throws TaskNotFoundException if the tube no longer has the task
     * @throws TaskNotTakenException if no session holds the task, for instance because its ttr has expired
     * @throws TaskTakenByAnotherException if another session holds the task, or this session by a later take
     */
    void bury(Task task, String reason);

    /**
     * Buries a READY or DELAYED task, as {@link #bury(Task)} does. If the task is BURIED already, the call has no
     * effect. Only its holder can bury a TAKEN task, with the {@link Task} that take returned.
     *
     * @throws TaskNotFoundException if the tube does not have the task
     * @throws WrongStateException if the task is TAKEN or DONE
     */
    void bury(long id);

    /**
     * Extends the holder's deadline, and the task's ttl, by an increment. {@link TaskMeta#event()} and
     * {@link TaskMeta#ttl()} grow by the increment, {@link TaskMeta#ttr()} stays. A later heartbeat or take starts the
     * whole ttr again, without the increment. An increment below 1 ms has no effect. A task without a deadline or ttl
     * gets none.
     *
     * @param increment 0 to {@link TubeDefinition#MAX_DURATION}
     * @throws IllegalArgumentException if the increment is out of its bounds
     * @throws UnsupportedOptionException if the tube's type has no ttr
     * @throws TaskNotFoundException if the tube no longer has the task
     * @throws TaskNotTakenException if no session holds the task, for instance because its ttr has expired
     * @throws TaskTakenByAnotherException if another session holds the task, or this session by a later take
     */
    void touch(Task task, Duration increment);

    /**
     * Starts the whole ttr of a TAKEN task again, to show that its holder is alive. The ttl continues. Throws what
     * {@link #touch} throws. (TaskTube's own.)
     */
    void heartbeat(Task task);

    /**
     * Kicks one task, as {@link #kick(long)} does.
     *
     * @return the number of kicked tasks, 0 or 1
     */
    default long kick() {
        return kick(1);
    }

    /**
     * Makes BURIED tasks READY in their old places, by priority and then in the order of put. Their attempts count from
     * 0 again. Tasks that another transaction has locked are skipped.
     *
     * @param count the largest number of tasks to kick
     * @return the number of kicked tasks; 0 if the count is 0 or less
     */
    long kick(long count);

    /**
     * Makes one BURIED task READY in its old place. Its attempts count from 0 again. (tarantool's older API also calls
     * it unbury.)
     *
     * @throws TaskNotFoundException if the tube does not have the task
     * @throws WrongStateException if the task is not BURIED
     */
    void dig(long id);

    /**
     * Removes a task in any state. If it was TAKEN, its holder's ack fails.
     *
     * @throws TaskNotFoundException if the tube does not have the task
     */
    void delete(long id);

    /**
     * Cancels a task. One that nobody holds is deleted. The holder of a TAKEN one is asked to end it:
     * {@link #isCancelled} says so to it within about a second, on any server. If it acks the task all the same, that
     * counts. Any other end of its taking removes the task: a failure, a release, a burial, the ttr, the end of its
     * session or of its server. A {@link #delete} is harder: the holder's ack, and with it its transaction, fails.
     *
     * @param reason 1 to {@value TaskProgress#MAX_TEXT} characters, which the history of the tube keeps
     * @return true if the task is gone, false if its holder was asked
     * @throws TaskNotFoundException if the task does not exist
     */
    boolean cancel(long id, String reason);

    /**
     * Returns whether somebody has cancelled the task, for its holder. It asks the memory, so it can be called in each
     * turn of a loop. The server looks for cancels twice a second while this is called. The first call, and one that
     * follows the last one half a minute later, waits for such a look, for a second at most.
     */
    boolean isCancelled(Task task);

    /**
     * Says how far the work on a task is, for its holder. Others see it within about a second, also while the
     * holder's transaction is open; at most one such call a second and task is written.
     *
     * @param done the parts that are done, from 0
     * @param total the parts of the work, from {@code done}; 0 if that is not known
     * @param note up to {@value TaskProgress#MAX_TEXT} characters, which may be empty
     * @throws IllegalArgumentException if a value is out of its bounds
     */
    void progress(Task task, long done, long total, String note);

    /** Returns how far the work on a task is; empty if nobody has said so, nor cancelled it. */
    Optional<TaskProgress> progress(long id);

    /**
     * Lets a sub-queue go on that a failed task holds, in a tube of {@linkplain TubeDefinition#strict() strict order}.
     * The failed task stays as it is, and has lost its place: when it is READY again, it waits for the head of then.
     *
     * @return false if no task holds the sub-queue
     * @throws IllegalArgumentException if the name of the sub-queue is out of its bounds
     * @throws UnsupportedOptionException if the type of the tube has no sub-queues
     */
    boolean letGo(String utube);

    /**
     * Returns the task of a unique key, without changing it; empty if no task has the key now.
     *
     * @param key 1 to {@value #MAX_KEY} characters
     */
    Optional<Task> find(String key);

    /**
     * Deletes the task of a unique key, in whichever state, as {@link #delete(long)} does, and frees the key, also from
     * {@link PutOptions#uniqueFor}.
     *
     * @param key 1 to {@value #MAX_KEY} characters
     * @return false if no task has the key, and it was free
     */
    boolean delete(String key);

    /** Returns a task in any state without changing it; empty if the tube does not have it. */
    Optional<Task> peek(long id);

    /**
     * Returns the first READY task without changing it; empty if no task is READY. The next take returns this task
     * unless its ttl has expired. In a tube with sub-queues, it is the first of those that are not blocked.
     */
    Optional<Task> peekReady();

    /** Returns the DELAYED task whose delay expires first; empty if no task is DELAYED. */
    Optional<Task> peekDelayed();

    /** Returns the BURIED task that the next kick would make READY; empty if no task is BURIED. */
    Optional<Task> peekBuried();

    /**
     * Returns a page of the tasks in a state, in the order of their ids. (tasks_by_state of tarantool's drivers.)
     *
     * @param afterId 0 for the first page, then the last id of the page before
     * @param limit 1 to 1,000
     * @throws IllegalArgumentException if the limit is out of its bounds
     */
    List<Task> tasks(TaskState state, long afterId, int limit);

    /**
     * Returns the properties of a task in any state, besides its data and headers; empty if the tube does not have the
     * task. (Of tarantool's older API.)
     */
    Optional<TaskMeta> meta(long id);

    /** Returns the result of a DONE task; empty if the tube does not have the task, or it is not DONE. */
    Optional<TaskResult> result(long id);

    /**
     * Waits for the result of a task, on whichever server a consumer works on it. This server sees a result of another
     * server at its next poll. Wait after the commit of the transaction that put the task, because a task is invisible
     * before.
     *
     * @param timeout the longest time to wait; zero does not wait
     * @return the result; empty after the timeout
     * @throws TaskNotFoundException if the tube does not have the task, or the task ended without a result: by ack,
     *     delete or ttl
     * @throws IllegalArgumentException if the timeout is negative
     */
    Optional<TaskResult> await(long id, Duration timeout);

    /**
     * Watches a task until the task is gone or the watch is closed. A watch takes part in no transaction and reports
     * committed changes. Watch a task after the commit of its put: before, it may count as gone.
     *
     * @throws TaskNotFoundException if the tube does not have the task
     */
    TaskWatch watch(long id);

    /**
     * Makes every TAKEN task READY in its old place. The acks of their holders then fail.
     *
     * @return the number of tasks
     */
    long releaseAll();

    /**
     * Removes every task in any state, DONE included. The tube stays.
     *
     * @return the number of tasks
     */
    long truncate();

    /**
     * Removes the tube and the tasks in it. Waiting takes on other servers fail within a fifth of {@code nodeTimeout},
     * and watches end. In a database, the call waits for open transactions that have taken tasks of the tube, and fails
     * if one of them commits.
     *
     * @throws TubeInUseException while tasks are TAKEN, or consumers wait on this server; if the call has waited, the
     *     caller's transaction rolls back
     */
    void drop();

    /**
     * Removes the tube and the tasks in it, even while tasks are TAKEN or consumers wait. Each holder's ack, release or
     * bury then fails with {@link TubeNotFoundException} or {@link TaskNotFoundException}. If a message-driven bean
     * holds one of the tasks, its work is rolled back. Waiting takes on this server fail with
     * {@link TubeNotFoundException}. Takes on other servers fail so within a fifth of {@code nodeTimeout}.
     */
    void dropForcibly();

    /**
     * Sets the listener that is notified of this tube's changes on this server, in place of the one before. The
     * listener is not kept over a restart, and gets no changes of other servers. It runs on the thread whose
     * transaction has ended. It must not use transactional resources there, nor wait for anything.
     *
     * <p>An exception or {@code Error} of the listener is logged and changes nothing. The adapter does not keep the
     * listener's class loaded: the listener goes with its application's class loader. If it fails by a
     * {@link LinkageError}, as code of an undeployed application does, the adapter drops it.
     *
     * @param listener the listener; null for none
     * @return the listener before
     */
    Optional<TaskChangeListener> onTaskChange(TaskChangeListener listener);

    /** Returns the counters of this tube, without a query of the database. */
    TubeStatistics statistics();
}
