package org.tasktube.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.tasktube.TubeDefinition;

/**
 * What the servers on one database must agree on besides tasks: which tubes there are, which servers are up, and which
 * sessions others may identify as. Each method is atomic; those about tubes are part of the caller's transaction where
 * there is one, the others are never called in one.
 *
 * <p>Methods throw {@link org.tasktube.StoreException} when the database fails.
 */
public interface Registry extends AutoCloseable {

    // Tubes

    List<StoredTube> tubes();

    Optional<StoredTube> tube(String name);

    /** Creates a tube; empty if one of that name exists. */
    Optional<StoredTube> createTube(TubeDefinition definition, boolean subQueues);

    /** Removes a tube with its tasks in the database. */
    void dropTube(StoredTube tube);

    // Servers

    /** Registers a server that came up. */
    int registerNode(String name);

    /** Says that a server is up; false if others have taken it for dead. */
    boolean seen(int node);

    /**
     * All servers.
     *
     * @param ownTimeout how long a server of the own name may be silent, most likely a former self that was killed
     * @param timeout how long all others may
     */
    List<Peer> peers(String ownName, Duration ownTimeout, Duration timeout);

    /** Takes a server for dead that has not said anything since that time; false if it has. */
    boolean markDead(Peer silent);

    /**
     * Releases what dead servers held, and forgets those that hold nothing any more. It waits for no lock: what somebody has
     * locked is left for the next call, and so is its server. What they held for sessions that have other connections is kept
     * for these, and for all known sessions for their ttr.
     */
    List<Released> releaseDead(Duration sessionTtr);

    /** Says that a server goes, and releases what it holds. */
    List<Released> leave(int node, Duration sessionTtr);

    // Custody

    /** All tasks that are TAKEN. */
    List<Taken> taken();

    /** Makes these READY, each if it is still with that taking; what somebody has locked is passed over. */
    List<Released> release(Collection<Taken> takings);

    /** Likewise, and their attempts do not count: nobody has begun them. */
    List<Released> returnUnstarted(Collection<Taken> takings);

    /** Gives these to that number, each if it is still with that taking. */
    void adopt(Collection<Taken> takings, int node);

    // Sessions

    /** Makes a session known that a server has connections of. */
    void publish(UUID session, int node);

    /** Has a server join a known session; false if there is none that has not expired. */
    boolean join(UUID session, int node);

    /** A server has no connection of a known session any more; what it holds is released, now or after the ttr, if none has. */
    List<Released> leave(UUID session, int node, Duration sessionTtr);

    /** Releases what sessions hold whose ttr is over, and forgets them. */
    List<Released> expireSessions();

    @Override
    void close();
}
