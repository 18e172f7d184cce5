package org.tasktube.store.sql;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.tasktube.TaskState;
import org.tasktube.store.ClaimRange;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.NewTask;
import org.tasktube.store.OldestTask;
import org.tasktube.store.OrderKey;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.StoredTube;

/**
 * H2: tasks are read first, then locked, then changed. Marks and free slots follow a change in statements of their own.
 */
final class H2 implements Dialect {

    static final String ADMIN_RIGHTS_REQUIRED = "90040";
    private static final String CHECK_VIOLATED = "23513";
    private static final int GUARD_TRIES = 3;

    /** The looks for a moment without another writer, and the pause between them. */
    private static final int PUT_LOOKS = 20;

    private static final Duration PUT_PAUSE = Duration.ofMillis(10);

    /** The number of dirty marks that a promotion reads before it checks whether enough tasks are ready. */
    private static final int PROMOTION_BATCH = 1_000;

    /** The most ids of one statement, because H2 compares each row with each id. */
    private static final int MOST_IDS = 100;

    /** The least number of tasks to read at once if other transactions have locked some of the first ones. */
    private static final int WINDOW = 1_000;

    private final Statements sql;
    private final int promotionBatch;

    H2(SchemaName schema) {
        this(schema, PROMOTION_BATCH);
    }

    H2(SchemaName schema, int promotionBatch) {
        this.sql = Statements.read("h2.sql", schema);
        this.promotionBatch = promotionBatch;
    }

    @Override
    public Statements statements() {
        return sql;
    }

    @Override
    public String schemaFile() {
        return "schema-h2.sql";
    }

    @Override
    public String unlogged(String createTable) {
        return createTable.replaceFirst("TABLE", "MEMORY TABLE") + " NOT PERSISTENT";
    }

    /** The database belongs to the one server, whose new adapter has no other way forward. */
    @Override
    public boolean migratesByDefault() {
        return true;
    }

    /** H2 has no statement for the schema that the connection had at first. */
    @Override
    public List<String> schemas(SqlConnection on) throws SQLException {
        return List.of(on.connection().getSchema());
    }

    @Override
    public void useSchema(SqlConnection on, SchemaName schema) throws SQLException {
        on.execute("SET SCHEMA " + schema.quoted());
    }

    /**
     * Checks the settings, and switches off the reuse of results. If the user has no right to do so, the datasource's
     * URL has to set it.
     */
    @Override
    public void prepare(SqlConnection on) throws SQLException, StoreUnavailableException {
        Optional<String> refused = on.first(
                sql.get("refused_setting"),
                row -> "TaskTube does not work in H2 with " + row.getString("refused") + "; set "
                        + row.getString("needed") + " in the datasource's connection URL",
                Parameters.NONE);
        if (refused.isPresent()) {
            throw new StoreUnavailableException(refused.get());
        }
        try {
            on.update(sql.get("reuse_no_results"), Parameters.NONE);
        } catch (SQLException e) {
            if (!ADMIN_RIGHTS_REQUIRED.equals(e.getSQLState())) {
                throw e;
            }
        }
    }

    /** The limit of the datasource's URL, 2 s by default. After each SET, H2 compiles all statements anew. */
    @Override
    public String lockLimit(Duration limit) {
        return "";
    }

    @Override
    public boolean limitsTime() {
        return false;
    }

    @Override
    public List<String> missingRights(SqlConnection on) {
        return List.of();
    }

    @Override
    public <T> List<T> full(SqlConnection on, TrackedStatement change, SqlConnection.Row<T> row, Parameters parameters)
            throws SQLException {
        H2Tracking tracking = new H2Tracking(this, on, change);
        List<T> rows = new ArrayList<>();
        // The moves of each part are written before the next part, so that memory has only those of one part
        for (Parameters some : inParts(parameters)) {
            rows.addAll(tracking.run(row, some));
        }
        tracking.end((boolean) parameters.get("marks"));
        return rows;
    }

    @Override
    public Map<TaskState, Long> truncate(SqlConnection on, int tube, Parameters move) throws SQLException {
        Map<TaskState, Long> counts = new EnumMap<>(TaskState.class);
        TrackedStatement change = TrackedStatement.of(sql, "truncate_change", TrackedStatement.STATES);
        full(
                on,
                change,
                row -> counts.merge(Rows.state(row, 2), 1L, Long::sum) > 0,
                move.and(tasksOf(on, tube, false)));
        return counts;
    }

    @Override
    public boolean tracksInOneStatement() {
        return false;
    }

    /** Runs the insert, and returns none if the key exists. In H2 a failed insert leaves the transaction as it was. */
    @Override
    public List<Long> insertUnlessThere(SqlConnection on, Jdbc.Work<List<Long>> insert) throws SQLException {
        try {
            return insert.on(on);
        } catch (SQLException e) {
            if (SqlStates.isUniqueViolation(e)) {
                return List.of();
            }
            throw e;
        }
    }

    @Override
    public List<Long> putMany(SqlConnection on, StoredTube tube, List<NewTask> tasks, Parameters put)
            throws SQLException {
        if (!on.any(sql.get("tube_is_open"), Parameters.of("tube", tube.id()))) {
            return List.of();
        }
        List<Long> ids =
                on.list(sql.get("new_ids"), row -> row.getLong(1), Parameters.of("count", (long) tasks.size()));
        List<Parameters> rows = new ArrayList<>();
        Set<String> utubes = new LinkedHashSet<>();
        for (int i = 0; i < ids.size(); i++) {
            NewTask task = tasks.get(i);
            long id = ids.get(i);
            String event =
                    put.get("put_event") == null ? null : task.transition().name();
            rows.add(Puts.parameters(tube, task).and(put).and("put_event", event, "id", id, "ord", task.ord(id)));
            task.utube().ifPresent(utubes::add);
        }
        on.batch(sql.get("put_numbered"), rows);
        if (!utubes.isEmpty()) {
            on.batch(
                    sql.get("mark"),
                    utubes.stream()
                            .map(utube -> Parameters.of("tube", tube.id(), "utube", utube))
                            .toList());
        }
        return ids;
    }

    /** Runs the insert. Another transaction may insert the row after the statement has looked for it. */
    @Override
    public int insertIfMissing(SqlConnection on, NamedStatement insert, Parameters parameters) throws SQLException {
        try {
            return on.update(insert, parameters);
        } catch (SQLException e) {
            if (SqlStates.isUniqueViolation(e)) {
                return 0;
            }
            throw e;
        }
    }

    @Override
    public Parameters tasksOf(SqlConnection on, int tube, boolean taken) throws SQLException {
        NamedStatement ids = sql.get(taken ? "ids_taken" : "ids_of_tube");
        return Parameters.of("ids", on.list(ids, row -> row.getLong(1), Parameters.of("tube", tube)));
    }

    @Override
    public <T> List<T> listByIds(
            SqlConnection on, NamedStatement statement, SqlConnection.Row<T> row, Parameters parameters)
            throws SQLException {
        List<T> rows = new ArrayList<>();
        for (Parameters some : inParts(parameters)) {
            rows.addAll(listGuarded(on, statement, row, some));
        }
        return rows;
    }

    /**
     * Runs a statement, and repeats it if a CHECK constraint of the schema refuses its result. Now and then H2 2.2.224
     * changes a row that another transaction has changed since the check of the condition. The refusal leaves the
     * transaction as it was. The next try sees the row as it is.
     */
    private static <T> List<T> listGuarded(
            SqlConnection on, NamedStatement statement, SqlConnection.Row<T> row, Parameters parameters)
            throws SQLException {
        for (int tries = 1; ; tries++) {
            try {
                return on.list(statement, row, parameters);
            } catch (SQLException e) {
                if (tries == GUARD_TRIES || !CHECK_VIOLATED.equals(e.getSQLState())) {
                    throw e;
                }
            }
        }
    }

    @Override
    public void updateByIds(SqlConnection on, NamedStatement statement, Parameters parameters) throws SQLException {
        for (Parameters some : inParts(parameters)) {
            on.update(statement, some);
        }
    }

    private static List<Parameters> inParts(Parameters parameters) {
        if (!parameters.has("ids") || !(parameters.get("ids") instanceof Collection<?> ids) || ids.size() <= MOST_IDS) {
            return List.of(parameters);
        }
        List<Object> all = new ArrayList<>(ids);
        List<Parameters> parts = new ArrayList<>();
        for (int from = 0; from < all.size(); from += MOST_IDS) {
            parts.add(parameters.and("ids", all.subList(from, Math.min(all.size(), from + MOST_IDS))));
        }
        return parts;
    }

    @Override
    public void closeTube(SqlConnection on, StoredTube tube) {
        // The removal of the tube's row locks out promotions
    }

    /** H2 has no such number. */
    @Override
    public long nextTransaction(SqlConnection on) {
        return 1;
    }

    /** Waits for a moment in which no other session writes. After the usual timeout of transactions none is left. */
    @Override
    public boolean earlierHaveEnded(SqlConnection on, StoredTube tube, long number) throws SQLException {
        Parameters of = Parameters.of("tube", tube.id());
        for (int i = 0; i < PUT_LOOKS; i++) {
            if (isTrue(on, "nobody_else_writes", of)) {
                return true;
            }
            LockSupport.parkNanos(PUT_PAUSE.toNanos());
        }
        return isTrue(on, "begun_long_ago", of);
    }

    private boolean isTrue(SqlConnection on, String query, Parameters parameters) throws SQLException {
        return on.first(sql.get(query), row -> row.getBoolean(1), parameters).orElse(false);
    }

    @Override
    public List<ClaimedTask> claim(SqlConnection on, Claim claim) throws SQLException {
        if (!on.any(sql.get("tube_gives"), claim.parameters())) {
            return List.of();
        }
        ClaimRange range = claim.range();
        List<Long> ids = lockInOrder(on, "ready", claim.tube().id(), range.after(), range.max());
        if (range.maxBytes() < Long.MAX_VALUE) {
            ids = within(on, range.maxBytes(), ids);
        }
        if (ids.isEmpty()) {
            return List.of();
        }
        Parameters parameters = claim.parameters().and("ids", ids);
        List<ClaimedTask> claimed = listByIds(on, sql.get("claim"), claim::read, parameters);
        if (claim.isKept()) {
            List<Long> taken = claimed.stream().map(task -> task.task().id()).toList();
            updateByIds(on, sql.get("keep_tasks"), parameters.and("ids", taken));
        }
        return Claim.inOrder(claimed);
    }

    /** Returns the first of these tasks, until their bytes reach the bound. */
    private List<Long> within(SqlConnection on, long maxBytes, List<Long> ids) throws SQLException {
        Map<Long, Long> sizes = new HashMap<>();
        listByIds(on, sql.get("sizes"), row -> sizes.put(row.getLong(1), row.getLong(2)), Parameters.of("ids", ids));
        List<Long> within = new ArrayList<>();
        long bytes = 0;
        for (Iterator<Long> next = ids.iterator(); next.hasNext() && bytes < maxBytes; ) {
            Long id = next.next();
            within.add(id);
            bytes += sizes.getOrDefault(id, 0L);
        }
        return within;
    }

    @Override
    public boolean claimsInOneStatement() {
        return false;
    }

    @Override
    public Claim.Answer promoteAndClaim(SqlConnection on, Claim claim) throws SQLException {
        boolean marksLeft = promoteHeads(on, claim.tube().id());
        return new Claim.Answer(claim(on, claim), marksLeft);
    }

    @Override
    public boolean promoteHeads(SqlConnection on, int tube) throws SQLException {
        return new H2HeadPromotion(on, sql, tube, promotionBatch).run();
    }

    @Override
    public List<Integer> unparkedTubes(SqlConnection on, Collection<Integer> tubes) throws SQLException {
        Map<Long, Integer> parked = new HashMap<>();
        on.list(
                sql.get("parked_of_tubes"),
                row -> parked.put(row.getLong(1), row.getInt(2)),
                Parameters.of("tubes", tubes));
        return parked.isEmpty()
                ? List.of()
                : H2HeadPromotion.unlocked(on, sql, parked.keySet()).stream()
                        .map(parked::get)
                        .toList();
    }

    /** Reads slots without locks, then locks the wanted ones, as with tasks. */
    @Override
    public int takeSlots(SqlConnection on, int tube, int count) throws SQLException {
        int taken = 0;
        long after = Long.MIN_VALUE;
        while (taken < count) {
            List<Long> window = on.list(
                    sql.get("next_slots"),
                    row -> row.getLong(1),
                    Parameters.of("tube", tube, "after", after, "max", Math.min(MOST_IDS, count - taken)));
            if (window.isEmpty()) {
                break;
            }
            after = window.get(window.size() - 1);
            List<Long> locked = on.list(sql.get("lock_slots"), row -> row.getLong(1), Parameters.of("ids", window));
            taken += on.update(sql.get("take_slots"), Parameters.of("ids", locked));
        }
        return taken;
    }

    @Override
    public List<OldestTask> oldestReady(SqlConnection on, int priorities) throws SQLException {
        return new H2OldestReady(this, on, sql).read(priorities);
    }

    @Override
    public List<Long> lockBuried(SqlConnection on, int tube, int max) throws SQLException {
        return lockInOrder(on, "buried", tube, OrderKey.START, max);
    }

    private List<Long> lockInOrder(SqlConnection on, String state, int tube, OrderKey after, int max)
            throws SQLException {
        List<Long> locked = new ArrayList<>();
        OrderKey key = after;
        int size = max;
        while (locked.size() < max) {
            List<OrderKey> window = on.list(
                    sql.get("next_" + state),
                    row -> new OrderKey(row.getInt(2), row.getLong(3), row.getLong(1)),
                    Parameters.after(tube, key, size));
            lock(on, state, window.stream().map(OrderKey::id).toList(), max, locked);
            if (window.size() < size) {
                break;
            }
            key = window.get(size - 1);
            size = Math.max(max - locked.size(), WINDOW);
        }
        return locked;
    }

    /**
     * Locks these tasks in their order, until {@code max} are locked. No statement locks more than are still wanted.
     * Adds the locked ones in their order, which the database does not keep.
     */
    private void lock(SqlConnection on, String state, List<Long> window, int max, List<Long> locked)
            throws SQLException {
        int next = 0;
        while (next < window.size() && locked.size() < max) {
            int end = Math.min(window.size(), next + Math.min(MOST_IDS, max - locked.size()));
            List<Long> some = window.subList(next, end);
            Set<Long> got =
                    new HashSet<>(on.list(sql.get("lock_" + state), row -> row.getLong(1), Parameters.of("ids", some)));
            some.stream().filter(got::contains).forEach(locked::add);
            next = end;
        }
    }

    /** Looks for the range by steps that double, because ids have gaps of any length. */
    @Override
    public long idsFrom(SqlConnection on, long before, int max) throws SQLException {
        long least = number(on, "least_id", Parameters.NONE);
        long top = Math.min(before, number(on, "greatest_id", Parameters.NONE) + 1);
        for (long span = max; top - span > least; span *= 2) {
            if (number(on, "count_ids", Parameters.of("from", top - span, "before", top)) >= max) {
                return top - span;
            }
        }
        return least;
    }

    private long number(SqlConnection on, String query, Parameters parameters) throws SQLException {
        return on.first(sql.get(query), row -> row.getLong(1), parameters).orElse(0L);
    }
}
