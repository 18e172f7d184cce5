package org.tasktube.store.jpa;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
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

    /** A delete as a query for tube, state and how many. */
    abstract String removedByState(String delete);

    /** The end of an insert that does nothing where the name is taken. */
    abstract String onNameConflict();

    /** The next number of the one sequence. */
    abstract String newId();

    /** A new task's id and its place, which are the same number. */
    abstract String newIdTwice();

    /** The time now in a put, where it is read once so that all times of the task count from the same moment. */
    abstract String nowInPut();

    /** The FROM of put: the tube's row, and where the new id and the time come from. */
    abstract String fromInPut();

    /** Takes a lock that keeps a second server from making the tables at the same time. */
    abstract void lockSchema(Jdbc.Statement statement) throws SQLException;

    abstract List<ClaimedTask> claim(Jdbc.Statement on, Statements sql, Claim claim) throws SQLException;

    /** Whether a claim is one statement, which needs no transaction of its own. */
    abstract boolean claimsInOneStatement();

    /** The ids of the next tasks in that state after a place, in order, locked; those that others have locked are passed over. */
    abstract List<Long> lockInOrder(Jdbc.Statement on, Statements sql, int tube, char state, Place after, int max)
            throws SQLException;

    record Claim(int tube, String tubeName, UUID session, int node, long token, Place after, int max) {}

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

        @Override
        String removedByState(String delete) {
            return "WITH gone AS (" + delete + " RETURNING tube_id, state)"
                    + " SELECT tube_id, state, count(*) FROM gone GROUP BY tube_id, state";
        }

        /** In PostgreSQL a failed insert would end the caller's transaction with it. */
        @Override
        String onNameConflict() {
            return " ON CONFLICT (name) DO NOTHING";
        }

        @Override
        String newId() {
            return "nextval('tasktube_task_seq')";
        }

        @Override
        String newIdTwice() {
            return "fresh.id, fresh.id";
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
            return sql.claimed(
                    on,
                    sql.claimNext,
                    claim,
                    claim.session(),
                    claim.token(),
                    claim.node(),
                    claim.tube(),
                    claim.after().pri(),
                    claim.after().ord(),
                    claim.max());
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

        H2() {
            super("h2");
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
        String removedByState(String delete) {
            return "SELECT tube_id, state, count(*) FROM OLD TABLE (" + delete + ") GROUP BY tube_id, state";
        }

        @Override
        String onNameConflict() {
            return "";
        }

        @Override
        String newId() {
            return "NEXT VALUE FOR tasktube_task_seq";
        }

        /** In one row both are the same number; only in H2's PostgreSQL mode are they two, in the same order. */
        @Override
        String newIdTwice() {
            return newId() + ", " + newId();
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
                    : sql.claimed(on, sql.claimThese, claim, claim.session(), claim.token(), claim.node(), ids);
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
                        WHERE tube_id = ? AND state = '%s' AND (pri, ord) > (?, ?)
                        AND (state <> 'r' OR expires_at IS NULL OR expires_at > tasktube_now())
                        ORDER BY tube_id, state, pri, ord FETCH FIRST ? ROWS ONLY""".formatted(state),
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
