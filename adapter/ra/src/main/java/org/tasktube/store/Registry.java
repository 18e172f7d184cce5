package org.tasktube.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import org.tasktube.SessionOwnerException;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeMode;
import org.tasktube.admin.OldTransaction;
import org.tasktube.admin.TubeChange;

/**
 * The tubes, the servers and the registered sessions of one database: all that its servers must agree on besides tasks.
 * Each method is atomic. If the caller has a transaction, the methods for tubes are part of it. The other methods are
 * never called in a transaction.
 *
 * <p>If the database fails, a method throws {@link org.tasktube.StoreException}.
 */
public interface Registry extends AutoCloseable {

    // Tubes

    List<StoredTube> tubes();

    Optional<StoredTube> tube(String name);

    /** Creates a tube. Returns empty if a tube of that name exists. */
    Optional<StoredTube> createTube(TubeDefinition definition, boolean subQueues);

    /** Removes a tube with its tasks in the database. */
    void dropTube(StoredTube tube);

    /**
     * Removes a tube likewise, unless a task of it is TAKEN. An open transaction may have taken one, and commit while
     * this waits for it.
     *
     * @throws org.tasktube.TubeInUseException if a task is TAKEN; then the caller's transaction must roll back
     */
    void dropIdleTube(StoredTube tube);

    /**
     * Sets the mode of a tube. Returns empty if the tube has that mode already, or no longer exists.
     *
     * @param reason empty for OPEN
     */
    Optional<ModeSetting> setMode(StoredTube tube, TubeMode mode, String by, String reason);

    /** Returns the mode of a tube; empty if the tube no longer exists. */
    Optional<ModeSetting> mode(StoredTube tube);

    /** Changes defaults of a tube. Returns the tube after the change; empty if it no longer exists. */
    Optional<StoredTube> change(StoredTube tube, TubeChange change);

    // Servers

    /** Registers a server that has started; returns its number. */
    int registerNode(String name);

    /**
     * Removes the tasks of temporary tubes if no server of another name is up, and gives each of these tubes the free
     * slots that it lacks after a crash of the database, which has removed its tasks. The table gets its pages back.
     *
     * @param first whether the server has started just now, so that no task of its own is there
     */
    void beginTemporary(String name, boolean first);

    /**
     * Takes up the work of a server that was registered before the store was opened again. Returns false if other
     * servers have taken it for dead.
     */
    boolean resumeNode(int node, String name);

    /**
     * Writes the heartbeat of a server, and reads all servers, by one statement. See {@link #peers}. It uses no other
     * table, so that no lock of one holds it up.
     *
     * @param work the line of its work that it shows the others
     */
    Pulse beat(int node, String work, String ownName, Duration ownTimeout, Duration timeout);

    /**
     * Returns all servers.
     *
     * @param ownTimeout the silence after which a server of the name {@code ownName} is overdue, which is most likely a
     *     former run that was killed
     * @param timeout the silence after which any other server is overdue
     */
    List<Peer> peers(String ownName, Duration ownTimeout, Duration timeout);

    /** Returns the news. A poll has them, too. */
    RegistryNews news();

    /**
     * Returns all servers with their tasks and sessions, by number, also those that are gone for less than a day. Reads
     * all TAKEN tasks, by an index.
     */
    List<ServerLoad> servers();

    /** Leaves a dead server out of the answers to heartbeats. Returns whether it was among them. */
    boolean dismiss(int node);

    /**
     * Marks a server as dead, unless it has written a heartbeat since {@link Peer#seenAt}. Returns whether this call
     * marked it.
     */
    boolean markDead(Peer silent);

    /**
     * Releases the tasks of dead servers, and forgets each dead server that holds no task any more. Skips tasks that
     * other transactions have locked. The next call releases them, and forgets their servers.
     *
     * <p>If a registered session has connections on other servers, it keeps its tasks. If it has lost its last
     * connection, it keeps them for the time of its {@link SessionTerms}, or for the ttr of sessions.
     *
     * @param sessionTtr the time for which a session without a time of its own keeps its tasks; zero for none
     */
    List<Released> releaseDead(Duration sessionTtr);

    /**
     * Marks a server that stops as dead, and does the same as {@link #releaseDead}. But while another server is up, the
     * one that stops is not forgotten: the other learns of it by {@link #peers}, and forgets it.
     */
    List<Released> leave(int node, Duration sessionTtr);

    /** Returns the transaction of anybody that is open for the longest time, if that is at least so long. */
    Optional<OldTransaction> oldestTransaction(Duration atLeast);

    // Holders

    /** Returns all tasks that are TAKEN. */
    List<Taken> taken();

    /**
     * Makes these tasks READY, each one only if the same taking still holds it. Skips tasks that other transactions
     * have locked.
     */
    List<Released> release(Collection<Taken> takings);

    /**
     * Makes tasks READY whose work has not begun, so that their attempts do not count: each one only if the same taking
     * still holds it. Skips tasks that other transactions have locked.
     */
    List<Released> returnUnstarted(Collection<Taken> takings);

    // Sessions

    /**
     * Registers a session with a server that has connections of it, so that other servers can join it. If it is
     * registered, a given time replaces its former one on all servers. Its first owner stays.
     *
     * @param wanted the terms to set; an empty one stays as it is
     * @return the terms of the session from now on
     * @throws SessionOwnerException if the session has another owner than the given one
     */
    SessionTerms publish(UUID session, int node, SessionTerms wanted);

    /** Returns the terms of a session; empty if it is not registered, or has expired. */
    Optional<SessionTerms> terms(UUID session);

    /** Adds a server to a registered session. Returns empty if the session is not registered, or has expired. */
    Optional<SessionTerms> join(UUID session, int node);

    /**
     * Removes a server from a registered session, because the server has no connection of it any more. If no other
     * server has one, the session's tasks are released: at once if the session's time is zero, else after that time.
     *
     * @param kept the session's time if the registry has none
     * @param sessionTtr the time of a session without a time of its own
     */
    LeftSession leave(UUID session, int node, Optional<Duration> kept, Duration sessionTtr);

    /**
     * Removes a server from the registered sessions that it does not know, as {@link #leave} does. A database that
     * another one has replaced may have lost that the server has left them.
     *
     * @param isKnown whether the server knows a session; asked while nobody can join it
     */
    List<Released> leaveUnknown(int node, Predicate<UUID> isKnown, Duration sessionTtr);

    /** Removes a server from a session that has ended on it, and whose registration may have failed. */
    void withdraw(UUID session, int node);

    /** Releases the tasks of sessions whose ttr is over, and forgets these sessions. */
    List<Released> expireSessions();

    @Override
    void close();
}
