package org.tasktube.store.sql;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.tasktube.TaskState;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.NewTask;
import org.tasktube.store.OldestTask;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.StoredTube;

/**
 * The differences between the databases beyond the text of their statements: one database may need several statements
 * where the other needs one.
 */
interface Dialect {

    /** Returns the statements, by names that are the same for all databases. */
    Statements statements();

    /** Returns the name of the file that defines the tables. */
    String schemaFile();

    /** Returns the same definition of a table, for one whose rows a crash of the database or its end may remove. */
    String unlogged(String createTable);

    /** Returns whether the adapter migrates older tables although no setting says so. */
    boolean migratesByDefault();

    /**
     * Returns the schemas in which the tables may be, the likely one first: that of this connection, and the one that
     * it had before an application set another one.
     */
    List<String> schemas(SqlConnection on) throws SQLException;

    /** Prepares a transaction that creates tables by statements without a schema. */
    void useSchema(SqlConnection on, SchemaName schema) throws SQLException;

    /**
     * Prepares the database for the statements, each time it is opened.
     *
     * @throws StoreUnavailableException if the database has a setting with which the statements do not work
     */
    void prepare(SqlConnection on) throws SQLException, StoreUnavailableException;

    /** Returns the statement that limits the waits for locks of the transaction that it begins; empty for none. */
    String lockLimit(Duration limit);

    /**
     * Returns whether a statement can have a limit of time of its own. The driver of H2 sets it for the connection, by a
     * SET.
     */
    default boolean limitsTime() {
        return true;
    }

    /** Returns the tables, sequences and functions for which the datasource's user lacks a right. */
    List<String> missingRights(SqlConnection on) throws SQLException;

    /**
     * Raises the sequences that are behind the numbers in the tables, because the rows were copied without them.
     *
     * @throws StoreUnavailableException if the datasource's user may not raise one
     */
    default void raiseSequences(SqlConnection on) throws SQLException, StoreUnavailableException {}

    /**
     * Runs the full form of a change.
     *
     * @param parameters those of the change and of its move, and {@code marks}: whether it marks sub-queues. Their
     *     {@code ids} can be any number of ids
     */
    <T> List<T> full(SqlConnection on, TrackedStatement change, SqlConnection.Row<T> row, Parameters parameters)
            throws SQLException;

    /** Returns whether {@link #full} is one statement, which needs no transaction of its own. */
    boolean tracksInOneStatement();

    /**
     * Removes all tasks of a tube by the full form of the statement {@code truncate_change}. Returns their numbers by
     * states.
     */
    Map<TaskState, Long> truncate(SqlConnection on, int tube, Parameters move) throws SQLException;

    /**
     * Runs the insert of a task, which returns its id, and returns that. Returns none if a task has the unique key
     * already, or the tube takes no puts.
     */
    List<Long> insertUnlessThere(SqlConnection on, Jdbc.Work<List<Long>> insert) throws SQLException;

    /**
     * Puts several tasks without a unique key, and marks their sub-queues. Returns the ids in the order of the tasks, or
     * none if the tube takes no puts.
     *
     * @param put the values of the put in each task's row, in which the event is that of the task
     */
    List<Long> putMany(SqlConnection on, StoredTube tube, List<NewTask> tasks, Parameters put) throws SQLException;

    /** Runs an insert that does nothing if the row exists. Returns the number of inserted rows. */
    int insertIfMissing(SqlConnection on, NamedStatement insert, Parameters parameters) throws SQLException;

    /**
     * Returns parameters for a statement that changes many tasks of a tube. PostgreSQL finds and locks the tasks by the
     * id of the tube. H2 needs the ids of the tasks.
     *
     * @param taken true for TAKEN tasks only
     */
    Parameters tasksOf(SqlConnection on, int tube, boolean taken) throws SQLException;

    /** Runs a statement whose parameter {@code ids} can be any number of ids. Takes the ids in their order. */
    <T> List<T> listByIds(SqlConnection on, NamedStatement sql, SqlConnection.Row<T> row, Parameters parameters)
            throws SQLException;

    /** Runs a statement that returns no rows, and whose parameter {@code ids} can be any number of ids. */
    void updateByIds(SqlConnection on, NamedStatement sql, Parameters parameters) throws SQLException;

    /**
     * Prevents puts into a tube and promotions in it until the end of its drop.
     *
     * @throws org.tasktube.TubeInUseException if a put or a promotion of another transaction does not end in time
     */
    void closeTube(SqlConnection on, StoredTube tube) throws SQLException;

    /**
     * Returns a number by which {@link #earlierHaveEnded} knows the transactions that have written before this one.
     */
    long nextTransaction(SqlConnection on) throws SQLException;

    /** Returns whether all transactions have ended that have written before the one of the number. */
    boolean earlierHaveEnded(SqlConnection on, StoredTube tube, long number) throws SQLException;

    List<ClaimedTask> claim(SqlConnection on, Claim claim) throws SQLException;

    /** Returns whether a claim is one statement, which needs no transaction of its own. */
    boolean claimsInOneStatement();

    /** Promotes heads of sub-queues and claims, in a transaction of its own. */
    Claim.Answer promoteAndClaim(SqlConnection on, Claim claim) throws SQLException;

    /**
     * Works off some thousand dirty marks at most. Returns true if marks are left unread and too few tasks are ready.
     */
    boolean promoteHeads(SqlConnection on, int tube) throws SQLException;

    /**
     * Returns which of these tubes have a parked sub-queue that can be promoted now. Returns none if
     * {@code poll} finds them itself.
     */
    List<Integer> unparkedTubes(SqlConnection on, Collection<Integer> tubes) throws SQLException;

    /** Takes up to that number of free slots; returns the number that it took. */
    int takeSlots(SqlConnection on, int tube, int count) throws SQLException;

    /** Locks the first buried tasks in order, and skips tasks that other transactions have locked. Returns the ids. */
    List<Long> lockBuried(SqlConnection on, int tube, int max) throws SQLException;

    /**
     * Returns an id from which on at least {@code max} tasks come before another id, if there are so many. H2 cannot
     * read an index backwards. It reads and sorts all tasks of a range, so that the range must be short.
     */
    default long idsFrom(SqlConnection on, long before, int max) throws SQLException {
        return Long.MIN_VALUE;
    }

    /**
     * Restricts a new transaction to reads, and lets all of them see the same moment. Returns false if the database
     * cannot do so.
     */
    default boolean beginReading(SqlConnection on) throws SQLException {
        return false;
    }

    /** Returns the texts between the servers; empty if the database has none. */
    default Optional<Notices> notices(Jdbc jdbc, DataSource dataSource, String schema) {
        return Optional.empty();
    }

    /** Returns the oldest READY tasks. See {@link org.tasktube.store.sql.Reports#oldestReady}. */
    List<OldestTask> oldestReady(SqlConnection on, int priorities) throws SQLException;

    /** Locks a session until the end of the transaction, so that no other transaction changes which servers have it. */
    default void lockSession(SqlConnection on, UUID session) throws SQLException {
        on.list(statements().get("lock_session"), row -> true, sessionName(session));
    }

    /** Locks a session until the end of the transaction. Waits for no other: returns false if one has that lock. */
    default boolean tryLockSession(SqlConnection on, UUID session) throws SQLException {
        return on.first(statements().get("try_lock_session"), row -> row.getBoolean(1), sessionName(session))
                .orElse(false);
    }

    private static Parameters sessionName(UUID session) {
        return Parameters.of("session_name", session.toString());
    }
}
