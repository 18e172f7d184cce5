package org.tasktube.store.jpa;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskState;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.Place;

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

    /** A delete as a query for tube, state and how many. */
    abstract String removedByState(String delete);

    /** The end of an insert that does nothing where there is a row of these columns. */
    abstract String onConflict(String columns);

    /** The order of what can be taken in a tube, in the words that have the index used. */
    abstract String readyOrder();

    /** From which id on the notes of a tube t are to be looked for. */
    abstract String notesFrom();

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

    /** Takes a lock that keeps a second server from making the tables at the same time. */
    abstract void lockSchema(Jdbc.Statement statement) throws SQLException;

    abstract List<ClaimedTask> claim(Jdbc.Statement on, Statements sql, Claim claim) throws SQLException;

    /** Whether a claim is one statement, which needs no transaction of its own. */
    abstract boolean claimsInOneStatement();

    /** Settles who may be taken in sub-queues, and claims, in a transaction of its own. */
    abstract List<ClaimedTask> settleAndClaim(Jdbc.Statement on, Statements sql, Claim claim) throws SQLException;

    abstract void settle(Jdbc.Statement on, int tube) throws SQLException;

    /** Takes so many free places away, or fewer if there are not as many; returns how many. */
    abstract int takePlaces(Jdbc.Statement on, int tube, int count) throws SQLException;

    /** The ids of the next tasks in that state after a place, in order, locked; those that others have locked are passed over. */
    abstract List<Long> lockInOrder(Jdbc.Statement on, Statements sql, int tube, char state, Place after, int max)
            throws SQLException;

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
                    utube == null ? "" : utube,
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

        private static final String SETTLE = "SELECT tasktube_settle(?)";

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

        /** Two statements that travel together, and are one transaction. */
        @Override
        List<ClaimedTask> settleAndClaim(Jdbc.Statement on, Statements sql, Claim claim) throws SQLException {
            List<Object> arguments = new ArrayList<>(List.of(claim.tube()));
            arguments.addAll(List.of(arguments(claim)));
            return Claim.inOrder(on.listOfSecond(SETTLE + "; " + sql.claimNext, claim::read, arguments.toArray()));
        }

        @Override
        void settle(Jdbc.Statement on, int tube) throws SQLException {
            on.list(SETTLE, row -> true, tube);
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

        private static final String ADMIN_RIGHTS_REQUIRED = "90040";

        H2() {
            super("h2");
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

        /** An alias of the schema's: CURRENT_TIMESTAMP stands still in a transaction. */
        @Override
        String now() {
            return "tasktube_now()";
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
            List<T> changed = on.list(
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
                    : Claim.inOrder(
                            on.list(sql.claimThese, claim::read, claim.session(), claim.token(), claim.node(), ids));
        }

        @Override
        List<ClaimedTask> settleAndClaim(Jdbc.Statement on, Statements sql, Claim claim) throws SQLException {
            settle(on, claim.tube());
            return claim(on, sql, claim);
        }

        @Override
        void settle(Jdbc.Statement on, int tube) throws SQLException {
            new H2SubQueues(on, tube).settle();
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
                        count - taken);
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
            while (locked.size() < max) {
                List<Found> window = on.list(
                        """
                        SELECT id, pri, ord FROM tasktube_task
                        WHERE tube_id = ? AND state = '%s' AND behind = FALSE AND (pri, ord) > (?, ?)
                        AND (state <> 'r' OR expires_at IS NULL OR expires_at > tasktube_now())
                        ORDER BY tube_id, state, behind, pri, ord FETCH FIRST ? ROWS ONLY""".formatted(state),
                        row -> new Found(row.getLong(1), new Place(row.getInt(2), row.getLong(3))),
                        tube,
                        place.pri(),
                        place.ord(),
                        max - locked.size());
                if (window.isEmpty()) {
                    break;
                }
                place = window.get(window.size() - 1).place;
                locked.addAll(on.list(
                        """
                        SELECT id FROM tasktube_task
                        WHERE id = ANY(?) AND state = '%s' FOR UPDATE SKIP LOCKED""".formatted(state),
                        row -> row.getLong(1),
                        window.stream().map(Found::id).toList()));
            }
            return locked;
        }

        private record Found(long id, Place place) {}
    }
}
