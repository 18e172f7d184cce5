package org.tasktube.bench;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tasktube.bench.app.Batches;
import org.tasktube.bench.app.Side;
import org.tasktube.itest.kit.Postgres;

/** What the benchmark itself asks the database, beside the server. */
final class BenchDatabase implements AutoCloseable {

    /** A setting that was changed is seen by each of PostgreSQL's processes at its next statement. */
    private static final Duration RELOAD = Duration.ofMillis(500);

    private final Connection connection;
    private long moves;

    BenchDatabase(Postgres postgres) {
        try {
            connection = DriverManager.getConnection(postgres.url(), Postgres.USER, "");
            execute("CREATE EXTENSION pg_stat_statements");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether statements are counted. It costs a little, so not while anything else is measured. */
    void countStatements(boolean yes) throws InterruptedException {
        execute("ALTER SYSTEM SET pg_stat_statements.track = '" + (yes ? "top" : "none") + "'");
        execute("ALTER SYSTEM SET pg_stat_statements.track_planning = " + yes);
        execute("SELECT pg_reload_conf()");
        Thread.sleep(RELOAD.toMillis());
        if (yes) {
            execute("SELECT pg_stat_statements_reset()");
        }
    }

    /** How many statements were counted, ours left out. */
    long statements() {
        return number("SELECT coalesce(sum(calls), 0) FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_%'");
    }

    /** The statements that took most time, each with its number. */
    List<String> mostCounted(int most) {
        List<String> counted = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(
                        "SELECT calls, rows, round(total_exec_time), round(total_plan_time), left(regexp_replace(query, '\\s+', ' ', 'g'), 90) FROM pg_stat_statements"
                                + " WHERE query NOT LIKE '%pg_stat_%' ORDER BY total_exec_time + total_plan_time DESC LIMIT "
                                + most);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                counted.add(row.getLong(1) + " times, " + row.getLong(2) + " rows, " + row.getLong(3) + " ms, and "
                        + row.getLong(4) + " ms of planning: " + row.getString(5));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return counted;
    }

    /** The bytes of the log so far. */
    long log() {
        return number("SELECT (pg_current_wal_lsn() - '0/0')::bigint");
    }

    /** The commits so far, but for those of the last second perhaps. */
    long commits() {
        return number("SELECT sum(xact_commit) FROM pg_stat_database");
    }

    /** How often the log was written to the disk so far, but for the last second perhaps. */
    long syncs() {
        return number("SELECT wal_sync FROM pg_stat_wal");
    }

    /** PostgreSQL names a statement by what it parsed, not by the sender, and not by whether it names the schema. */
    void checkSameStatements() {
        // The adapter acks several tasks by one statement
        for (String form : List.of("INSERT INTO tasktube_task", "%UPDATE tasktube_task t ")) {
            long different = number("SELECT count(DISTINCT queryid) FROM pg_stat_statements"
                    + " WHERE replace(query, '\"public\".', '') LIKE '" + form + "%'");
            if (different != 1) {
                throw new IllegalStateException(different + " different statements are like '" + form
                        + "': the reference and the adapter do not run the same ones");
            }
        }
    }

    void checkEmpty(Side side) {
        long left =
                switch (side) {
                    // The one has its messages elsewhere, the other ends its jobs some time after they have run
                    case ARTEMIS, JOBRUNR, BEANSTALKD, TASKTUBE_TEMPORARY -> 0;
                    case DB_SCHEDULER -> number("SELECT count(*) FROM scheduled_tasks");
                    case SMALL, SMALL_ROW, SMALL_BATCH -> number("SELECT count(*) FROM bench_task");
                    default ->
                        number(
                                "SELECT count(*) FROM tasktube_task JOIN tasktube_tube tube ON tube.id = tube_id WHERE name = '"
                                        + side.tube() + "'");
                };
        if (left != 0) {
            throw new IllegalStateException(left + " tasks are left of " + side);
        }
    }

    /** Fails unless the histories have so many moves more than the last time. */
    void checkHistory(long more) {
        long now = number("SELECT count(*) + count(put_event) FROM tasktube_history");
        if (now - moves != more) {
            throw new IllegalStateException((now - moves) + " moves are in the history instead of " + more);
        }
        moves = now;
    }

    /** Opens a transaction with a snapshot of this moment. */
    Connection holdSnapshot() throws SQLException {
        Connection holder = DriverManager.getConnection(
                connection.getMetaData().getURL(), connection.getMetaData().getUserName(), "");
        holder.setAutoCommit(false);
        holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        try (PreparedStatement statement = holder.prepareStatement("SELECT count(*) FROM tasktube_tube")) {
            statement.execute();
        }
        return holder;
    }

    /** As autovacuum does when it gets to it: no statistics. */
    void vacuum() {
        execute("VACUUM tasktube_task");
    }

    /** Puts tasks in bulk, and has done before anything is measured what PostgreSQL would do about them during that. */
    void fill(Side side, int waiting, int delayed) {
        fill(side.tube(), "'r', NULL, NULL, false", waiting);
        fill(side.tube(), "'~', now() + INTERVAL '1 day', NULL, false", delayed);
        vacuumAndCheckpoint();
    }

    /** So many tasks in a tube without sub-queues, and in one with so many sub-queues by turns. */
    void fillSubQueues(int subQueues, int tasks) {
        fill(Batches.PLAIN, "'r', NULL, NULL, false", tasks);
        fill(Batches.SUB_QUEUES, "'r', NULL, 'utube-' || mod(n, " + subQueues + "), true", tasks);
        execute("""
                INSERT INTO tasktube_dirty (tube_id, utube) SELECT tube.id, 'utube-' || n
                FROM tasktube_tube tube, generate_series(0, %d) n WHERE name = '%s'""".formatted(subQueues - 1, Batches.SUB_QUEUES));
        vacuumAndCheckpoint();
    }

    private void fill(String tube, String stateEventAndUtube, int tasks) {
        execute("""
                INSERT INTO tasktube_task
                  (id, ord, tube_id, pri, created_at, content_type, data, state, event_at, utube, blocked)
                SELECT fresh.id, fresh.id, tube.id, 0, now(), 'application/octet-stream', decode(repeat('5a', 256), 'hex'), %s
                FROM (SELECT nextval('tasktube_task_seq') AS id, n FROM generate_series(1, %d) n) fresh,
                  tasktube_tube tube WHERE name = '%s'""".formatted(stateEventAndUtube, tasks, tube));
    }

    /** Autovacuum would begin with a million fresh rows within a minute, and run for as long as is measured. */
    private void vacuumAndCheckpoint() {
        execute("VACUUM tasktube_task");
        execute("CHECKPOINT");
    }

    /** Removes what is in the tubes. Not by TRUNCATE, which would have all plans made again. */
    void empty() {
        for (String table : List.of("tasktube_task", "tasktube_dirty")) {
            execute("DELETE FROM " + table);
            execute("VACUUM " + table);
        }
    }

    String version() {
        return text("SHOW server_version");
    }

    String setting(String name) {
        return text("SHOW " + name);
    }

    private long number(String query) {
        return Long.parseLong(text(query));
    }

    private String text(String query) {
        try (PreparedStatement statement = connection.prepareStatement(query);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void execute(String sql) {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.execute();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
