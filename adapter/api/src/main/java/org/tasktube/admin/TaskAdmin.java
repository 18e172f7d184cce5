package org.tasktube.admin;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.tasktube.FailureGroup;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskProgress;
import org.tasktube.TubeDefinition;

/**
 * Administration of all tubes of the adapter, beside the work of applications. Get it by
 * {@code connection.unwrap(TaskAdmin.class)}. It belongs to no session, and works also after the connection is closed.
 *
 * <p>Outside a JTA transaction, each read is a transaction of its own. In PostgreSQL it is read-only.
 */
public interface TaskAdmin {

    /** The maximum number of tasks per page, and of kinds of failures per call. */
    int MAX_PAGE = 500;

    /** The maximum number of tasks before another one that {@link #whyWaiting} counts. */
    int MAX_BEFORE = 1_000;

    /** The maximum number of priorities per tube that {@link #oldestReady} reads, the smallest ones. */
    int MAX_PRIORITIES = 100;

    /** The header of an edited task with the tube and the id of the task that it replaces: {@code orders/4711}. */
    String EDITED_FROM = PutOptions.RESERVED_HEADERS + "edited-from";

    /** The maximum number of tasks that a preview has the database count beside other servers. */
    long MAX_COUNTED = 3_000_000;

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
     * Any other filter reads all tasks, the newest first, and those of temporary tubes last.
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
     * Returns all tubes with their numbers, in the order of their names. Temporary tubes are among them. The numbers
     * are this server's, as those of {@link org.tasktube.Tube#statistics()}. The call reads the tubes, and no task.
     *
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     * @throws org.tasktube.StoreException if the database fails, or does not answer within 5 s
     */
    List<TubeDetail> tubeDetails();

    /**
     * Returns one task with all that is kept of it. In a JTA transaction, the call sees the transaction's own changes.
     * It locks nothing.
     *
     * @throws org.tasktube.TubeNotFoundException if the tube does not exist
     * @throws org.tasktube.TaskNotFoundException if the tube does not have the task
     * @throws IllegalArgumentException if the name of the tube breaks its rule
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     * @throws org.tasktube.StoreException if the database fails, or does not answer within 5 s
     */
    TaskDetail task(String tube, long id);

    /**
     * Returns the kinds of failures that tasks have, those of the most tasks first. The numbers are exact: they count
     * all tasks. The cost depends on the number of
     * failed tasks, not on {@code most}.
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
     * Returns the servers on this database, in the order of their numbers, also those that died or stopped during the
     * last day. This server is one of them. The call reads all TAKEN tasks, by an index. It runs outside the caller's
     * transaction.
     *
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     * @throws org.tasktube.StoreException if the database fails, or does not answer within 5 s
     */
    List<ServerStatus> servers();

    /** Returns the beans of this server that get tasks, or would, by name. Uses no database. */
    List<BeanStatus> beans();

    /**
     * Dismisses the problem that a server has died: {@link ClusterWork#dead} leaves it out from each server's next
     * heartbeat on. Returns false if no dead server of which nothing is left to release has that number, or if it was
     * dismissed before. It runs outside the caller's transaction.
     *
     * @param number the number that the server had in the database
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     * @throws org.tasktube.StoreException if the database fails, or does not answer within 5 s
     */
    boolean dismissServer(int number);

    /**
     * Returns the reason why a task is not worked on, or not done yet. The reason follows the rules of a take, in their
     * order. A reason that only another server knows is not known here.
     *
     * <p>The call reads the task, its tube, and a bounded number of other tasks by an index. In a JTA transaction, it
     * sees the transaction's own changes. It locks nothing. If the adapter is not RUNNING, it reads nothing, and that
     * is the reason.
     *
     * @throws org.tasktube.TubeNotFoundException if the tube does not exist
     * @throws org.tasktube.TaskNotFoundException if the tube does not have the task
     * @throws IllegalArgumentException if the name of the tube breaks its rule
     * @throws org.tasktube.StoreException if the database fails, or does not answer within 5 s
     */
    WaitingTask whyWaiting(String tube, long id);

    /**
     * Returns the tasks that come before a task and after it, by {@link org.tasktube.PutOptions#after}. They are kept
     * until the later one of each pair is gone.
     *
     * @throws org.tasktube.TubeNotFoundException if the tube does not exist
     * @throws org.tasktube.TaskNotFoundException if the tube does not have the task
     * @throws org.tasktube.StoreException if the database fails, or does not answer within 5 s
     */
    TaskRelations relations(String tube, long id);

    /**
     * Returns how far the holders of tasks say they are, and which of them were asked to end theirs, by the ids of those
     * of these tasks of which something is known.
     *
     * @param ids at most {@value #MAX_PAGE}
     * @throws IllegalArgumentException if there are more ids
     */
    Map<Long, TaskProgress> progress(Collection<Long> ids);

    /**
     * Returns the oldest READY task of each tube that has one, in the order of the tubes' names. Its age shows how long
     * tasks wait.
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
     * Returns the tasks that went into each tube and out of it, in buckets of 5 minutes, over all servers. The last
     * bucket is the latest one that is over. A server adds its numbers at the end of each bucket, so the last bucket
     * can still grow for some seconds.
     *
     * <p>A server that is killed loses its numbers of the current bucket. If a server's clock differs from the
     * database's by more than two minutes, its numbers are in the next bucket, or in the one before.
     *
     * <p>The cost grows with the tubes and with the time, and not with the number of tasks. In a JTA transaction, the
     * call is part of it. It locks nothing.
     *
     * @param back the time before now, from 5 minutes to 24 hours; rounded up to whole buckets
     * @throws IllegalArgumentException if {@code back} is out of its bounds
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     * @throws org.tasktube.StoreException if the database fails, or does not answer within 5 s
     */
    Flow flow(Duration back);

    /**
     * Returns the work of all servers, as they show it each other with their heartbeats. The call reads memory only.
     * Each server shows at most {@value ClusterWork#MAX_TUBES} tubes.
     *
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     */
    ClusterWork work();

    /**
     * Returns the oldest transaction of the database if it is open for at least 5 minutes, as of the last check. Each
     * server checks once per minute; this call reads memory only. Empty on H2, and if the adapter's user may not see the
     * sessions of others ({@code GRANT pg_read_all_stats}).
     *
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     */
    Optional<OldTransaction> oldTransaction();

    /**
     * Returns how long tasks waited and ran, and how late deadlines were, as this server has measured it since its
     * start. The call reads memory only.
     *
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     */
    ServerTimings timings();

    /**
     * Returns the adapter's {@code maxDataSize} on this server, in bytes. No task that this server puts has more data.
     * A task can have more if another server put it, or if the setting was lowered since.
     *
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     */
    int maxDataSize();

    /**
     * Puts an edited form of a task, and removes the task, unless {@link EditedTask#keepOld()} is true. The new task
     * has a new id, the last place of its priority, no attempts, and the header {@value #EDITED_FROM}. It keeps the
     * unique key of a removed task. Events and statistics are those of a put and a delete.
     *
     * <p>Call it in a JTA transaction, which makes both changes one act. If the call fails, roll the transaction back.
     *
     * @throws IllegalStateException if the caller has no JTA transaction
     * @throws org.tasktube.TubeNotFoundException if the tube does not exist
     * @throws org.tasktube.TaskNotFoundException if the tube does not have the task
     * @throws org.tasktube.WrongStateException if the task is TAKEN
     * @throws org.tasktube.UnsupportedOptionException if the type of the tube lacks an option that is set
     * @throws org.tasktube.DataTooLargeException if the data is larger than the adapter's {@code maxDataSize}
     * @throws org.tasktube.TubeFullException if the tube has no free slot
     * @throws org.tasktube.TubeDrainingException if the tube is DRAINING
     * @throws IllegalArgumentException if a value is out of its bounds
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     * @throws org.tasktube.StoreException if the database fails
     */
    Task retryEdited(String tube, long id, EditedTask edited);

    /**
     * Adds a row to the audit, with the time and this server's name. In a JTA transaction, the row is part of it. So an
     * act and its row are both there, or neither. Rows older than the adapter's {@code auditRetention} are removed.
     *
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     * @throws org.tasktube.StoreException if the database fails
     */
    void record(AuditAct act);

    /**
     * Returns one page of the audit, the newest rows first. In a JTA transaction, the call sees the transaction's own
     * rows. It reads by an index, and locks nothing.
     *
     * @param from where to go on: {@link AuditPage#next()} of the page before; empty for the first page
     * @param limit the maximum number of rows, from 1 to {@value #MAX_PAGE}
     * @throws IllegalArgumentException if the limit is out of its bounds
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     * @throws org.tasktube.StoreException if the database fails, or does not answer within 5 s
     */
    AuditPage audit(AuditQuery query, OptionalLong from, int limit);

    /**
     * Returns what was logged during the last deliveries of a task, at most 20, the oldest first. The task may be gone.
     * Empty unless the adapter's property {@code deliveryLogLines} is above 0.
     *
     * @throws org.tasktube.TubeNotFoundException if the tube does not exist
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     * @throws org.tasktube.StoreException if the database fails, or does not answer within 5 s
     */
    List<DeliveryLog> deliveryLogs(String tube, long task);

    /**
     * Adds the login of a user at a console, and removes logins that are over.
     *
     * @param key see {@link UserLogin#key()}
     * @param user the name of the user, cut to 255 characters
     * @param address the address of the client, cut to 100 characters
     * @throws IllegalArgumentException if the key has another length than {@value UserLogin#KEY_LENGTH}
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     * @throws org.tasktube.StoreException if the database fails, or does not answer within 5 s
     */
    void addLogin(String key, String user, String address);

    /**
     * Returns a login, and notes that it is used now. Empty if there is none of that key, or it has ended.
     *
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     * @throws org.tasktube.StoreException if the database fails, or does not answer within 5 s
     */
    Optional<UserLogin> useLogin(String key);

    /**
     * Ends a login. Returns false if there is none of that key.
     *
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     * @throws org.tasktube.StoreException if the database fails, or does not answer within 5 s
     */
    boolean endLogin(String key);

    /**
     * Returns all logins that have not ended, the newest first.
     *
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     * @throws org.tasktube.StoreException if the database fails, or does not answer within 5 s
     */
    List<UserLogin> logins();

    /**
     * Returns what an act on all tasks that fit a filter would find now. If the filter has conditions on {@code tube}
     * and {@code state} only, the number is exact: the database counts up to 20,000 tasks of a state. For more, a server
     * that is alone has it in memory, as {@link org.tasktube.Tube#statistics()} has it; beside other servers the
     * database counts up to {@value #MAX_COUNTED} tasks. Any other filter has its tasks read, those that the act is for
     * first, at most {@value OperationPreview#MAX_LOOK} of them and for at most 5 s. {@link OperationSize#isLeast()}
     * says whether the look ended there. In a JTA transaction, the reading sees the transaction's own changes. It locks nothing.
     *
     * <p>The preview leaves out temporary tubes, and names them.
     *
     * @throws org.tasktube.OperationRefusedException if the filter allows only temporary tubes, or no existing
     *     tube
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     * @throws org.tasktube.StoreException if the database fails, or does not answer within 5 s
     */
    OperationPreview previewOperation(OperationAct act, TaskFilter filter);

    /**
     * Starts an act on all tasks that fit a filter: writes the operation, in the caller's JTA transaction. After the
     * commit this server runs the operation in batches, after all earlier operations.
     *
     * <p>Each batch and its progress are one transaction. If the server dies, another server goes on after the last
     * batch that was committed. No task is changed twice by one operation, even if it comes into a state of the act
     * again. Each change has the effects of the same act on one task: statistics, watches, listeners, woken consumers.
     *
     * <p>The operation changes at most the confirmed number of tasks, unless that is a least number. If it finds that
     * more fit, it ends as {@link OperationState#STOPPED}, and leaves these as they are.
     *
     * <p>Tasks that were put after the look are left out. A task that begins to fit after the look, by a change of
     * its state, is changed if its place in the order of the search comes later. Else it is left out. If another
     * transaction has locked a task, the operation tries it again at its end. If it is still locked, or in a state that
     * the act is not for, the task counts as skipped.
     *
     * @param by the user who starts it, 1 to {@value org.tasktube.TubeModes#MAX_MODE_TEXT} characters
     * @param reason the reason, 1 to {@value org.tasktube.TubeModes#MAX_MODE_TEXT} characters
     * @param confirmed what the user has confirmed: {@link OperationPreview#size()}
     * @return the operation, which is WAITING
     * @throws org.tasktube.OperationRefusedException if the confirmed number is 0, or for the reasons of
     *     {@link #previewOperation}
     * @throws IllegalArgumentException if a text is blank, too long, or has a control character
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     * @throws org.tasktube.StoreException if the database fails, or does not answer within 5 s
     */
    Operation startOperation(OperationAct act, TaskFilter filter, String by, String reason, OperationSize confirmed);

    /**
     * Returns operations, the newest first.
     *
     * @param before only operations of smaller ids; empty for the newest
     * @param limit the maximum number of operations, from 1 to {@value #MAX_PAGE}
     * @throws IllegalArgumentException if the limit is out of its bounds
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     * @throws org.tasktube.StoreException if the database fails, or does not answer within 5 s
     */
    List<Operation> operations(Optional<Long> before, int limit);

    /**
     * Returns an operation.
     *
     * @throws org.tasktube.OperationNotFoundException if no operation has the id
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     * @throws org.tasktube.StoreException if the database fails, or does not answer within 5 s
     */
    Operation operation(long id);

    /**
     * Returns the tasks that an operation has changed so far, in the order of its batches. They are kept as long as the
     * operation, also without a history of the tasks.
     *
     * @param after the {@link ChangedTasks#number()} of the last part of the page before; 0 for the first page
     * @param limit the maximum number of parts, from 1 to {@value #MAX_PAGE}. Each has at most 500 tasks
     * @throws org.tasktube.OperationNotFoundException if no operation has the id
     * @throws IllegalArgumentException if the limit is out of its bounds
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     * @throws org.tasktube.StoreException if the database fails, or does not answer within 5 s
     */
    List<ChangedTasks> changedTasks(long operation, long after, int limit);

    /**
     * Cancels an operation, in the caller's JTA transaction. Waits for the end of a batch that is under way. From the
     * commit on no batch begins. The batches that were done stand. If the operation is CANCELLED already, this changes
     * nothing.
     *
     * @param by the user who cancels it, 1 to {@value org.tasktube.TubeModes#MAX_MODE_TEXT} characters
     * @param reason why, of the same length
     * @return the operation, which is CANCELLED
     * @throws org.tasktube.OperationNotFoundException if no operation has the id
     * @throws org.tasktube.OperationRefusedException if the operation is DONE or FAILED
     * @throws IllegalArgumentException if a text is blank, too long, or has a control character
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     * @throws org.tasktube.StoreException if the database fails, or does not answer within 5 s
     */
    Operation cancelOperation(long id, String by, String reason);

    /**
     * Returns one page of the history of a task, the oldest moves first. The task may be gone.
     * {@link TubeDefinition#history} says which moves the tube keeps.
     *
     * <p>Each transaction of a move writes it.
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
     * Changes defaults of a tube, as part of the caller's transaction. They hold for puts and moves after the commit.
     * The tasks that were put before keep their own values.
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

    /**
     * Returns all schedules, in the order of their names. In a JTA transaction, it sees the transaction's own changes.
     *
     * @throws org.tasktube.AdapterNotRunningException if the adapter is not RUNNING
     * @throws org.tasktube.StoreException if the database fails, or does not answer within 5 s
     */
    List<ScheduleStatus> schedules();

    /**
     * Puts a task of a schedule now, as part of the caller's transaction, also while it is paused. Its next fire stays as
     * it is.
     *
     * @throws org.tasktube.ScheduleNotFoundException if there is no schedule of that name
     * @throws org.tasktube.TubeNotFoundException if its tube does not exist
     * @throws org.tasktube.TubeDrainingException if its tube is DRAINING
     * @throws org.tasktube.TubeFullException if its tube is full
     * @throws org.tasktube.StoreException if the database fails
     */
    Task runSchedule(String name);

    /**
     * Lets a schedule put no further task, as part of the caller's transaction. It survives deployments of the same
     * schedule.
     *
     * @param by the user who pauses it, 1 to {@value org.tasktube.TubeModes#MAX_MODE_TEXT} characters
     * @param reason why, of the same length
     * @throws org.tasktube.ScheduleNotFoundException if there is no schedule of that name
     * @throws IllegalArgumentException if a text is blank, too long, or has a control character
     * @throws org.tasktube.StoreException if the database fails
     */
    void pauseSchedule(String name, String by, String reason);

    /**
     * Lets a schedule go on with its next fire from now on, as part of the caller's transaction. The fires during the pause
     * put nothing. Does nothing if it is not paused.
     *
     * @throws org.tasktube.ScheduleNotFoundException if there is no schedule of that name
     * @throws org.tasktube.StoreException if the database fails
     */
    void resumeSchedule(String name);
}
