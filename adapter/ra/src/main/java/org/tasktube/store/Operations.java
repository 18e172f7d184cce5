package org.tasktube.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.tasktube.TaskMeta;
import org.tasktube.TaskState;
import org.tasktube.admin.ChangedTasks;
import org.tasktube.admin.Operation;
import org.tasktube.admin.OperationAct;
import org.tasktube.admin.OperationSize;
import org.tasktube.admin.OperationState;
import org.tasktube.admin.TaskFilter;

/**
 * Keeps the acts on many tasks, and applies them to tasks of the database. Each method is atomic, and part of the
 * caller's transaction if it has one.
 *
 * <p>If the database fails, a method throws {@link org.tasktube.StoreException}.
 */
public interface Operations {

    /** Adds an operation that waits. Its id is greater than the ids of the tasks that exist. */
    Operation add(OperationAct act, TaskFilter filter, String by, String reason, OperationSize expected);

    Optional<Operation> find(long id);

    /** Returns the operations of smaller ids, the newest first. */
    List<Operation> page(long before, int limit);

    /**
     * Makes a server run the next operation, which is RUNNING then. Returns its id; empty if none is left, or
     * another server runs it: one that is up, and has made a batch within the last minute. The caller is in no transaction.
     *
     * @param node the number of the server
     */
    Optional<Long> take(int node, String server);

    /**
     * Locks an operation until the end of the transaction. Returns empty if it has ended, or the server does not run
     * it.
     */
    Optional<StoredOperation> lock(long id, int node);

    /** Adds to the numbers of an operation, and sets its position. */
    void progress(long id, Progress progress);

    /**
     * The result of one batch.
     *
     * @param looked the number of tasks that it has looked at for the first time
     * @param place the position of the next batch
     */
    record Progress(long looked, long changed, long skipped, String place, List<Long> deferred) {}

    /**
     * Ends an operation that a server runs. Returns false if it has ended already, or another server runs it.
     *
     * @param state DONE or STOPPED
     */
    boolean end(long id, int node, OperationState state);

    /** Ends an operation that a server runs as FAILED. Returns false if it has ended, or another server runs it. */
    boolean fail(long id, int node, String error);

    /** Cancels an operation. Returns false if it has ended already. */
    boolean cancel(long id, String by, String reason);

    /** Returns whether a call has failed because another transaction has kept a lock for too long. */
    boolean isLocked(RuntimeException failure);

    /**
     * Removes at most {@code max} operations that ended longer ago than this. Callers are never in a transaction.
     *
     * @return the number of operations that it found to be too old
     */
    int removeEnded(Duration retention, int max);

    /**
     * Locks those of these tasks that are in a state, except those that the operation has changed already. Waits for no
     * other transaction.
     *
     * @param tasks the tasks as the caller has read them
     */
    Locked lock(long operation, StoredTube tube, TaskState from, Collection<TaskMeta> tasks);

    /**
     * The tasks that a batch wanted to change.
     *
     * @param ids the tasks that are locked now
     * @param deferred the tasks that another transaction has locked, or has changed since they were read
     * @param skipped the number of tasks that are gone or in another state
     */
    record Locked(List<Long> ids, List<Long> deferred, int skipped) {}

    /** Returns some of the tasks that an operation has changed, in parts after a number. */
    List<ChangedTasks> changed(long operation, long after, int limit);

    /** Applies an act to locked tasks that are in a state, and notes which they are. */
    Transitioned apply(long operation, OperationAct act, StoredTube tube, TaskState from, Collection<Long> ids);
}
