package org.tasktube.itest.chaos;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.Collectors;
import org.tasktube.itest.lanes.Lane;

/** Compares what was put, what was worked on, and what the callers were told, when all is over. */
final class Checker {

    private static final String KEPT =
            lanes(Arrays.stream(Lane.values()).filter(Lane::isKept).toList());
    private static final String TEMPORARY =
            lanes(Arrays.stream(Lane.values()).filter(Lane::isTemporary).toList());

    /** A claim comes at most so long before its delivery. */
    private static final String CLAIMED_AHEAD = "interval '2 s'";

    /** How long a taker can have a task and then roll back. */
    private static final Duration LONGEST_TRY = Duration.ofSeconds(4);

    private final Cluster cluster;
    private final List<Inflicted> faults;
    private final List<String> found = new ArrayList<>();

    Checker(Cluster cluster, List<Inflicted> faults) {
        this.cluster = cluster;
        this.faults = faults;
    }

    private static String lanes(List<Lane> lanes) {
        return lanes.stream().map(lane -> "'" + lane + "'").collect(Collectors.joining(", ", "(", ")"));
    }

    /** Returns what is wrong; empty if nothing is. */
    List<String> check(Traffic traffic) throws SQLException {
        traffic.gone().forEach(what -> found.add("gone before its time: " + what));
        unlikeTheAnswers(traffic);
        return checkRows();
    }

    /** As {@link #check}, without what the callers were told. */
    List<String> checkRows() throws SQLException {
        lost();
        doubled();
        outOfOrder();
        atTheWrongTime();
        twiceByKey();
        overfilled();
        unlikeTheHistory();
        releasedUnlikeTheHistory();
        leftBehind();
        temporary();
        leftOver();
        return found;
    }

    private void lost() throws SQLException {
        each(
                "lost",
                "SELECT lane, number, server, at FROM lane_put p WHERE lane IN " + KEPT + " AND NOT EXISTS"
                        + " (SELECT FROM lane_done d WHERE d.lane = p.lane AND d.number = p.number)");
    }

    private void doubled() throws SQLException {
        each(
                "done twice",
                "SELECT lane, number, string_agg(server || ' ' || at, ', ') FROM lane_done"
                        + " GROUP BY lane, number HAVING count(*) > 1");
        each(
                "done and never put",
                "SELECT lane, number, server, at FROM lane_done d WHERE NOT EXISTS"
                        + " (SELECT FROM lane_put p WHERE d.lane = p.lane AND d.number = p.number)");
    }

    /** A put that had committed before a later one of its sub-queue was claimed is done first. */
    private void outOfOrder() throws SQLException {
        each(
                "out of order",
                "SELECT d.lane, d.sub, d.task, d.at, d.before FROM (SELECT lane, sub, task, at,"
                        + " lag(task) OVER w AS before, lag(at) OVER w AS before_at FROM lane_done WHERE sub <> ''"
                        + " WINDOW w AS (PARTITION BY lane, sub ORDER BY id)) d"
                        + " JOIN lane_put p ON p.lane = d.lane AND p.task = d.task"
                        + " WHERE d.before > d.task AND pg_xact_commit_timestamp(p.xmin) + " + CLAIMED_AHEAD
                        + " < d.before_at");
    }

    private void unlikeTheAnswers(Traffic traffic) throws SQLException {
        for (Lane lane : Lane.values()) {
            BitSet there = new BitSet();
            try (Connection connection = cluster.connect();
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(
                            "SELECT number FROM lane_put WHERE lane = '" + lane + "' ORDER BY number")) {
                while (row.next()) {
                    there.set((int) row.getLong(1));
                }
            }
            if (lane.putsWhatIsAsked()) {
                BitSet missing = (BitSet) traffic.committed(lane).clone();
                missing.andNot(there);
                note(!missing.isEmpty(), lane + ": answered as committed, and not there: " + missing);
            }
            BitSet undead = (BitSet) traffic.rolledBack(lane).clone();
            undead.and(there);
            note(!undead.isEmpty(), lane + ": rolled back, and there: " + undead);
        }
    }

    /** A delay and a ttl count from the put, which is after the begin of its transaction. Between the claim and the delivery a server can freeze. */
    private void atTheWrongTime() throws SQLException {
        String both = " FROM lane_done d JOIN lane_put p ON p.lane = d.lane AND p.number = d.number WHERE p.lane = '";
        each(
                "before its delay was over",
                "SELECT p.number, p.begun, d.at" + both + Lane.DELAYED + "' AND d.at < p.begun + interval '"
                        + Lane.DELAY.toMillis() + " ms'");
        query(
                "SELECT p.number, p.at, d.at" + both + Lane.SHORT_LIVED + "' AND d.at > p.at + " + CLAIMED_AHEAD
                        + " + interval '" + Lane.LIFE.toMillis() + " ms'",
                row -> noteUnlessExcused(row, "after its ttl"));
    }

    /** The next task of a key can be put when the one before is done. */
    private void twiceByKey() throws SQLException {
        each(
                "two tasks of one key",
                "SELECT n.number, n.before, n.at, d.at FROM (SELECT number, at, lag(number) OVER"
                        + " (PARTITION BY number % " + Lane.KEYS
                        + " ORDER BY task) AS before FROM lane_put WHERE lane = '"
                        + Lane.KEYED + "') n LEFT JOIN lane_done d ON d.lane = '" + Lane.KEYED
                        + "' AND d.number = n.before WHERE n.before IS NOT NULL AND (d.at IS NULL OR d.at > n.at)");
    }

    private void overfilled() throws SQLException {
        each(
                "more than the capacity",
                "SELECT at, tasks FROM (SELECT at, sum(change) OVER (ORDER BY at, change) AS tasks FROM"
                        + " (SELECT pg_xact_commit_timestamp(xmin) AS at, 1 AS change FROM lane_put WHERE lane = '"
                        + Lane.LIMITED + "' UNION ALL SELECT pg_xact_commit_timestamp(xmin), -1 FROM lane_done"
                        + " WHERE lane = '" + Lane.LIMITED + "') c) s WHERE tasks > " + Lane.CAPACITY + " LIMIT 3");
    }

    /** The history of a task has its ack, and no ack of a transaction that was rolled back. */
    private void unlikeTheHistory() throws SQLException {
        each(
                "unlike its history",
                "SELECT coalesce(d.task, h.task_id), d.at, h.acks FROM (SELECT * FROM lane_done WHERE lane = '"
                        + Lane.TTR
                        + "') d FULL JOIN (SELECT task_id, count(*) AS acks FROM tasktube_history"
                        + " WHERE event = 'ACK' AND tube_id = (SELECT id FROM tasktube_tube WHERE name = '"
                        + Lane.TTR.tube() + "') GROUP BY task_id) h ON h.task_id = d.task"
                        + " WHERE d.task IS NULL OR h.acks IS DISTINCT FROM 1");
    }

    /** A release gives a task back as often as it was committed with a row of the application. */
    private void releasedUnlikeTheHistory() throws SQLException {
        each(
                "released unlike its history",
                "SELECT coalesce(r.task, h.task_id), r.rows, h.releases FROM (SELECT task, count(*) AS rows"
                        + " FROM lane_released GROUP BY task) r FULL JOIN (SELECT task_id, count(*) AS releases"
                        + " FROM tasktube_history WHERE event = 'RELEASE' AND tube_id = (SELECT id FROM tasktube_tube"
                        + " WHERE name = '" + Lane.RELEASED.tube() + "') GROUP BY task_id) h ON h.task_id = r.task"
                        + " WHERE r.rows IS DISTINCT FROM h.releases");
    }

    /** Takes are in the order of the puts: no task waits while later ones are taken, but for one whose taker failed. */
    private void leftBehind() throws SQLException {
        query(
                "SELECT d.number, p.at, d.at FROM lane_done d JOIN lane_put p ON p.lane = d.lane AND p.number = d.number"
                        + " WHERE d.lane = '" + Lane.RESULT + "' AND d.at > pg_xact_commit_timestamp(p.xmin) + "
                        + CLAIMED_AHEAD + " + interval '" + LONGEST_TRY.toMillis()
                        + " ms'"
                        + " AND EXISTS (SELECT FROM lane_done o WHERE o.lane = d.lane"
                        + " AND o.task > d.task AND o.at > pg_xact_commit_timestamp(p.xmin) + " + CLAIMED_AHEAD
                        + " AND o.at + interval '" + LONGEST_TRY.toMillis() + " ms' < d.at)",
                row -> noteUnlessExcused(row, "left behind"));
    }

    private void noteUnlessExcused(ResultSet row, String what) throws SQLException {
        Instant put = row.getTimestamp(2).toInstant();
        Instant done = row.getTimestamp(3).toInstant();
        note(
                faults.stream().noneMatch(fault -> fault.excuses(put, done)),
                what + ": " + row.getLong(1) + ", put at " + put + ", done at " + done);
    }

    /** Their tasks end with a crash of the database, its failover, and a start of a server while no other is up. */
    private void temporary() throws SQLException {
        query(
                "SELECT p.lane, p.number, p.at, count(d.id) FROM lane_put p LEFT JOIN lane_done d"
                        + " ON d.lane = p.lane AND d.number = p.number WHERE p.lane IN " + TEMPORARY
                        + " GROUP BY p.lane, p.number, p.at HAVING count(d.id) = 0",
                row -> {
                    Instant put = row.getTimestamp(3).toInstant();
                    boolean excused = faults.stream().anyMatch(fault -> fault.mayEndTemporary(put));
                    note(
                            !excused,
                            row.getString(1) + " " + row.getLong(2) + ", put at " + put + ": done " + row.getLong(4)
                                    + " times");
                });
    }

    private void leftOver() throws SQLException {
        for (String table : List.of("task", "temporary", "parked", "field", "session")) {
            long rows = cluster.number("SELECT count(*) FROM tasktube_" + table);
            note(rows != 0, rows + " rows in tasktube_" + table);
        }
        long slots = cluster.number("SELECT count(*) FROM tasktube_slot");
        note(slots != Lane.CAPACITY, slots + " free slots of " + Lane.CAPACITY);
        each(
                "an operation that did not end well",
                "SELECT id, state FROM tasktube_operation WHERE state IN ('w', 'r', 'f')");
        note(
                faults.stream().anyMatch(Inflicted::isActOfTheOperator)
                        && cluster.number("SELECT count(*) FROM tasktube_operation WHERE state = 'd'") == 0,
                "no operation was done");
    }

    private void each(String what, String sql) throws SQLException {
        query(sql, row -> {
            List<String> columns = new ArrayList<>();
            for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                columns.add(row.getString(i));
            }
            note(true, what + ": " + columns);
        });
    }

    private void note(boolean wrong, String what) {
        if (wrong) {
            found.add(what);
        }
    }

    private interface Row {
        void read(ResultSet row) throws SQLException;
    }

    private void query(String sql, Row reader) throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET enable_nestloop = off");
            ResultSet row = statement.executeQuery(sql);
            while (row.next()) {
                reader.read(row);
            }
        }
    }
}
