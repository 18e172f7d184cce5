package org.tasktube;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A connection to the tubes, with the session that holds the tasks it takes. Get one where you need it and close it
 * there: it costs no round trip.
 */
public interface TubeConnection extends AutoCloseable {

    /**
     * Returns the id of the session that holds this connection's tasks. With the id, other connections on any server
     * can {@linkplain #identify(String) identify} as this session. The first call in a session registers it for the
     * other servers, which costs a round trip and is never part of the caller's transaction.
     *
     * @throws IllegalStateException if the connection is closed
     */
    UUID identify();

    /**
     * Returns the id of the session, as {@link #identify()} does, and sets how long the session stays after its last
     * connection was closed or its server has died, in place of the adapter's {@code sessionTtr}. So a caller can take on one connection and ack
     * on a later one, on any server, and holds none between them. If several connections set a time, the last one
     * counts, on all servers. Each call costs a round trip.
     *
     * @param keep the time, 0 to 1 day
     * @throws IllegalArgumentException if the time is out of its bounds
     * @throws IllegalStateException if the connection is closed
     */
    UUID identify(Duration keep);

    /**
     * Returns the id of the session, as {@link #identify(Duration)} does, and names its owner, such as the user of a
     * remote caller. Others can read a session's id from its tasks, so the id alone does not show that a caller may act for
     * it. {@link #identify(UUID, String)} on any server checks the owner. Other ways to join the session do not.
     *
     * @param owner the owner, 1 to 255 characters without NUL
     * @throws SessionOwnerException if the session has another owner
     * @throws IllegalArgumentException if the time or the owner is out of its bounds
     * @throws IllegalStateException if the connection is closed
     */
    UUID identify(Duration keep, String owner);

    /**
     * Joins another session, so that this connection can ack the tasks that it holds. The previous session is left as
     * by a close. Any number of connections can share a session. When its last connection is closed, or its server
     * dies, its tasks become READY after the adapter's {@code sessionTtr}, or after the time that
     * {@link #identify(Duration)} has set. Until then a connection can still identify as it. If no connection of the
     * session has called {@link #identify()}, its tasks become READY at once.
     *
     * @param session the value of {@link #identify()}, or of a task's {@link TaskMeta#session()}. If no connection of a
     *     session has called identify, only its own server knows the session
     * @throws IllegalArgumentException if it is not the text of a UUID, 36 characters (tarantool's has 16 bytes)
     * @throws SessionExpiredException if no such session exists
     */
    void identify(String session);

    /** Joins another session, as {@link #identify(String)} does, by the value of {@link #identify()}. */
    void identify(UUID session);

    /**
     * Joins another session, as {@link #identify(UUID)} does, if it has this owner.
     *
     * @return the time for which the session stays without a connection
     * @throws SessionOwnerException if the session has another owner, or none
     * @throws SessionExpiredException if no such session exists
     */
    Duration identify(UUID session, String owner);

    /**
     * Returns the tube of that name.
     *
     * @throws TubeNotFoundException if no tube has that name
     * @throws IllegalArgumentException if it is no valid name of a tube
     */
    Tube tube(String name);

    /**
     * Returns the tube of that name; empty if no tube has it.
     *
     * @throws IllegalArgumentException if it is no valid name of a tube
     */
    Optional<Tube> findTube(String name);

    /** Returns the definitions of all tubes, temporary ones included, in the order of their names. */
    List<TubeDefinition> tubes();

    /**
     * Creates a tube, in a transaction of its own: all see it at once, and it stays if the caller's transaction rolls
     * back. So no first producer waits for another one's transaction.
     *
     * @throws TubeExistsException if a tube has that name, or the caller's transaction drops it
     * @throws UnsupportedOptionException if the tube's type does not have an option
     * @throws IllegalArgumentException if the type does not exist
     */
    Tube createTube(TubeDefinition definition);

    /**
     * Creates a tube, in a transaction of its own as {@link #createTube} does, or returns the existing one.
     * (if_not_exists of tarantool/queue.)
     *
     * <p>If {@link org.tasktube.admin.TaskAdmin#changeTube} has changed the tube since its creation, its defaults and
     * its history may differ from the definition. The tube stays as it was changed. Its type, its capacity and
     * {@code temporary} must be the same.
     *
     * @throws TubeExistsException if the tube exists with another definition
     * @throws UnsupportedOptionException if the tube's type does not have an option
     * @throws IllegalArgumentException if the type does not exist
     */
    Tube createTubeIfNotExists(TubeDefinition definition);

    /**
     * Keeps a schedule, as part of the caller's transaction. From the commit on, each of its fires puts one task, whichever
     * servers are up. A schedule of the same name is replaced. An equal one stays as it is, so that each server of a
     * deployment can make the same call; so do a pause by an operator, and the time of the next fire if the expression,
     * the zone and the period stay the same.
     *
     * <p>A fire comes by the database's clock, and within a second after its time while a server is RUNNING.
     *
     * @return whether the schedule is new or changed
     * @throws TubeNotFoundException if the tube does not exist
     * @throws UnsupportedOptionException if the tube's type does not have an option of the put
     * @throws DataTooLargeException if the data is larger than a task's can be
     * @throws IllegalArgumentException if the cron expression is none, or has no next time
     * @throws StoreException if the database fails
     */
    boolean schedule(Schedule schedule);

    /**
     * Removes a schedule, as part of the caller's transaction. Tasks that it has put stay.
     *
     * @return whether there was one of that name
     * @throws StoreException if the database fails
     */
    boolean unschedule(String name);

    /**
     * Applies all ttls, ttrs and delays that have expired, in all tubes, and the fires of schedules that are due. The
     * adapter itself does so at each deadline; more calls do no harm. The call is never part of the caller's
     * transaction. It skips tasks that open transactions have locked, and tasks that another server's sweep is
     * changing. If another sweep runs on this server, the call first waits for its end. (Torrelque's sweep returns the
     * number of tasks instead.)
     *
     * @return the time until the next deadline, at most a few seconds; zero if more are due after 5 s, which the adapter
     *     goes on with
     */
    Duration sweep();

    /**
     * Returns what this connection gives beside its own calls: {@link org.tasktube.admin.TaskAdmin}, or
     * {@link org.tasktube.spi.TubeDrivers}.
     *
     * @throws IllegalArgumentException if the connection does not have the interface
     * @throws IllegalStateException if the connection is closed
     */
    <T> T unwrap(Class<T> type);

    /** Returns the adapter's state on this server. This call succeeds in every state. */
    AdapterState state();

    /**
     * Waits until the adapter on this server is RUNNING, for instance at the start of an application, while its
     * database may be unreachable. This call succeeds in every state, and so does getting a connection.
     *
     * @param timeout the longest time to wait; zero does not wait
     * @return true if the adapter is RUNNING, false after the timeout
     * @throws IllegalArgumentException if the timeout is negative
     * @throws IllegalStateException if the connection is closed, before or during the wait
     * @throws AdapterNotRunningException if the thread was interrupted
     */
    boolean awaitRunning(Duration timeout);

    /**
     * Closes the connection. When the last connection of a session is closed, the tasks that the session holds become
     * READY. If {@link #identify()} has registered the session, they become so after the adapter's {@code sessionTtr}.
     * Inside a transaction, this begins when the transaction ends. A waiting take of this connection takes no task. A
     * second call has no effect.
     */
    @Override
    void close();
}
