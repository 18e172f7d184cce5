package org.tasktube.store.sql;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.tasktube.PutOptions;
import org.tasktube.TaskState;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.InUse;
import org.tasktube.store.NewTask;
import org.tasktube.store.OldestTask;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.StoredTube;

/** PostgreSQL: each change is one statement, together with its marks and free slots. */
final class PostgreSql implements Dialect {

    private static final Duration DROP_PATIENCE = Duration.ofSeconds(2);

    /**
     * The part of that time in which a drop only tries the lock. In the rest it waits for the lock, and puts wait
     * behind it.
     */
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(1);

    private static final Duration DROP_PAUSE = Duration.ofMillis(10);

    /** The bytes after which the tasks of a put go on in another statement. */
    private static final int PUT_BYTES = 8 << 20;

    private final Statements sql;
    private final TrackedStatement putMany;

    PostgreSql(SchemaName schema) {
        this.sql = Statements.read("postgresql.sql", schema);
        this.putMany = TrackedStatement.of(sql, "put_many", TrackedStatement.IDS);
    }

    @Override
    public Statements statements() {
        return sql;
    }

    @Override
    public String schemaFile() {
        return "schema-postgresql.sql";
    }

    @Override
    public String unlogged(String createTable) {
        return createTable.replaceFirst("TABLE", "UNLOGGED TABLE");
    }

    /** Servers share the database, and an administrator decides when all of them change. */
    @Override
    public boolean migratesByDefault() {
        return false;
    }

    /** The first one may be set by the pool, so that it comes before the default of the user. */
    @Override
    public List<String> schemas(SqlConnection on) throws SQLException {
        String present = on.connection().getSchema();
        on.connection().setAutoCommit(false);
        on.execute("SET LOCAL search_path TO DEFAULT");
        String atFirst = on.connection().getSchema();
        on.connection().rollback();
        on.connection().setAutoCommit(true);
        return Stream.of(present, atFirst).flatMap(Stream::ofNullable).toList();
    }

    /** The functions keep this path, for the names in them. */
    @Override
    public void useSchema(SqlConnection on, SchemaName schema) throws SQLException {
        on.execute("SET LOCAL search_path TO " + schema.quoted());
    }

    /**
     * Checks the settings of the driver. Simple queries send parameters as text without a type, savepoints around each
     * statement come between those that are sent together, and a driver that asks for binary results from the first
     * time on returns none of the later ones of these.
     */
    @Override
    public void prepare(SqlConnection on) throws StoreUnavailableException {
        String autosave = setting(on, "getAutosave");
        if (!autosave.isEmpty() && !autosave.equals("never")) {
            throw refused("autosave", autosave, "never");
        }
        if (setting(on, "getPreferQueryMode").equals("simple")) {
            throw refused("preferQueryMode", "simple", "extended");
        }
        if (setting(on, "getPrepareThreshold").equals("-1")) {
            throw refused("prepareThreshold", "-1", "5");
        }
    }

    private static StoreUnavailableException refused(String name, String found, String needed) {
        return new StoreUnavailableException("TaskTube does not work with the driver's setting " + name + "=" + found
                + "; set " + name + "=" + needed + " in the datasource's connection URL, or leave it out");
    }

    /** Returns a setting in lower case; empty if the driver or the pool does not show it. */
    private static String setting(SqlConnection on, String getter) {
        try {
            Class<?> type = Notices.driversConnection(on.connection());
            return String.valueOf(type.getMethod(getter).invoke(on.connection().unwrap(type)))
                    .toLowerCase(Locale.ROOT);
        } catch (ReflectiveOperationException | SQLException e) {
            return "";
        }
    }

    @Override
    public String lockLimit(Duration limit) {
        return "SET LOCAL lock_timeout TO " + limit.toMillis();
    }

    @Override
    public List<String> missingRights(SqlConnection on) throws SQLException {
        List<String> missing = on.list(sql.get("missing_rights"), row -> row.getString(1), Parameters.NONE);
        if (missing.isEmpty()) {
            checkFunctions(on);
        }
        return missing;
    }

    /** A sequence, and the greatest of its numbers in the tables. */
    private record Numbers(String sequence, long top, boolean isKnown, boolean canRaise) {}

    @Override
    public void raiseSequences(SqlConnection on) throws SQLException, StoreUnavailableException {
        List<Numbers> behind = behind(on, false).isEmpty() ? List.of() : behind(on, true);
        for (Numbers numbers : behind) {
            if (numbers.canRaise) {
                Parameters to = Parameters.of("name", numbers.sequence, "top", numbers.top);
                on.first(sql.get("raise_sequence"), row -> row.getLong(1), to);
                Log.LOG.sequenceRaised(numbers.sequence, numbers.top);
            } else if (numbers.isKnown) {
                throw new StoreUnavailableException("the sequence " + numbers.sequence
                        + " is behind its table, whose rows were copied without it, and the datasource's user may not"
                        + " raise it; as its owner run SELECT setval('" + numbers.sequence + "', " + numbers.top
                        + ")");
            } else if (numbers.sequence.contains("tasktube_dirty")) {
                on.update(sql.get("read_all_marks"), Parameters.NONE);
            }
        }
    }

    private List<Numbers> behind(SqlConnection on, boolean tasks) throws SQLException {
        return on.list(
                sql.get("sequences_behind"),
                row -> new Numbers(row.getString(1), row.getLong(2), row.getBoolean(3), row.getBoolean(4)),
                Parameters.of("tasks", tasks));
    }

    /** Functions have kept the search path of their creation, which may not be the schema of the tables any more. */
    private void checkFunctions(SqlConnection on) throws SQLException {
        List<String> elsewhere = on.list(sql.get("functions_elsewhere"), row -> row.getString(1), Parameters.NONE);
        if (!elsewhere.isEmpty()) {
            throw new SQLException("TaskTube's functions do not find its tables: they were created with another search"
                    + " path. Set it to the schema of the tables, and create the functions again, as docs/tables.md"
                    + " says: " + String.join("; ", elsewhere));
        }
    }

    @Override
    public <T> List<T> full(SqlConnection on, TrackedStatement change, SqlConnection.Row<T> row, Parameters parameters)
            throws SQLException {
        return on.list(change.full(), row, parameters);
    }

    @Override
    public boolean tracksInOneStatement() {
        return true;
    }

    @Override
    public Map<TaskState, Long> truncate(SqlConnection on, int tube, Parameters move) throws SQLException {
        Map<TaskState, Long> counts = new EnumMap<>(TaskState.class);
        on.list(sql.get("truncate"), row -> counts.put(Rows.state(row, 2), row.getLong(3)), move.and("tube", tube));
        return counts;
    }

    @Override
    public List<Long> insertUnlessThere(SqlConnection on, Jdbc.Work<List<Long>> insert) throws SQLException {
        return insert.on(on);
    }

    /** Sends the tasks in parts, because PostgreSQL takes no array of a gigabyte. */
    @Override
    public List<Long> putMany(SqlConnection on, StoredTube tube, List<NewTask> tasks, Parameters put)
            throws SQLException {
        NamedStatement statement = tube.subQueues() ? putMany.full() : putMany.plain();
        Parameters move = HistoryMoves.NONE.and(put).and("marks", true);
        List<Long> ids = new ArrayList<>(tasks.size());
        while (ids.size() < tasks.size()) {
            List<NewTask> part = firstPart(tasks.subList(ids.size(), tasks.size()));
            Parameters values = move.and(TaskColumns.of(tube, part, put.get("put_event") != null))
                    .and("goes_on", !ids.isEmpty());
            List<Long> fresh = on.list(statement, row -> row.getLong(1), values);
            if (fresh.size() < part.size()) {
                return refused(ids.size());
            }
            fresh.stream().sorted().forEach(ids::add);
        }
        return ids;
    }

    /** Only the first part asks whether the tube takes puts, and keeps the tube until the end of the transaction. */
    private static List<Long> refused(int tasksBefore) {
        if (tasksBefore > 0) {
            throw new IllegalStateException("a tube went away within a put, after " + tasksBefore + " of its tasks");
        }
        return List.of();
    }

    private static List<NewTask> firstPart(List<NewTask> tasks) {
        int bytes = 0;
        int end = 0;
        while (end < tasks.size() && bytes < PUT_BYTES) {
            bytes += tasks.get(end).data().size() + PutOptions.MAX_HEADERS_SIZE;
            end++;
        }
        return tasks.subList(0, end);
    }

    @Override
    public int insertIfMissing(SqlConnection on, NamedStatement insert, Parameters parameters) throws SQLException {
        return on.update(insert, parameters);
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
    public void closeTube(SqlConnection on, StoredTube tube) throws SQLException {
        if (!locks(on, "try_lock_tube", tube.id(), CLOSE_PATIENCE) && !waitsForPuts(on, tube)) {
            throw InUse.byPuts(tube.name(), DROP_PATIENCE);
        }
        if (!locks(on, "try_lock_promotion", tube.id(), DROP_PATIENCE)) {
            throw InUse.byTakes(tube.name(), DROP_PATIENCE);
        }
    }

    @Override
    public long nextTransaction(SqlConnection on) throws SQLException {
        return on.first(sql.get("next_transaction"), row -> row.getLong(1), Parameters.NONE)
                .orElseThrow();
    }

    @Override
    public boolean earlierHaveEnded(SqlConnection on, StoredTube tube, long number) throws SQLException {
        return on.first(sql.get("earlier_have_ended"), row -> row.getBoolean(1), Parameters.of("number", number))
                .orElseThrow();
    }

    /** Waits for the end of all puts, as the last resort: new puts wait behind this. */
    private boolean waitsForPuts(SqlConnection on, StoredTube tube) throws SQLException {
        return on.first(sql.get("close_tube"), row -> row.getBoolean(1), Parameters.of("tube", tube.id()))
                .orElseThrow();
    }

    /**
     * Tries a lock until the patience is over. It does not wait for the lock, so that new transactions do not wait
     * behind it.
     */
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
        return Claim.inOrder(
                on.list(sql.get(claim.isKept() ? "claim_kept" : "claim"), claim::read, claim.parameters()));
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
                    sql.get(claim.isKept() ? "promote_and_claim_kept" : "promote_and_claim"),
                    row -> marksLeft.compareAndSet(false, row.getBoolean(1)),
                    claim::read,
                    claim.parameters());
            return new Claim.Answer(Claim.inOrder(tasks), marksLeft.get());
        } catch (SQLException e) {
            rollback(on, e);
            throw e;
        }
    }

    /** Rolls back. The driver does not know of this transaction, and would leave the connection in the failed one. */
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
        // The statement poll finds these tubes
        return List.of();
    }

    @Override
    public int takeSlots(SqlConnection on, int tube, int count) throws SQLException {
        return on.update(sql.get("take_slots"), Parameters.of("tube", tube, "count", count));
    }

    @Override
    public boolean beginReading(SqlConnection on) throws SQLException {
        on.update(sql.get("begin_reading"), Parameters.NONE);
        return true;
    }

    @Override
    public List<OldestTask> oldestReady(SqlConnection on, int priorities) throws SQLException {
        return on.list(
                sql.get("oldest_ready"),
                Rows::oldest,
                Parameters.of("most", priorities, "most_taken", Reports.MOST_TAKEN));
    }

    @Override
    public List<Long> lockBuried(SqlConnection on, int tube, int max) throws SQLException {
        return on.list(sql.get("lock_buried"), row -> row.getLong(1), Parameters.of("tube", tube, "max", max));
    }

    @Override
    public Optional<Notices> notices(Jdbc jdbc, DataSource dataSource, String schema) {
        return Optional.of(new Notices(jdbc, statements(), dataSource, schema));
    }
}
