package org.tasktube.admin;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.tasktube.FailureGroup;
import org.tasktube.TubeDefinition;

/**
 * Administration of all tubes of the adapter, beside the work of applications. Get it by
 * {@code connection.unwrap(TaskAdmin.class)}. It works while that connection is open.
 */
public interface TaskAdmin {

    /** The maximum number of tasks per page, and of kinds of failures per call. */
    int MAX_PAGE = 500;

    /** The maximum number of tasks before another one that {@link #whyWaiting} counts. */
    int MAX_BEFORE = 1_000;

    /** The maximum number of priorities per tube that {@link #oldestReady} reads, the smallest ones. */
    int MAX_PRIORITIES = 100;

    /** The maximum number of moves per page of {@link #history}. */
    int MAX_EVENTS = 500;

    /** The maximum number of tasks in {@link TaskHistory#puts}. */
    int MAX_PUTS = 100;

    /**
     * Returns one page of the tasks that fit a filter. In a JTA transaction, the search sees the transaction's own
     * changes. It locks nothing.
     *
     * <p>A filter with {@code id} or {@code key} reads only these tasks. A filter with {@code tube} or {@code state}
     * reads the tasks of these tubes and states, by an index. They come by tube, by state, and in the order of take.
     * Any other filter reads all tasks, the newest first, and those of temporary tubes last. Temporary tubes show the
     * tasks of this server only.
     *
     * <p>One call reads a bounded number of tasks. If few of them fit, the page may have fewer tasks than the limit, or
     * none, although more tasks follow. {@link TaskPage#next()} says whether to go on.
     *
     * @param from where to go on: {@link TaskPage#next()} of the page before; empty for the first page
     * @param limit the maximum number of tasks, from 1 to {@value #MAX_PAGE}
     * @throws IllegalArgumentException if the limit is out of its bounds, or {@code from} belongs to no page
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     * @throws org.tasktube.StoreException if the database fails, or does not answer within 5 s
     */
    TaskPage search(TaskFilter filter, Optional<String> from, int limit);

    /**
     * Returns the kinds of failures that tasks have, those of the most tasks first. The numbers are exact: they count all
     * tasks of the database, and those of the temporary tubes of this server. The cost depends on the number of failed
     * tasks, not on {@code most}.
     *
     * <p>In a JTA transaction, the call sees the transaction's own changes. It locks nothing.
     *
     * @param most the maximum number of kinds, from 1 to {@value #MAX_PAGE}
     * @throws IllegalArgumentException if {@code most} is out of its bounds
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     * @throws org.tasktube.StoreException if the database fails, or does not answer within 5 s
     */
    List<FailureGroup> failures(int most);

    /**
     * Returns the servers on this database, in the order of their numbers. This server is one of them. The call reads all
     * TAKEN tasks, by an index. It runs outside the caller's transaction.
     *
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     * @throws org.tasktube.StoreException if the database fails, or does not answer within 5 s
     */
    List<ServerStatus> servers();

    /**
     * Returns the reason why a task is not worked on, or not done yet. The reason follows the rules of a take, in their
     * order. A reason that only another server knows is not known here.
     *
     * <p>The call reads the task, its tube, and a bounded number of other tasks by an index. In a JTA transaction, it
     * sees the transaction's own changes. It locks nothing. If the adapter is not RUNNING, it reads nothing, and that is
     * the reason.
     *
     * @throws org.tasktube.TubeNotFoundException if the tube does not exist
     * @throws org.tasktube.TaskNotFoundException if the tube does not have the task
     * @throws IllegalArgumentException if the name of the tube breaks its rule
     * @throws org.tasktube.StoreException if the database fails, or does not answer within 5 s
     */
    WaitingTask whyWaiting(String tube, long id);

    /**
     * Returns the oldest READY task of each tube that has one, in the order of the tubes' names. Its age shows how long
     * tasks wait. Of temporary tubes, only the tasks of this server count.
     *
     * <p>The call reads one or two tasks per tube and priority by an index, of at most {@value #MAX_PRIORITIES}
     * priorities per tube. So its cost does not grow with the number of tasks. In a JTA transaction, it sees the
     * transaction's own changes. It locks nothing.
     *
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     * @throws org.tasktube.StoreException if the database fails, or does not answer within 5 s
     */
    List<OldestReady> oldestReady();

    /**
     * Returns one page of the history of a task, the oldest moves first. The task may be gone. {@link TubeDefinition#history}
     * says which moves the tube keeps.
     *
     * <p>The database has the history of its tasks, and each transaction of a move writes it. A server keeps the history of
     * its temporary tubes in memory: the newest 100,000 moves of all of them. A move that it keeps no longer is missing
     * here, although the retention is not over. So is each move before the last restart.
     *
     * <p>The call reads by an index. In a JTA transaction, it sees the transaction's own moves. It locks nothing.
     *
     * @param from where to go on: {@link TaskHistory#next()} of the page before; empty for the first page
     * @param limit the maximum number of moves, from 1 to {@value #MAX_EVENTS}
     * @throws org.tasktube.TubeNotFoundException if the tube does not exist
     * @throws org.tasktube.TaskNotFoundException if the tube has neither the task nor a history of it
     * @throws IllegalArgumentException if the limit is out of its bounds, or {@code from} belongs to no page
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     * @throws org.tasktube.StoreException if the database fails, or does not answer within 5 s
     */
    TaskHistory history(String tube, long id, Optional<String> from, int limit);

    /**
     * Changes defaults of a tube, as part of the caller's transaction. They hold for puts and moves after the commit. The
     * tasks that were put before keep their own values.
     *
     * <p>This server follows at the commit. Another server follows when it reads all tubes the next time, which it does
     * once per fifth of its {@code nodeTimeout} while more than one server is up. Until then, its puts have the former
     * defaults, and it keeps the former history.
     *
     * @return the definition of the tube after the change
     * @throws org.tasktube.TubeNotFoundException if the tube does not exist
     * @throws org.tasktube.UnsupportedOptionException if the tube's type does not have an option
     * @throws IllegalArgumentException if a value is out of its bounds
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     * @throws org.tasktube.StoreException if the database fails
     */
    TubeDefinition changeTube(String tube, TubeChange change);

    /**
     * Runs calls of this thread in the name of a user. The history of the tasks that they move has the name, see
     * {@link TaskEvent#by}.
     *
     * @param by the name, 1 to {@value org.tasktube.TubeModes#MAX_MODE_TEXT} characters, not all blank
     * @return the result of the calls
     * @throws IllegalArgumentException if the name is blank or too long
     */
    <T> T inNameOf(String by, Supplier<T> calls);
}
