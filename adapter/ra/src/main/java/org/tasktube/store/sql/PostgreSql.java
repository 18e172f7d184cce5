package org.tasktube.store.sql;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.tasktube.TubeInUseException;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.StoredTube;

/** PostgreSQL: each change is one statement, whatever must follow it. */
final class PostgreSql implements Dialect {

    private static final Duration DROP_PATIENCE = Duration.ofSeconds(2);

    /** How much of that a drop tries; the rest of the time it waits, which puts wait for. */
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(1);

    private static final Duration DROP_PAUSE = Duration.ofMillis(10);

    private final Statements sql = Statements.read("postgresql.sql");

    @Override
    public Statements statements() {
        return sql;
    }

    @Override
    public String schemaFile() {
        return "schema-postgresql.sql";
    }

    @Override
    public void prepare(SqlConnection on) {
        // It works as it is
    }

    @Override
    public List<String> missingRights(SqlConnection on) throws SQLException {
        return on.list(sql.get("missing_rights"), row -> row.getString(1), Parameters.NONE);
    }

    @Override
    public <T> List<T> track(SqlConnection on, TrackedStatement change, SqlConnection.Row<T> row, Parameters parameters)
            throws SQLException {
        return on.list(change.tracked(), row, parameters);
    }

    @Override
    public boolean tracksInOneStatement() {
        return true;
    }

    @Override
    public List<Long> insertUnlessThere(SqlConnection on, TrackedStatement insert, Parameters parameters)
            throws SQLException {
        return track(on, insert, row -> row.getLong(1), parameters);
    }

    @Override
    public Parameters tasksOf(SqlConnection on, int tube, boolean taken) {
        return Parameters.of("tube", tube);
    }

    @Override
    public <T> List<T> listByIds(
            SqlConnection on, NamedStatement statement, SqlConnection.Row<T> row, Parameters parameters)
            throws SQLException {
        return on.list(statement, row, parameters);
    }

    @Override
    public void updateByIds(SqlConnection on, NamedStatement statement, Parameters parameters) throws SQLException {
        on.update(statement, parameters);
    }

    @Override
    public void markAll(SqlConnection on, int tube) {
        // The statement that truncates does so, for the tasks that it removes
    }

    @Override
    public void closeTube(SqlConnection on, StoredTube tube) throws SQLException {
        if (!locks(on, "try_lock_tube", tube.id(), CLOSE_PATIENCE) && !waitsForPuts(on, tube)) {
            throw new TubeInUseException("tube '" + tube.name()
                    + "' was not dropped: a transaction that has put tasks into it did not end within "
                    + DROP_PATIENCE.toMillis() + " ms; end that transaction, then drop the tube again");
        }
        if (!locks(on, "try_lock_promotion", tube.id(), DROP_PATIENCE)) {
            throw new TubeInUseException(
                    "tube '" + tube.name() + "' was not dropped: a take from its sub-queues did not end within "
                            + DROP_PATIENCE.toMillis() + " ms; drop the tube again");
        }
    }

    /** Waits at last, as all puts wait for that. */
    private boolean waitsForPuts(SqlConnection on, StoredTube tube) throws SQLException {
        return on.first(sql.get("close_tube"), row -> row.getBoolean(1), Parameters.of("tube", tube.id()))
                .orElseThrow();
    }

    /** Tries instead of waiting: transactions that begin in that time are not kept waiting behind it. */
    private boolean locks(SqlConnection on, String lock, int tube, Duration patience) throws SQLException {
        long end = System.nanoTime() + patience.toNanos();
        do {
            if (on.first(sql.get(lock), row -> row.getBoolean(1), Parameters.of("tube", tube))
                    .orElseThrow()) {
                return true;
            }
            LockSupport.parkNanos(DROP_PAUSE.toNanos());
        } while (System.nanoTime() - end < 0);
        return false;
    }

    @Override
    public List<ClaimedTask> claim(SqlConnection on, Claim claim) throws SQLException {
        return Claim.inOrder(on.list(sql.get("claim"), claim::read, claim.parameters()));
    }

    @Override
    public boolean claimsInOneStatement() {
        return true;
    }

    @Override
    public Claim.Answer promoteAndClaim(SqlConnection on, Claim claim) throws SQLException {
        AtomicBoolean marksLeft = new AtomicBoolean();
        try {
            List<ClaimedTask> tasks = on.listOfSecond(
                    sql.get("promote_and_claim"),
                    row -> marksLeft.compareAndSet(false, row.getBoolean(1)),
                    claim::read,
                    claim.parameters());
            return new Claim.Answer(Claim.inOrder(tasks), marksLeft.get());
        } catch (SQLException e) {
            rollback(on, e);
            throw e;
        }
    }

    /** The driver does not know of the transaction, and would leave the connection in one that failed. */
    private void rollback(SqlConnection on, SQLException first) {
        try {
            on.update(sql.get("rollback"), Parameters.NONE);
        } catch (SQLException e) {
            first.addSuppressed(e);
        }
    }

    @Override
    public boolean promoteHeads(SqlConnection on, int tube) throws SQLException {
        return on.first(sql.get("promote_heads"), row -> row.getBoolean(1), Parameters.of("tube", tube))
                .orElseThrow();
    }

    @Override
    public List<Integer> unparkedTubes(SqlConnection on, Collection<Integer> tubes) {
        // The query for what is ready asks for them
        return List.of();
    }

    @Override
    public int takeSlots(SqlConnection on, int tube, int count) throws SQLException {
        return on.update(sql.get("take_slots"), Parameters.of("tube", tube, "count", count));
    }

    @Override
    public List<Long> lockBuried(SqlConnection on, int tube, int max) throws SQLException {
        return on.list(sql.get("lock_buried"), row -> row.getLong(1), Parameters.of("tube", tube, "max", max));
    }
}
