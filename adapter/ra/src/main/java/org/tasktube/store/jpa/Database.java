package org.tasktube.store.jpa;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskState;
import org.tasktube.TubeInUseException;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.Place;
import org.tasktube.store.StoredTube;

/** What differs between the databases: their clock, how a change tells what it changed, and how tasks are claimed. */
abstract sealed class Database {

    private final String name;

    private Database(String name) {
        this.name = name;
    }

    /** The database of that product name, as JDBC gives it. */
    static Database of(String product) throws SQLException {
        return switch (product) {
            case "H2" -> new H2();
            case "PostgreSQL" -> new PostgreSql();
            default ->
                throw new SQLException("TaskTube keeps tasks in H2 or PostgreSQL, and the datasource leads to "
                        + product + "; name another one in the adapter's property datasource");
        };
    }

    /** The file with the tables' definition. */
    String schemaFile() {
        return "schema-" + name + ".sql";
    }

    /** Has the database work as the statements need it, each time it is opened. */
    void prepare(Jdbc.Statement on) throws SQLException {}

    /** What the datasource's user must be allowed to use, and is not. */
    List<String> missingRights(Jdbc.Statement on) throws SQLException {
        return List.of();
    }

    /** The time now, as it passes also inside a transaction. */
    abstract String now();

    /** The time in so many milliseconds. */
    abstract String in(String milliseconds);

    /** A time plus so many milliseconds. */
    abstract String plus(String time, String milliseconds);

    /** The milliseconds from now until a time. */
    abstract String until(String time);

    /** An insert or update as a query for new values. */
    abstract String changed(String columns, String change);

    /** A delete as a query for old values. */
    abstract String removed(String columns, String delete);

    /** An insert or update as a query for new values, with what must follow it. */
    abstract String changedFollowed(String columns, String change);

    /** A delete as a query for old values, with what must follow it. */
    abstract String removedFollowed(String columns, String delete);

    /** Runs the followed form of a change, and has done what must follow. */
    abstract <T> List<T> follow(Jdbc.Statement on, Change change, Jdbc.Row<T> row, Object... arguments)
            throws SQLException;

    /** Whether that is one statement, which needs no transaction of its own. */
    abstract boolean followsInOneStatement();

    /** Runs an insert and returns the id, or none if there is a row that it must not be beside. */
    abstract List<Long> insertUnlessThere(Jdbc.Statement on, Change insert, Object... arguments) throws SQLException;

    /**
     * A condition for a change of many tasks that waits for their locks in the order of their ids, as each such statement does:
     * so no two of them wait for each other. Its argument is what {@link #tasksWhere} returns. H2 does not look again, when it
     * has got a lock, at a condition by which it found the row in an index: such a one must be said once more.
     */
    abstract String byId(String condition);

    /**
     * The argument of a statement that has {@link #byId} of this condition: its own one in PostgreSQL, where one statement
     * finds and locks. H2 would run a subquery anew for each task, so the ids are read before.
     */
    abstract Object tasksWhere(Jdbc.Statement on, String condition, int tube) throws SQLException;

    /** The same among tasks with given ids, for a condition that is in no index; what it does not hold for is not locked. */
    abstract String amongIds(String condition);

    /** Runs a statement whose last argument is any number of ids, in their order. */
    abstract <T> List<T> listByIds(Jdbc.Statement on, String sql, Jdbc.Row<T> row, Object... arguments)
            throws SQLException;

    /** The same for one that returns no rows. */
    abstract void updateByIds(Jdbc.Statement on, String sql, Object... arguments) throws SQLException;

    /** A delete as a query for tube, state and how many. */
    abstract String removedByState(String delete);

    /** The end of an insert that does nothing where there is a row of these columns. */
    abstract String onConflict(String columns);

    /** The order of what can be taken in a tube, in the words that have the index used. */
    abstract String readyOrder();

    /** From which id on the notes of a tube t are to be looked for. */
    abstract String notesFrom();

    /** A query for the tubes of which there is anything. */
    abstract String usedTubes();

    /** A table of so many rows. */
    abstract String series(String count);

    /** The next number of the one sequence. */
    abstract String newId();

    /** A new task's id and its place, which are the same number. */
    final String newIdTwice() {
        return newIdInPut() + ", " + newIdInPut();
    }

    /** A new task's id in a put, the same wherever it stands in it. */
    abstract String newIdInPut();

    /** The time now in a put, where it is read once so that all times of the task count from the same moment. */
    abstract String nowInPut();

    /** The FROM of put: the tube's row, and where the new id and the time come from. */
    abstract String fromInPut();

    /**
     * A condition in a put on the row of a tube: that no drop of it has begun. It keeps drops from beginning until the end of
     * the put's transaction, without a lock that producers would wait for.
     */
    abstract String opensTube(String id);

    /** Keeps puts and settlers from a tube until the end of a drop; throws if other transactions have put into it. */
    abstract void closeTube(Jdbc.Statement on, StoredTube tube) throws SQLException;

    /**
     * Keeps others from changing which servers have a session until the end of the transaction. The session's rows cannot be
     * that lock: there may be none yet, and one that is added later may come before those that are locked.
     */
    abstract void lockSession(Jdbc.Statement on, UUID session) throws SQLException;

    /** The same without waiting; returns whether nobody else has that lock. */
    abstract boolean triesSession(Jdbc.Statement on, UUID session) throws SQLException;

    /** Takes a lock that keeps a second server from making the tables at the same time. */
    abstract void lockSchema(Jdbc.Statement statement) throws SQLException;

    abstract List<ClaimedTask> claim(Jdbc.Statement on, Statements sql, Claim claim) throws SQLException;

    /** Whether a claim is one statement, which needs no transaction of its own. */
    abstract boolean claimsInOneStatement();

    /** Settles who may be taken in sub-queues, and claims, in a transaction of its own. */
    abstract Claimed settleAndClaim(Jdbc.Statement on, Statements sql, Claim claim) throws SQLException;

    /** Settles some thousand notes at most; returns whether notes are left that it did not look at. */
    abstract boolean settle(Jdbc.Statement on, int tube) throws SQLException;

    /** Whether settling is one statement, which needs no transaction of its own. */
    abstract boolean settlesInOneStatement();

    /** Which of these tubes have a parked sub-queue that can be settled now, where no query for what is ready can ask that. */
    abstract List<Integer> freedTubes(Jdbc.Statement on, Collection<Integer> tubes) throws SQLException;

    /** The same as a condition on a tube t in a query. */
    abstract String freedTube();

    /** Takes so many free places away, or fewer if there are not as many; returns how many. */
    abstract int takePlaces(Jdbc.Statement on, int tube, int count) throws SQLException;

    /** The ids of the next tasks in that state after a place, in order, locked; those that others have locked are passed over. */
    abstract List<Long> lockInOrder(Jdbc.Statement on, Statements sql, int tube, char state, Place after, int max)
            throws SQLException;

    /**
     * What was claimed after settling.
     *
     * @param notesLeft whether there are notes that were not looked at
     */
    record Claimed(List<ClaimedTask> tasks, boolean notesLeft) {}

    /** What is claimed, and for whom. */
    record Claim(int tube, String tubeName, UUID session, int node, long token, Place after, int max) {

        /** A row of the columns of a claim. */
        ClaimedTask read(ResultSet row) throws SQLException {
            int pri = row.getInt(2);
            String utube = row.getString(6);
            TaskData data = TaskData.of(row.getString(7), row.getBytes(8));
            Task task = new Task(
                    row.getLong(1),
                    tubeName,
                    TaskState.TAKEN,
                    pri,
                    row.getInt(4),
                    token,
                    Optional.ofNullable(utube),
                    data);
            long ttr = row.getLong(5);
            Optional<Duration> limit = row.wasNull() ? Optional.empty() : Optional.of(Duration.ofMillis(ttr));
            return new ClaimedTask(task, new Place(pri, row.getLong(3)), limit);
        }

        /** Neither database returns what was changed in the order in which it was found. */
        static List<ClaimedTask> inOrder(List<ClaimedTask> claimed) {
            claimed.sort(Comparator.comparing(ClaimedTask::place));
            return claimed;
        }
    }

    static final class PostgreSql extends Database {

        PostgreSql() {
            super("postgresql");
        }

        @Override
        List<String> missingRights(Jdbc.Statement on) throws SQLException {
            return on.list("""
                    SELECT what FROM (
                      SELECT 'table ' || t AS what, has_table_privilege(t, 'SELECT') AND has_table_privilege(t, 'INSERT')
                        AND has_table_privilege(t, 'UPDATE') AND has_table_privilege(t, 'DELETE') AS allowed
                      FROM unnest(ARRAY['tasktube_tube', 'tasktube_node', 'tasktube_session', 'tasktube_place',
                        'tasktube_note', 'tasktube_parked', 'tasktube_task']) t
                      UNION ALL SELECT 'sequence tasktube_task_seq', has_sequence_privilege('tasktube_task_seq', 'USAGE')
                      UNION ALL SELECT 'function tasktube_settle',
                        has_function_privilege('tasktube_settle(integer)', 'EXECUTE')
                      UNION ALL SELECT 'function tasktube_open',
                        has_function_privilege('tasktube_open(integer)', 'EXECUTE')
                      UNION ALL SELECT 'function tasktube_close',
                        has_function_privilege('tasktube_close(integer)', 'EXECUTE')) r
                    WHERE NOT allowed""", row -> row.getString(1));
        }

        /** Not now(), which stands still in a transaction; not clock_timestamp(), by which no index can be searched. */
        @Override
        String now() {
            return "statement_timestamp()";
        }

        @Override
        String in(String milliseconds) {
            return plus(now(), milliseconds);
        }

        @Override
        String plus(String time, String milliseconds) {
            return "(" + time + " + " + milliseconds + " * INTERVAL '1 millisecond')";
        }

        @Override
        String until(String time) {
            return "CAST(ceil(extract(epoch FROM " + time + " - " + now() + ") * 1000) AS bigint)";
        }

        @Override
        String changed(String columns, String change) {
            return change + " RETURNING " + columns;
        }

        @Override
        String removed(String columns, String delete) {
            return delete + " RETURNING " + columns;
        }

        private static final Duration DROP_PATIENCE = Duration.ofSeconds(2);

        /** How much of that a drop tries; the rest of the time it waits, which puts wait for. */
        private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(1);

        private static final Duration DROP_PAUSE = Duration.ofMillis(10);

        private static final String SESSION_KEY = "hashtext('tasktube_session'), hashtext(?)";

        private static final String SETTLE = "SELECT tasktube_settle(?)";

        private static final String SETTLE_ALONE =
                "BEGIN; SET LOCAL synchronous_commit TO OFF; " + SETTLE + "; COMMIT; ";

        private static final String NOTED = """
                , noted AS (INSERT INTO tasktube_note (tube_id, utube)
                  SELECT DISTINCT moved_tube, moved_utube FROM moved WHERE moved_utube IS NOT NULL)""";

        @Override
        String changedFollowed(String columns, String change) {
            return "WITH moved AS (" + change + " RETURNING " + columns
                    + ", tube_id AS moved_tube, utube AS moved_utube)" + NOTED + " SELECT * FROM moved";
        }

        @Override
        String removedFollowed(String columns, String delete) {
            return "WITH moved AS (" + delete + " RETURNING " + columns
                    + ", tube_id AS moved_tube, CASE WHEN behind OR NOT alone THEN utube END AS moved_utube)"
                    + NOTED
                    + ", freed AS (INSERT INTO tasktube_place (tube_id) SELECT moved_tube FROM moved"
                    + " JOIN tasktube_tube t ON t.id = moved_tube AND t.capacity IS NOT NULL) SELECT * FROM moved";
        }

        @Override
        <T> List<T> follow(Jdbc.Statement on, Change change, Jdbc.Row<T> row, Object... arguments) throws SQLException {
            return on.list(change.followed(), row, arguments);
        }

        @Override
        List<Long> insertUnlessThere(Jdbc.Statement on, Change insert, Object... arguments) throws SQLException {
            return follow(on, insert, row -> row.getLong(1), arguments);
        }

        @Override
        boolean followsInOneStatement() {
            return true;
        }

        @Override
        String byId(String condition) {
            return "id = ANY(ARRAY(SELECT id FROM tasktube_task WHERE " + condition + " ORDER BY id FOR UPDATE))";
        }

        @Override
        Object tasksWhere(Jdbc.Statement on, String condition, int tube) {
            return tube;
        }

        @Override
        String amongIds(String condition) {
            return byId(condition + " AND id = ANY(?)");
        }

        @Override
        <T> List<T> listByIds(Jdbc.Statement on, String sql, Jdbc.Row<T> row, Object... arguments) throws SQLException {
            return on.list(sql, row, arguments);
        }

        @Override
        void updateByIds(Jdbc.Statement on, String sql, Object... arguments) throws SQLException {
            on.update(sql, arguments);
        }

        @Override
        String removedByState(String delete) {
            return "WITH gone AS (" + delete + " RETURNING tube_id, state, utube)"
                    + ", noted AS (INSERT INTO tasktube_note (tube_id, utube)"
                    + " SELECT DISTINCT tube_id, utube FROM gone WHERE utube IS NOT NULL)"
                    + " SELECT tube_id, state, count(*) FROM gone GROUP BY tube_id, state";
        }

        /** In PostgreSQL a failed insert would end the caller's transaction with it. */
        @Override
        String onConflict(String columns) {
            return " ON CONFLICT " + columns + " DO NOTHING";
        }

        @Override
        String readyOrder() {
            return "pri, ord";
        }

        @Override
        String notesFrom() {
            return "t.notes_from";
        }

        /** One look at an index for each tube, and not all that is in it. */
        @Override
        String usedTubes() {
            return skipping("task", "WHERE state = 'r' AND NOT behind")
                    + " UNION " + skipping("task", "WHERE behind")
                    + " UNION " + skipping("task", "WHERE state <> 'r'")
                    + " UNION " + skipping("note", "WHERE true")
                    + " UNION " + skipping("place", "WHERE true");
        }

        private static String skipping(String table, String condition) {
            return """
                    SELECT tube_id FROM (WITH RECURSIVE used AS (
                      (SELECT tube_id FROM tasktube_%1$s %2$s ORDER BY tube_id LIMIT 1)
                      UNION ALL SELECT (SELECT t.tube_id FROM tasktube_%1$s t %2$s AND t.tube_id > used.tube_id
                        ORDER BY t.tube_id LIMIT 1) FROM used WHERE used.tube_id IS NOT NULL)
                      SELECT tube_id FROM used WHERE tube_id IS NOT NULL) found""".formatted(table, condition);
        }

        @Override
        String series(String count) {
            return "generate_series(1, " + count + ") n";
        }

        @Override
        String newId() {
            return "nextval('tasktube_task_seq')";
        }

        @Override
        String newIdInPut() {
            return "fresh.id";
        }

        @Override
        String nowInPut() {
            return now();
        }

        @Override
        String fromInPut() {
            return "(SELECT nextval('tasktube_task_seq') AS id) fresh, tasktube_tube tube";
        }

        /** A function: the statement's own look at the tube is older than the lock. */
        @Override
        String opensTube(String id) {
            return " AND tasktube_open(" + id + ")";
        }

        @Override
        void closeTube(Jdbc.Statement on, StoredTube tube) throws SQLException {
            if (!locks(on, "tasktube_tube", tube.id(), CLOSE_PATIENCE) && !waitsForPuts(on, tube)) {
                throw new TubeInUseException(
                        "tube '" + tube.name() + "' was not dropped: a transaction that has put tasks"
                                + " into it did not end within " + DROP_PATIENCE.toMillis()
                                + " ms; end that transaction, then drop the tube again");
            }
            if (!locks(on, "tasktube_settle", tube.id(), DROP_PATIENCE)) {
                throw new TubeInUseException(
                        "tube '" + tube.name() + "' was not dropped: a take from its sub-queues did"
                                + " not end within " + DROP_PATIENCE.toMillis() + " ms; drop the tube again");
            }
        }

        /** At last, as all puts wait meanwhile. */
        private static boolean waitsForPuts(Jdbc.Statement on, StoredTube tube) throws SQLException {
            return on.first("SELECT tasktube_close(?)", row -> row.getBoolean(1), tube.id())
                    .orElseThrow();
        }

        /** By trying: those who come meanwhile are not kept waiting behind it. */
        private static boolean locks(Jdbc.Statement on, String what, int tube, Duration patience) throws SQLException {
            long end = System.nanoTime() + patience.toNanos();
            do {
                if (on.first("SELECT pg_try_advisory_xact_lock(hashtext(?), ?)", row -> row.getBoolean(1), what, tube)
                        .orElseThrow()) {
                    return true;
                }
                LockSupport.parkNanos(DROP_PAUSE.toNanos());
            } while (System.nanoTime() - end < 0);
            return false;
        }

        @Override
        void lockSession(Jdbc.Statement on, UUID session) throws SQLException {
            on.list("SELECT pg_advisory_xact_lock(" + SESSION_KEY + ")", row -> true, session.toString());
        }

        @Override
        boolean triesSession(Jdbc.Statement on, UUID session) throws SQLException {
            return on.first(
                            "SELECT pg_try_advisory_xact_lock(" + SESSION_KEY + ")",
                            row -> row.getBoolean(1),
                            session.toString())
                    .orElseThrow();
        }

        @Override
        void lockSchema(Jdbc.Statement statement) throws SQLException {
            statement.list("SELECT pg_advisory_xact_lock(hashtext('tasktube_schema'))", row -> true);
        }

        @Override
        boolean claimsInOneStatement() {
            return true;
        }

        @Override
        List<ClaimedTask> claim(Jdbc.Statement on, Statements sql, Claim claim) throws SQLException {
            return Claim.inOrder(on.list(sql.claimNext, claim::read, arguments(claim)));
        }

        private static Object[] arguments(Claim claim) {
            Place after = claim.after();
            return new Object[] {
                claim.session(), claim.token(), claim.node(), claim.tube(), after.pri(), after.ord(), claim.max()
            };
        }

        /**
         * Two transactions that travel together. What is settled is committed before the claim, whose answer can be large: a
         * server that stands still and does not read it holds what it claimed, and no take of others. The settling need not
         * be on the disk by itself: the log is in order, and a crash that undoes it undoes the claim as well.
         */
        @Override
        Claimed settleAndClaim(Jdbc.Statement on, Statements sql, Claim claim) throws SQLException {
            List<Object> arguments = new ArrayList<>(List.of(claim.tube()));
            arguments.addAll(List.of(arguments(claim)));
            AtomicBoolean notesLeft = new AtomicBoolean();
            try {
                List<ClaimedTask> tasks = on.listOfSecond(
                        SETTLE_ALONE + sql.claimNext,
                        row -> notesLeft.compareAndSet(false, row.getBoolean(1)),
                        claim::read,
                        arguments.toArray());
                return new Claimed(Claim.inOrder(tasks), notesLeft.get());
            } catch (SQLException e) {
                rollback(on, e);
                throw e;
            }
        }

        /** The driver does not know of the transaction, and would leave the connection in one that failed. */
        private static void rollback(Jdbc.Statement on, SQLException first) {
            try {
                on.update("ROLLBACK");
            } catch (SQLException e) {
                first.addSuppressed(e);
            }
        }

        @Override
        boolean settle(Jdbc.Statement on, int tube) throws SQLException {
            return on.first(SETTLE, row -> row.getBoolean(1), tube).orElseThrow();
        }

        @Override
        boolean settlesInOneStatement() {
            return true;
        }

        /** The one query asks. */
        @Override
        List<Integer> freedTubes(Jdbc.Statement on, Collection<Integer> tubes) {
            return List.of();
        }

        /** LIMIT: one that can be settled is enough. */
        @Override
        String freedTube() {
            return """
                    (
                      SELECT p.task_id FROM tasktube_parked p WHERE p.tube_id = t.id
                      AND ((SELECT k.id FROM tasktube_task k WHERE k.id = p.task_id FOR UPDATE SKIP LOCKED) IS NOT NULL
                        OR (SELECT k.id FROM tasktube_task k WHERE k.id = p.task_id) IS NULL)
                      ORDER BY p.tube_id, p.utube LIMIT 1) IS NOT NULL""";
        }

        @Override
        int takePlaces(Jdbc.Statement on, int tube, int count) throws SQLException {
            return on.update("""
                    DELETE FROM tasktube_place WHERE tube_id = ? AND id = ANY(ARRAY(
                      SELECT id FROM tasktube_place WHERE tube_id = ? ORDER BY tube_id, id LIMIT ?
                      FOR UPDATE SKIP LOCKED))""", tube, tube, count);
        }

        @Override
        List<Long> lockInOrder(Jdbc.Statement on, Statements sql, int tube, char state, Place after, int max)
                throws SQLException {
            return on.list("""
                    SELECT id FROM tasktube_task
                    WHERE tube_id = ? AND state = '%s' AND (pri, ord) > (?, ?)
                    ORDER BY pri, ord LIMIT ? FOR UPDATE SKIP LOCKED""".formatted(state), row -> row.getLong(1), tube, after.pri(), after.ord(), max);
        }
    }

    static final class H2 extends Database {

        /** Goes before each statement that has {@link #NOW}. */
        static final String READ_CLOCK = "SET @tasktube_now = tasktube_now()";

        static final String NOW = "CAST(@tasktube_now AS timestamp(6) with time zone)";

        private static final String ADMIN_RIGHTS_REQUIRED = "90040";
        private static final String CHECK_VIOLATED = "23513";
        private static final int GUARD_TRIES = 3;

        private static final int SETTLE_BATCH = 1_000;

        /** How many ids one statement is given. */
        private static final int MOST_IDS = 100;

        /** How many tasks are looked at together at most, where others have locked those before. */
        private static final int WINDOW = 1_000;

        private final int settleBatch;

        H2() {
            this(SETTLE_BATCH);
        }

        /** How many notes settling looks at before it asks whether that is enough. */
        H2(int settleBatch) {
            super("h2");
            this.settleBatch = settleBatch;
        }

        /**
         * H2 keeps a query's result for the next time, and one that was read during another's commit may be from before it:
         * a task that is gone would be seen until somebody writes. Who may not set this has it set in the datasource's URL.
         */
        @Override
        void prepare(Jdbc.Statement on) throws SQLException {
            try {
                on.update("SET OPTIMIZE_REUSE_RESULTS 0");
            } catch (SQLException e) {
                if (!ADMIN_RIGHTS_REQUIRED.equals(e.getSQLState())) {
                    throw e;
                }
            }
        }

        /**
         * What {@link #READ_CLOCK} has read for this statement. The alias itself would give each place and each row of a
         * statement a time of its own, and CURRENT_TIMESTAMP stands still in a transaction.
         */
        @Override
        String now() {
            return NOW;
        }

        @Override
        String in(String milliseconds) {
            return plus(now(), milliseconds);
        }

        @Override
        String plus(String time, String milliseconds) {
            return "DATEADD(MILLISECOND, " + milliseconds + ", " + time + ")";
        }

        @Override
        String until(String time) {
            // DATEDIFF counts boundaries that are crossed, so that in milliseconds it would end up to one too early
            return "CAST(CEIL(DATEDIFF(MICROSECOND, " + now() + ", " + time + ") / 1000.0) AS bigint)";
        }

        @Override
        String changed(String columns, String change) {
            return "SELECT " + columns + " FROM FINAL TABLE (" + change + ")";
        }

        @Override
        String removed(String columns, String delete) {
            return "SELECT " + columns + " FROM OLD TABLE (" + delete + ")";
        }

        @Override
        String changedFollowed(String columns, String change) {
            return changed(columns + ", tube_id, utube", change);
        }

        @Override
        String removedFollowed(String columns, String delete) {
            return removed(columns + ", tube_id, utube", delete);
        }

        @Override
        <T> List<T> follow(Jdbc.Statement on, Change change, Jdbc.Row<T> row, Object... arguments) throws SQLException {
            Set<Noted> noted = new LinkedHashSet<>();
            Map<Integer, Long> removed = new HashMap<>();
            List<T> changed = listByIds(
                    on,
                    change.followed(),
                    result -> {
                        int last = result.getMetaData().getColumnCount();
                        int tube = result.getInt(last - 1);
                        String utube = result.getString(last);
                        if (utube != null) {
                            noted.add(new Noted(tube, utube));
                        }
                        removed.merge(tube, 1L, Long::sum);
                        return row.read(result);
                    },
                    arguments);
            for (Noted note : noted) {
                on.update("INSERT INTO tasktube_note (tube_id, utube) VALUES (?, ?)", note.tube, note.utube);
            }
            if (change.removes()) {
                for (Map.Entry<Integer, Long> tube : removed.entrySet()) {
                    on.update(
                            "INSERT INTO tasktube_place (tube_id) SELECT t.id FROM tasktube_tube t, SYSTEM_RANGE(1, ?)"
                                    + " WHERE t.id = ? AND t.capacity IS NOT NULL",
                            tube.getValue(),
                            tube.getKey());
                }
            }
            return changed;
        }

        /** In H2 a failed insert leaves the transaction as it was. */
        @Override
        List<Long> insertUnlessThere(Jdbc.Statement on, Change insert, Object... arguments) throws SQLException {
            try {
                return follow(on, insert, row -> row.getLong(1), arguments);
            } catch (SQLException e) {
                if (JpaStores.isUniqueViolation(e)) {
                    return List.of();
                }
                throw e;
            }
        }

        private record Noted(int tube, String utube) {}

        @Override
        boolean followsInOneStatement() {
            return false;
        }

        @Override
        String byId(String condition) {
            return "id = ANY(?)";
        }

        @Override
        Object tasksWhere(Jdbc.Statement on, String condition, int tube) throws SQLException {
            return on.list(
                    "SELECT id FROM tasktube_task WHERE " + condition + " ORDER BY id", row -> row.getLong(1), tube);
        }

        @Override
        String amongIds(String condition) {
            return condition + " AND id = ANY(?)";
        }

        @Override
        <T> List<T> listByIds(Jdbc.Statement on, String sql, Jdbc.Row<T> row, Object... arguments) throws SQLException {
            List<T> rows = new ArrayList<>();
            for (Object[] some : inParts(arguments)) {
                rows.addAll(listGuarded(on, sql, row, some));
            }
            return rows;
        }

        /**
         * Now and then H2 2.2.224 changes a row that another transaction has changed since the condition was looked at. The
         * CHECK constraints of the schema refuse the result, and the transaction is as before. The next try sees the row as
         * it is.
         */
        private static <T> List<T> listGuarded(Jdbc.Statement on, String sql, Jdbc.Row<T> row, Object... arguments)
                throws SQLException {
            for (int tries = 1; ; tries++) {
                try {
                    return on.list(sql, row, arguments);
                } catch (SQLException e) {
                    if (tries == GUARD_TRIES || !CHECK_VIOLATED.equals(e.getSQLState())) {
                        throw e;
                    }
                }
            }
        }

        @Override
        void updateByIds(Jdbc.Statement on, String sql, Object... arguments) throws SQLException {
            for (Object[] some : inParts(arguments)) {
                on.update(sql, some);
            }
        }

        /** H2 compares each row with each id. */
        private static List<Object[]> inParts(Object... arguments) {
            int last = arguments.length - 1;
            if (!(arguments[last] instanceof Collection<?> ids) || ids.size() <= MOST_IDS) {
                return List.<Object[]>of(arguments);
            }
            List<Object> all = new ArrayList<>(ids);
            List<Object[]> parts = new ArrayList<>();
            for (int from = 0; from < all.size(); from += MOST_IDS) {
                Object[] some = arguments.clone();
                some[last] = all.subList(from, Math.min(all.size(), from + MOST_IDS));
                parts.add(some);
            }
            return parts;
        }

        @Override
        String removedByState(String delete) {
            return "SELECT tube_id, state, count(*) FROM OLD TABLE (" + delete + ") GROUP BY tube_id, state";
        }

        @Override
        String onConflict(String columns) {
            return "";
        }

        @Override
        String readyOrder() {
            return "tube_id, state, behind, pri, ord";
        }

        @Override
        String notesFrom() {
            return "0";
        }

        @Override
        String usedTubes() {
            return "SELECT DISTINCT tube_id FROM tasktube_task UNION SELECT DISTINCT tube_id FROM tasktube_note"
                    + " UNION SELECT DISTINCT tube_id FROM tasktube_place";
        }

        @Override
        String series(String count) {
            return "SYSTEM_RANGE(1, " + count + ")";
        }

        @Override
        String newId() {
            return "NEXT VALUE FOR tasktube_task_seq";
        }

        /** In one row it is the same number each time; only in H2's PostgreSQL mode it is the next, in the same order. */
        @Override
        String newIdInPut() {
            return newId();
        }

        @Override
        String nowInPut() {
            return "clock.reading";
        }

        @Override
        String fromInPut() {
            return "tasktube_tube tube, (SELECT tasktube_now() AS reading) clock";
        }

        /** H2 has no lock that producers could share: what is put during a drop is removed as an orphan. */
        @Override
        String opensTube(String id) {
            return "";
        }

        @Override
        void closeTube(Jdbc.Statement on, StoredTube tube) {
            // The removal of the tube's row locks out settlers
        }

        /** One lock for all sessions, as there is one server: the row of the schema's version, which nothing else changes. */
        @Override
        void lockSession(Jdbc.Statement on, UUID session) throws SQLException {
            on.list("SELECT version FROM tasktube_schema FOR UPDATE", row -> true);
        }

        @Override
        boolean triesSession(Jdbc.Statement on, UUID session) throws SQLException {
            return !on.list("SELECT version FROM tasktube_schema FOR UPDATE SKIP LOCKED", row -> true)
                    .isEmpty();
        }

        @Override
        void lockSchema(Jdbc.Statement statement) {
            // An H2 in the server has this one process; each of its DDL statements commits anyway
        }

        @Override
        boolean claimsInOneStatement() {
            return false;
        }

        @Override
        List<ClaimedTask> claim(Jdbc.Statement on, Statements sql, Claim claim) throws SQLException {
            List<Long> ids = lockInOrder(on, sql, claim.tube(), 'r', claim.after(), claim.max());
            return ids.isEmpty()
                    ? List.of()
                    : Claim.inOrder(listByIds(
                            on, sql.claimThese, claim::read, claim.session(), claim.token(), claim.node(), ids));
        }

        @Override
        Claimed settleAndClaim(Jdbc.Statement on, Statements sql, Claim claim) throws SQLException {
            boolean notesLeft = settle(on, claim.tube());
            return new Claimed(claim(on, sql, claim), notesLeft);
        }

        @Override
        boolean settle(Jdbc.Statement on, int tube) throws SQLException {
            return new H2SubQueues(on, tube, settleBatch).settle();
        }

        @Override
        boolean settlesInOneStatement() {
            return false;
        }

        /** H2 has no FOR UPDATE in a subquery. */
        @Override
        List<Integer> freedTubes(Jdbc.Statement on, Collection<Integer> tubes) throws SQLException {
            Map<Long, Integer> parked = new HashMap<>();
            on.list(
                    "SELECT task_id, tube_id FROM tasktube_parked WHERE tube_id = ANY(?)",
                    row -> parked.put(row.getLong(1), row.getInt(2)),
                    tubes);
            return parked.isEmpty()
                    ? List.of()
                    : H2SubQueues.free(on, parked.keySet()).stream()
                            .map(parked::get)
                            .toList();
        }

        @Override
        String freedTube() {
            return "FALSE";
        }

        /** As with tasks: read without locks, then lock what is wanted. */
        @Override
        int takePlaces(Jdbc.Statement on, int tube, int count) throws SQLException {
            int taken = 0;
            long after = Long.MIN_VALUE;
            while (taken < count) {
                List<Long> window = on.list(
                        "SELECT id FROM tasktube_place WHERE tube_id = ? AND id > ? ORDER BY tube_id, id"
                                + " FETCH FIRST ? ROWS ONLY",
                        row -> row.getLong(1),
                        tube,
                        after,
                        Math.min(MOST_IDS, count - taken));
                if (window.isEmpty()) {
                    break;
                }
                after = window.get(window.size() - 1);
                List<Long> locked = on.list(
                        "SELECT id FROM tasktube_place WHERE id = ANY(?) FOR UPDATE SKIP LOCKED",
                        row -> row.getLong(1),
                        window);
                taken += on.update("DELETE FROM tasktube_place WHERE id = ANY(?)", locked);
            }
            return taken;
        }

        /**
         * H2 sorts and locks every row that a SELECT … ORDER BY … FOR UPDATE could return, so the order is read first,
         * without locks, a window at a time, and only what is wanted is locked.
         */
        @Override
        List<Long> lockInOrder(Jdbc.Statement on, Statements sql, int tube, char state, Place after, int max)
                throws SQLException {
            List<Long> locked = new ArrayList<>();
            Place place = after;
            int size = max;
            while (locked.size() < max) {
                List<Found> window = on.list(
                        """
                        SELECT id, pri, ord FROM tasktube_task
                        WHERE tube_id = ? AND state = '%s' AND behind = FALSE AND (pri, ord) > (?, ?)
                        AND (state <> 'r' OR expires_at IS NULL OR expires_at > %s)
                        ORDER BY tube_id, state, behind, pri, ord FETCH FIRST ? ROWS ONLY""".formatted(state, NOW),
                        row -> new Found(row.getLong(1), new Place(row.getInt(2), row.getLong(3))),
                        tube,
                        place.pri(),
                        place.ord(),
                        size);
                lock(on, state, window.stream().map(Found::id).toList(), max, locked);
                if (window.size() < size) {
                    break;
                }
                place = window.get(size - 1).place;
                size = Math.max(max - locked.size(), WINDOW);
            }
            return locked;
        }

        /** As many of these as are wanted still, in this order: each statement locks no more than that. */
        private static void lock(Jdbc.Statement on, char state, List<Long> window, int max, List<Long> locked)
                throws SQLException {
            int next = 0;
            while (next < window.size() && locked.size() < max) {
                int end = Math.min(window.size(), next + Math.min(MOST_IDS, max - locked.size()));
                locked.addAll(on.list("""
                        SELECT id FROM tasktube_task
                        WHERE id = ANY(?) AND state = '%s' AND behind = FALSE FOR UPDATE SKIP LOCKED""".formatted(state), row -> row.getLong(1), window.subList(next, end)));
                next = end;
            }
        }

        private record Found(long id, Place place) {}
    }
}
