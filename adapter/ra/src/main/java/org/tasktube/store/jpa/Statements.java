package org.tasktube.store.jpa;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskState;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.Place;

/**
 * Every statement that changes tubes and tasks, under the name of what it does. A guarded change names in its WHERE what
 * must be true of the task, so that the count of rows is the answer.
 */
final class Statements {

    /** Nobody holds the task any more. */
    private static final String UNHELD = "session = NULL, token = NULL, node = NULL, taken_at = NULL";

    /** This very taking holds the task. Arguments: id, tube, session, token. */
    private static final String HELD = "WHERE id = ? AND tube_id = ? AND state = 't' AND session = ? AND token = ?";

    // Tubes

    /** Arguments: name, type, pri, ttl, ttr, delay, name. A second creator of the name waits for the first one's end. */
    final String createTube;

    final String dropTube = "DELETE FROM tasktube_tube WHERE id = ?";

    // Tasks

    /**
     * Reads the tube's row so that nothing is put into a tube that was dropped, without a lock that producers would
     * share. Arguments: state, pri, untilEvent, untilExpiry, ttr, content type, data, tube.
     */
    final String put;

    /**
     * An array and not a join: a plan for any number of tasks expects a tenth of all, and joins those by reading the whole
     * table. Arguments: session, token, node, tube, pri, ord, max.
     */
    final String claimNext;

    /** Arguments: session, token, node, ids. */
    final String claimThese;

    final String ack = "DELETE FROM tasktube_task " + HELD;
    final String release;
    /** Arguments: delay, delay, then HELD's. */
    final String releaseDelayed;
    /** Arguments: delay, life, then HELD's. */
    final String releaseDelayedForLife;
    /** Arguments: life, life, then HELD's. */
    final String releaseForLife;

    final String requeue;
    final String bury;
    /** Arguments: id, tube, state. */
    final String buryIdle;
    /** Arguments: increment, increment, then HELD's. */
    final String touch;

    final String heartbeat;
    /** Arguments: type, message, trace, delay, delay, then HELD's. */
    final String failDelayed;
    /** Arguments: type, message, trace, then HELD's. */
    final String failReady;
    /** Arguments: type, message, trace, then HELD's. */
    final String failBuried;
    /** Arguments: session, tokens, ids. */
    final String giveBack = "UPDATE tasktube_task SET state = 'r', event_at = expires_at, attempts = attempts - 1, "
            + UNHELD + " WHERE session = ? AND token = ANY(?) AND id = ANY(?) AND state = 't'";

    final String kick = "UPDATE tasktube_task SET state = 'r', attempts = 0 WHERE id = ANY(?)";
    /** Arguments: id, tube. */
    final String dig;
    /** Arguments: id, tube. */
    final String delete;

    final String releaseAll = "UPDATE tasktube_task SET state = 'r', event_at = expires_at, " + UNHELD
            + " WHERE tube_id = ? AND state = 't'";
    /** Arguments: session, ids. */
    final String releaseSession = "UPDATE tasktube_task SET state = 'r', event_at = expires_at, " + UNHELD
            + " WHERE session = ? AND id = ANY(?) AND state = 't'";

    final String truncate;

    // Looks

    final String holder = "SELECT session FROM tasktube_task WHERE id = ? AND tube_id = ? AND state = 't'";
    final String now;
    final String counts = "SELECT tube_id, state, count(*) FROM tasktube_task GROUP BY tube_id, state";
    final String readyTubes;

    // Deadlines

    final String nextEvent;
    /** Arguments: max. */
    final String dueEvents;
    /** Arguments: ids. */
    final String lockDue;
    /** Arguments: ids. */
    final String makeReady =
            "UPDATE tasktube_task SET state = 'r', event_at = expires_at, " + UNHELD + " WHERE id = ANY(?)";
    /** Arguments: ids. */
    final String remove = "DELETE FROM tasktube_task WHERE id = ANY(?)";

    // Servers

    final String registerNode;
    final String seen;
    /** Arguments: a name, the timeout of servers of that name in milliseconds, and that of all others. */
    final String deadNodes;
    /** Arguments: node. */
    final String releaseNode;

    final String forgetNode = "DELETE FROM tasktube_node WHERE id = ?";

    Statements(Database db) {
        String untilEvent = db.until("event_at");

        createTube = db.changed(
                "id",
                "INSERT INTO tasktube_tube (name, type, pri, ttl_ms, ttr_ms, delay_ms)"
                        + " VALUES (?, ?, ?, CAST(? AS bigint), CAST(? AS bigint), ?)" + db.onNameConflict());

        put = db.changed("id", """
                INSERT INTO tasktube_task (id, ord, tube_id, state, pri, created_at, event_at, expires_at, ttr_ms,
                  content_type, data)
                SELECT %s, tube.id, ?, CAST(? AS integer), %s, %s, %s, CAST(? AS bigint), ?, ?
                FROM %s WHERE tube.id = ?""".formatted(
                        db.newIdTwice(),
                        db.nowInPut(),
                        db.plus(db.nowInPut(), "CAST(? AS bigint)"),
                        db.plus(db.nowInPut(), "CAST(? AS bigint)"),
                        db.fromInPut()));

        String claimed = """
                SET state = 't', session = ?, token = ?, node = ?, taken_at = %s, event_at = %s,
                  attempts = attempts + 1, taken_count = taken_count + 1""".formatted(db.now(), db.in("ttr_ms"));
        String claimedColumns = "t.id, t.pri, t.ord, t.attempts, t.ttr_ms, t.content_type, t.data";
        claimNext = """
                UPDATE tasktube_task t %s WHERE t.id = ANY(ARRAY(
                  SELECT id FROM tasktube_task
                  WHERE tube_id = ? AND state = 'r' AND (pri, ord) > (?, ?)
                  AND (expires_at IS NULL OR expires_at > %s)
                  ORDER BY pri, ord LIMIT ? FOR UPDATE SKIP LOCKED)) RETURNING %s""".formatted(claimed, db.now(), claimedColumns);
        claimThese =
                db.changed(claimedColumns.replace("t.", ""), "UPDATE tasktube_task " + claimed + " WHERE id = ANY(?)");

        release = db.changed(
                untilEvent, "UPDATE tasktube_task SET state = 'r', event_at = expires_at, " + UNHELD + " " + HELD);
        String delayedLife = db.plus("expires_at", "?");
        releaseDelayed = db.changed(
                untilEvent,
                "UPDATE tasktube_task SET state = '~', event_at = " + db.in("?") + ", expires_at = " + delayedLife
                        + ", " + UNHELD + " " + HELD);
        releaseDelayedForLife = db.changed(
                untilEvent,
                "UPDATE tasktube_task SET state = '~', event_at = " + db.in("?") + ", expires_at = " + db.in("?") + ", "
                        + UNHELD + " " + HELD);
        releaseForLife = db.changed(
                untilEvent,
                "UPDATE tasktube_task SET state = 'r', event_at = " + db.in("?") + ", expires_at = " + db.in("?") + ", "
                        + UNHELD + " " + HELD);
        requeue = db.changed(
                untilEvent,
                "UPDATE tasktube_task SET state = 'r', event_at = expires_at, ord = " + db.newId() + ", " + UNHELD + " "
                        + HELD);
        String buried = "UPDATE tasktube_task SET state = '!', event_at = expires_at, buried_count = buried_count + 1";
        bury = db.changed(untilEvent, buried + ", " + UNHELD + " " + HELD);
        buryIdle = db.changed(untilEvent, buried + " WHERE id = ? AND tube_id = ? AND state = ?");
        touch = db.changed(
                untilEvent,
                "UPDATE tasktube_task SET event_at = " + db.plus("event_at", "?") + ", expires_at = " + delayedLife
                        + " " + HELD);
        heartbeat = db.changed(untilEvent, "UPDATE tasktube_task SET event_at = " + db.in("ttr_ms") + " " + HELD);

        String failed = "error_type = ?, error_message = ?, error_trace = ?, ";
        failDelayed = db.changed(
                untilEvent,
                "UPDATE tasktube_task SET state = '~', " + failed + "event_at = " + db.in("?") + ", expires_at = "
                        + delayedLife + ", " + UNHELD + " " + HELD);
        failReady = db.changed(
                untilEvent,
                "UPDATE tasktube_task SET state = 'r', " + failed + "event_at = expires_at, " + UNHELD + " " + HELD);
        failBuried = db.changed(
                untilEvent,
                "UPDATE tasktube_task SET state = '!', " + failed
                        + "event_at = expires_at, buried_count = buried_count + 1, " + UNHELD + " " + HELD);

        dig = db.changed(
                untilEvent,
                "UPDATE tasktube_task SET state = 'r', attempts = 0 WHERE id = ? AND tube_id = ? AND state = '!'");
        delete = db.removed("state", "DELETE FROM tasktube_task WHERE id = ? AND tube_id = ?");
        truncate = db.removedByState("DELETE FROM tasktube_task WHERE tube_id = ?");

        now = "SELECT " + db.now();
        // A scalar subquery is one look at the index for each tube; EXISTS becomes a join over all that is ready
        readyTubes = """
                SELECT id FROM tasktube_tube t WHERE id = ANY(?) AND (
                  SELECT id FROM tasktube_task WHERE tube_id = t.id AND state = 'r'
                  AND (expires_at IS NULL OR expires_at > %s)
                  ORDER BY tube_id, state, pri, ord FETCH FIRST 1 ROW ONLY) IS NOT NULL""".formatted(db.now());

        nextEvent = "SELECT " + untilEvent
                + " FROM tasktube_task WHERE event_at IS NOT NULL ORDER BY event_at FETCH FIRST 1 ROW ONLY";
        dueEvents = "SELECT id FROM tasktube_task WHERE event_at <= " + db.now()
                + " ORDER BY event_at FETCH FIRST ? ROWS ONLY";
        lockDue = "SELECT id, tube_id, state FROM tasktube_task WHERE id = ANY(?) AND event_at <= " + db.now()
                + " FOR UPDATE SKIP LOCKED";

        registerNode = db.changed("id", "INSERT INTO tasktube_node (name, seen_at) VALUES (?, " + db.now() + ")");
        seen = "UPDATE tasktube_node SET seen_at = " + db.now() + " WHERE id = ?";
        deadNodes = "SELECT id FROM tasktube_node WHERE seen_at < "
                + db.in("-(CASE WHEN name = ? THEN CAST(? AS bigint) ELSE CAST(? AS bigint) END)")
                + " FOR UPDATE SKIP LOCKED";
        releaseNode = db.changed(
                "tube_id",
                "UPDATE tasktube_task SET state = 'r', event_at = expires_at, " + UNHELD
                        + " WHERE node = ? AND state = 't'");
    }

    /** What a claim by that statement got, in order, which neither database returns it in. */
    List<ClaimedTask> claimed(Jdbc.Statement on, String sql, Database.Claim claim, Object... arguments)
            throws SQLException {
        return on.list(sql, row -> readClaimed(row, claim), arguments).stream()
                .sorted(Comparator.comparing(ClaimedTask::place))
                .toList();
    }

    private static ClaimedTask readClaimed(ResultSet row, Database.Claim claim) throws SQLException {
        int pri = row.getInt(2);
        TaskData data = TaskData.of(row.getString(6), row.getBytes(7));
        Task task =
                new Task(row.getLong(1), claim.tubeName(), TaskState.TAKEN, pri, row.getInt(4), claim.token(), data);
        long ttr = row.getLong(5);
        Optional<Duration> limit = row.wasNull() ? Optional.empty() : Optional.of(Duration.ofMillis(ttr));
        return new ClaimedTask(task, new Place(pri, row.getLong(3)), limit);
    }
}
