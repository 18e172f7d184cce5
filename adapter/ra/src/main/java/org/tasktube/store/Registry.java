package org.tasktube.store;

import java.time.Duration;
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

    /** How many servers are up, or were lately. */
    int servers();

    /** Says that a server is up; false if others have taken it for dead. */
    boolean seen(int node);

    /**
     * Releases what servers hold that were not seen for too long, and forgets them. A server of the own name is most
     * likely a former self that was killed, so it may have a shorter timeout. What they held for sessions that have other
     * connections is kept for these, and for all known sessions for their ttr.
     */
    List<Released> releaseDead(String ownName, Duration ownTimeout, Duration timeout, Duration sessionTtr);

    /** Releases what a server holds, as if it were dead, and forgets it. */
    List<Released> leave(int node, Duration sessionTtr);

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
