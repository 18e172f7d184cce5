package org.tasktube.store.sql;

import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.StoredTube;

/** What differs between the databases beyond the text of their statements: what one does in one statement and another in several. */
interface Dialect {

    /** Returns the statements, by names that are the same for all databases. */
    Statements statements();

    /** Returns the name of the file with the tables' definition. */
    String schemaFile();

    /** Sets the database up as the statements need it, each time it is opened. */
    void prepare(SqlConnection on) throws SQLException;

    /** Returns what the datasource's user must be allowed to use, and is not. */
    List<String> missingRights(SqlConnection on) throws SQLException;

    /** Runs the tracked form of a change, and what it asks for. */
    <T> List<T> track(SqlConnection on, TrackedStatement change, SqlConnection.Row<T> row, Parameters parameters)
            throws SQLException;

    /** Returns whether that is one statement, which needs no transaction of its own. */
    boolean tracksInOneStatement();

    /** Runs an insert and returns the id, or none if there is a row that it must not be beside. */
    List<Long> insertUnlessThere(SqlConnection on, TrackedStatement insert, Parameters parameters) throws SQLException;

    /**
     * Returns parameters for a statement that changes many tasks of a tube. PostgreSQL finds and locks them by the id of the
     * tube; H2 needs the ids of the tasks.
     *
     * @param taken whether only tasks that are TAKEN are changed
     */
    Parameters tasksOf(SqlConnection on, int tube, boolean taken) throws SQLException;

    /** Runs a statement whose parameter {@code ids} can be any number of ids, in their order. */
    <T> List<T> listByIds(SqlConnection on, NamedStatement sql, SqlConnection.Row<T> row, Parameters parameters)
            throws SQLException;

    /** Does the same for a statement that returns no rows. */
    void updateByIds(SqlConnection on, NamedStatement sql, Parameters parameters) throws SQLException;

    /** Marks all sub-queues of a tube as dirty before it is truncated, where that statement does not do so by itself. */
    void markAll(SqlConnection on, int tube) throws SQLException;

    /**
     * Keeps puts and promotions from a tube until the end of a drop.
     *
     * @throws org.tasktube.TubeInUseException if another transaction has put into it, and has not ended in time
     */
    void closeTube(SqlConnection on, StoredTube tube) throws SQLException;

    List<ClaimedTask> claim(SqlConnection on, Claim claim) throws SQLException;

    /** Returns whether a claim is one statement, which needs no transaction of its own. */
    boolean claimsInOneStatement();

    /** Promotes heads of sub-queues and claims, in a transaction of its own. */
    Claim.Answer promoteAndClaim(SqlConnection on, Claim claim) throws SQLException;

    /** Works off some thousand dirty marks at most; returns whether marks are left that it did not look at. */
    boolean promoteHeads(SqlConnection on, int tube) throws SQLException;

    /** Returns which of these tubes have a parked sub-queue that can be promoted now, where no other query can ask that. */
    List<Integer> unparkedTubes(SqlConnection on, Collection<Integer> tubes) throws SQLException;

    /** Takes so many free slots away, or fewer if there are not as many; returns how many. */
    int takeSlots(SqlConnection on, int tube, int count) throws SQLException;

    /** Locks the next buried tasks in order, and passes over those that others have locked; returns their ids. */
    List<Long> lockBuried(SqlConnection on, int tube, int max) throws SQLException;

    /** Keeps others from changing which servers have a session until the end of the transaction. */
    default void lockSession(SqlConnection on, UUID session) throws SQLException {
        on.list(statements().get("lock_session"), row -> true, sessionName(session));
    }

    /** Does the same without waiting; returns false if another transaction has that lock. */
    default boolean tryLockSession(SqlConnection on, UUID session) throws SQLException {
        return on.first(statements().get("try_lock_session"), row -> row.getBoolean(1), sessionName(session))
                .orElse(false);
    }

    private static Parameters sessionName(UUID session) {
        return Parameters.of("session_name", session.toString());
    }
}
