package org.tasktube;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A connection to the tubes, and the session that holds what is taken through it. Get one where it is needed and close
 * it there; it costs no round trip.
 */
public interface TubeConnection extends AutoCloseable {

    /**
     * The session that owns what this connection takes; by its id other connections, on any server, can identify as it.
     * The first call of a session makes it known to the other servers, which is a round trip, and never part of the caller's
     * transaction.
     *
     * @throws IllegalStateException if the connection is closed
     */
    UUID identify();

    /**
     * Goes over to another session: what that holds, this connection can ack from now on. Any number of connections can
     * share one. When the last of them is closed, or its server dies, the session's tasks become READY, at once or after
     * the adapter's {@code sessionTtr}, until when somebody may identify as it. The session before is left as by a close.
     *
     * @param session what {@link #identify()} said, or {@link TaskMeta#session()} of a task; one whose connections never
     *     asked for it is known on its own server only
     * @throws IllegalArgumentException if it is not the text of a UUID of 36 characters (tarantool's is of 16 bytes)
     * @throws SessionExpiredException if there is no such session any more
     */
    void identify(String session);

    /** As {@link #identify(String)} by the id that {@link #identify()} returned. */
    void identify(UUID session);

    /**
     * The tube of that name.
     *
     * @throws TubeNotFoundException if there is none
     * @throws IllegalArgumentException if it cannot name a tube
     */
    Tube tube(String name);

    /**
     * The tube of that name, or empty if there is none.
     *
     * @throws IllegalArgumentException if it cannot name a tube
     */
    Optional<Tube> findTube(String name);

    /** The definitions of all tubes, temporary ones included, by name. */
    List<TubeDefinition> tubes();

    /**
     * Creates a tube; part of the caller's transaction.
     *
     * @throws TubeExistsException if one of that name exists
     * @throws UnsupportedOptionException if its type does not know an option
     * @throws IllegalArgumentException if there is no such type
     */
    Tube createTube(TubeDefinition definition);

    /**
     * Creates a tube, or returns the one that stands. (if_not_exists of tarantool/queue.)
     *
     * @throws TubeExistsException if one of that name exists and is defined otherwise
     * @throws UnsupportedOptionException if its type does not know an option
     * @throws IllegalArgumentException if there is no such type
     */
    Tube createTubeIfNotExists(TubeDefinition definition);

    /**
     * Ends ttls, ttrs and delays that are over, in all tubes. The adapter does that at each deadline by itself; calling
     * it more often is harmless. Never part of the caller's transaction. Sweeps of one server follow each other, so this
     * one returns after another one that is under way. It passes over tasks that open transactions have locked, and over
     * those that another server's sweep is ending at the moment. (Torrelque's sweep answers how many tasks it moved
     * instead.)
     *
     * @return how long until something is due next, at most a few seconds
     */
    Duration sweep();

    /**
     * Returns this connection as an interface that extends it, such as {@code org.tasktube.spi.TubeDrivers}.
     *
     * @throws IllegalArgumentException if it has no such interface
     * @throws IllegalStateException if the connection is closed
     */
    <T> T unwrap(Class<T> type);

    /** The adapter's state on this server; answered in all of them, where other calls need RUNNING. */
    AdapterState state();

    /**
     * Waits until the adapter on this server is RUNNING: at the start of an application, for instance, when its database may
     * not answer yet. Connections are given in every state, so that this call can be made in every state.
     *
     * @param timeout how long to wait; zero answers at once
     * @return whether it is RUNNING; false if it was not within that time
     * @throws IllegalArgumentException if the timeout is negative
     * @throws IllegalStateException if the connection is closed, also meanwhile
     * @throws AdapterNotRunningException if the thread was interrupted
     */
    boolean awaitRunning(Duration timeout);

    /**
     * Closes the connection. With the last one of its session what that still holds becomes READY, or after the adapter's
     * {@code sessionTtr} if the session was made known by {@link #identify()}; inside a transaction only when that ends. A
     * waiting take of it takes nothing. Closing again changes nothing.
     */
    @Override
    void close();
}
