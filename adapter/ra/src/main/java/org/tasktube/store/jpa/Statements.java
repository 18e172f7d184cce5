package org.tasktube.store.jpa;

/**
 * Every statement that changes tubes and tasks, under the name of what it does. A guarded change names in its WHERE what
 * must be true of the task, so that the count of rows, or the row that comes back, is the answer.
 */
final class Statements {

    /** Nobody holds the task any more. */
    static final String UNHELD = "session = NULL, token = NULL, node = NULL, taken_at = NULL";

    /**
     * This very taking holds the task. Arguments: id, tube, session, token.
     *
     * <p>A task with a session is TAKEN, which a CHECK keeps. To ask for that state would let PostgreSQL look at all that are
     * taken in the tube, and at those that were, instead of at the one id.
     */
    private static final String HELD = "WHERE id = ? AND tube_id = ? AND session = ? AND token = ?";

    /** The one task, if it is in a state, which no index can be asked for: as with {@link #HELD}. Arguments: id, tube, state. */
    private static final String IN_STATE = "WHERE id = ? AND tube_id = ? AND state || '' = ?";

    /** All tasks of a tube. */
    static final String ALL = "tube_id = ?";

    /** Those that are TAKEN. */
    static final String TAKEN = "tube_id = ? AND state = 't'";

    private static final String FAILED = "error_type = ?, error_message = ?, error_trace = ?, ";

    /** All of a task that its value has. */
    private static final String TASK = "id, state, pri, attempts, token, utube, content_type, data";

    /** Ready again by itself, by kick or dig: in a sub-queue it waits to be settled. */
    private static final String BEHIND = "behind = (utube IS NOT NULL)";

    // Tubes

    /**
     * Arguments: name, type, pri, ttl, ttr, delay, capacity, temporary, subQueues. A second creator of the name waits for
     * the first one's end.
     */
    final String createTube;

    final String dropTube = "DELETE FROM tasktube_tube WHERE id = ?";
    /** Arguments: tube, how many. */
    final String addPlaces;

    final String dropPlaces = "DELETE FROM tasktube_place WHERE tube_id = ?";
    final String dropNotes = "DELETE FROM tasktube_note WHERE tube_id = ?";
    final String dropParked = "DELETE FROM tasktube_parked WHERE tube_id = ?";
    /** Arguments: tasks of ALL. */
    final String dropTasks;

    final String tubeThere = "SELECT id FROM tasktube_tube WHERE id = ?";
    /** The same for a put: empty also while a drop is under way. */
    final String tubeOpen;

    // Tubes that are gone

    final String usedTubes;
    final String tubes = "SELECT id FROM tasktube_tube";
    /** Arguments: tubes, how many. */
    final String lockOrphans =
            "SELECT id FROM tasktube_task WHERE tube_id = ANY(?)" + " FETCH FIRST ? ROWS ONLY FOR UPDATE SKIP LOCKED";

    final String removeNotes = "DELETE FROM tasktube_note WHERE tube_id = ANY(?)";
    final String removeParked = "DELETE FROM tasktube_parked WHERE tube_id = ANY(?)";
    final String removePlaces = "DELETE FROM tasktube_place WHERE tube_id = ANY(?)";

    // Put

    /**
     * The quick way for a task with nothing but data and times. Reads the tube's row so that nothing is put into a tube
     * that was dropped, without a lock that producers would share. Arguments: state, pri, untilEvent, untilExpiry, ttr,
     * content type, data, tube.
     */
    final String put;

    /**
     * Arguments: number or null, sign, state, pri, untilEvent, untilExpiry, ttr, utube, behind, key, content type, data,
     * tube.
     */
    final Change putPlaced;

    /** Arguments: id, ord, tube, state, pri, untilEvent, untilExpiry, ttr, utube, behind, key, content type, data. */
    final String putNumbered;

    /** Arguments: how many. */
    final String newIds;

    /** Arguments: tube, key. */
    final String byKey = "SELECT id FROM tasktube_task WHERE tube_id = ? AND live_key = ?";
    /** Arguments: state, pri, untilEvent, untilExpiry, ttr, utube, behind, content type, data, id, tube, old state. */
    final Change replace;

    /** Locks the task: a replacement that has not ended could move it once more. Arguments: id, tube, state. */
    final String oldUtube = "SELECT utube FROM tasktube_task " + IN_STATE + " FOR UPDATE";

    // Take

    /**
     * An array and not a join: a plan for any number of tasks expects a tenth of all, and joins those by reading the whole
     * table. Arguments: session, token, node, tube, pri, ord, max.
     */
    final String claimNext;

    /** Arguments: session, token, node, ids. */
    final String claimThese;

    // Moves

    final Change ack;
    /** The quick way where nothing follows. */
    final String ackPlain = "DELETE FROM tasktube_task " + HELD;
    /** With the token that each has, which is to be its own and not another's. Arguments: tube, session, ids. */
    final String lockHeld = "SELECT id, token FROM tasktube_task WHERE tube_id = ? AND session = ?"
            + " AND id = ANY(?) ORDER BY id FOR UPDATE";
    /** Arguments: ids. */
    final Change remove;
    /** Arguments: outcome, ttl, content type, result, ttl, ttl, then HELD's. */
    final Change done;

    final Change release;
    /** Arguments: delay, delay, then HELD's. */
    final Change releaseDelayed;
    /** Arguments: delay, life, then HELD's. */
    final Change releaseDelayedForLife;
    /** Arguments: life, life, then HELD's. */
    final Change releaseForLife;

    final Change requeue;
    final Change bury;
    /** Arguments: id, tube, state. */
    final Change buryIdle;
    /** Arguments: increment, increment, then HELD's. */
    final Change touch;

    final Change heartbeat;
    /** Arguments: type, message, trace, delay, delay, then HELD's. */
    final Change failDelayed;
    /** Arguments: type, message, trace, then HELD's. */
    final Change failReady;
    /** Arguments: type, message, trace, then HELD's. */
    final Change failBuried;
    /** Arguments: ids. */
    final Change giveBack;

    /** Arguments: ids. */
    final Change kick;
    /** Arguments: id, tube, the state of what is buried. */
    final Change dig;
    /** Arguments: id, tube. */
    final Change delete;

    /** Arguments: tasks of TAKEN. */
    final Change releaseAll;
    /** Arguments: session, ids. */
    final Change releaseSession;

    /** Arguments: tasks of ALL. */
    final String truncate;
    /** As truncate, with all of each task. Arguments: tasks of ALL. */
    final String removeAll;

    // Sub-queues

    /** Only after a change in the same transaction, as the schema says why. Arguments: tube, utube. */
    final String note = "INSERT INTO tasktube_note (tube_id, utube) VALUES (?, ?)";
    /** Arguments: tube. */
    final String noteAll = "INSERT INTO tasktube_note (tube_id, utube)"
            + " SELECT DISTINCT tube_id, utube FROM tasktube_task WHERE tube_id = ? AND utube IS NOT NULL";

    // Looks

    /** Arguments: tube, ids. */
    final String tasks = "SELECT " + TASK + " FROM tasktube_task WHERE tube_id = ? AND id = ANY(?)";

    final String holder = "SELECT session FROM tasktube_task WHERE id = ? AND tube_id = ? AND session IS NOT NULL";
    final String states = "SELECT id, state FROM tasktube_task WHERE id = ANY(?)";
    final String now;
    final String counts = "SELECT tube_id, state, count(*) FROM tasktube_task GROUP BY tube_id, state";
    final String readyTubes;
    final String freeTubes = """
            SELECT id FROM tasktube_tube t WHERE id = ANY(?) AND (
              SELECT id FROM tasktube_place WHERE tube_id = t.id
              ORDER BY tube_id, id FETCH FIRST 1 ROW ONLY) IS NOT NULL""";

    // Deadlines

    final String nextEvent;
    /** Arguments: the time of the last one that was looked at, the same again, its id, max. */
    final String dueEvents;
    /** By an expression that no index can be asked for: see {@link Database#byId}. Arguments: ids. */
    final String lockDue;
    /** Arguments: ids. */
    final Change makeReady;

    Statements(Database db) {
        String untilEvent = db.until("event_at");

        ack = Change.of(db, "id", "DELETE FROM tasktube_task " + HELD);
        remove = Change.of(db, "id", "DELETE FROM tasktube_task WHERE id = ANY(?)");
        giveBack = Change.of(
                db,
                "id",
                "UPDATE tasktube_task SET state = 'r', event_at = expires_at, attempts = attempts - 1, " + UNHELD
                        + " WHERE id = ANY(?)");
        kick = Change.of(
                db, "id", "UPDATE tasktube_task SET state = 'r', attempts = 0, " + BEHIND + " WHERE id = ANY(?)");
        delete = Change.of(db, "state", "DELETE FROM tasktube_task WHERE id = ? AND tube_id = ?");
        releaseAll = Change.of(
                db,
                "id",
                "UPDATE tasktube_task SET state = 'r', event_at = expires_at, " + UNHELD + " WHERE " + db.byId(TAKEN)
                        + " AND token IS NOT NULL");
        releaseSession = Change.of(
                db,
                "id",
                "UPDATE tasktube_task SET state = 'r', event_at = expires_at, " + UNHELD + " WHERE "
                        + db.amongIds("session = ?"));
        dropTasks = "DELETE FROM tasktube_task WHERE " + db.byId(ALL);
        createTube = db.changed(
                "id",
                "INSERT INTO tasktube_tube (name, type, pri, ttl_ms, ttr_ms, delay_ms, capacity, temporary, sub_queues)"
                        + " VALUES (?, ?, ?, CAST(? AS bigint), CAST(? AS bigint), ?, CAST(? AS integer), ?, ?)"
                        + db.onConflict("(name)"));
        addPlaces =
                "INSERT INTO tasktube_place (tube_id) SELECT CAST(? AS integer) FROM " + db.series("CAST(? AS bigint)");

        usedTubes = db.usedTubes();
        tubeOpen = tubeThere + db.opensTube("id");
        put = db.changed("id", """
                INSERT INTO tasktube_task (id, ord, tube_id, state, pri, created_at, event_at, expires_at, ttr_ms,
                  content_type, data)
                SELECT %s, tube.id, ?, CAST(? AS integer), %s, %s, %s, CAST(? AS bigint), ?, ?
                FROM %s WHERE tube.id = ?%s""".formatted(
                        db.newIdTwice(),
                        db.nowInPut(),
                        db.plus(db.nowInPut(), "CAST(? AS bigint)"),
                        db.plus(db.nowInPut(), "CAST(? AS bigint)"),
                        db.fromInPut(),
                        db.opensTube("tube.id")));
        putPlaced = Change.of(db, "id", """
                INSERT INTO tasktube_task (id, ord, tube_id, state, pri, created_at, event_at, expires_at, ttr_ms,
                  utube, behind, live_key, content_type, data)
                SELECT %1$s, COALESCE(CAST(? AS bigint), CAST(? AS bigint) * %1$s), tube.id, ?, CAST(? AS integer),
                  %2$s, %3$s, %3$s, CAST(? AS bigint), CAST(? AS varchar), ?, CAST(? AS varchar), ?, ?
                FROM %4$s WHERE tube.id = ?%5$s%6$s""".formatted(
                        db.newIdInPut(),
                        db.nowInPut(),
                        db.plus(db.nowInPut(), "CAST(? AS bigint)"),
                        db.fromInPut(),
                        db.opensTube("tube.id"),
                        db.onConflict("(tube_id, live_key) WHERE live_key IS NOT NULL")));
        putNumbered = """
                INSERT INTO tasktube_task (id, ord, tube_id, state, pri, created_at, event_at, expires_at, ttr_ms,
                  utube, behind, live_key, content_type, data)
                SELECT ?, ?, tube.id, ?, CAST(? AS integer), %s, %2$s, %2$s, CAST(? AS bigint), CAST(? AS varchar), ?,
                  CAST(? AS varchar), ?, ?
                FROM tasktube_tube tube WHERE tube.id = ?""".formatted(db.now(), db.in("CAST(? AS bigint)"));
        newIds = "SELECT " + db.newId() + " FROM " + db.series("CAST(? AS bigint)");
        replace = Change.of(
                db,
                untilEvent,
                "UPDATE tasktube_task SET state = ?, pri = ?, created_at = " + db.now() + ", event_at = "
                        + db.in("CAST(? AS bigint)") + ", expires_at = " + db.in("CAST(? AS bigint)")
                        + ", ttr_ms = CAST(? AS bigint), utube = CAST(? AS varchar), behind = ?, content_type = ?,"
                        + " data = ? " + IN_STATE);

        String claimed = """
                SET state = 't', session = ?, token = ?, node = ?, taken_at = %s, event_at = %s,
                  attempts = attempts + 1, taken_count = taken_count + 1""".formatted(db.now(), db.in("ttr_ms"));
        String claimedColumns = "t.id, t.pri, t.ord, t.attempts, t.ttr_ms, t.utube, t.content_type, t.data";
        claimNext = """
                UPDATE tasktube_task t %s WHERE t.id = ANY(ARRAY(
                  SELECT id FROM tasktube_task
                  WHERE tube_id = ? AND state = 'r' AND NOT behind AND (pri, ord) > (?, ?)
                  AND (expires_at IS NULL OR expires_at > %s)
                  ORDER BY pri, ord LIMIT ? FOR UPDATE SKIP LOCKED)) RETURNING %s""".formatted(claimed, db.now(), claimedColumns);
        claimThese = db.changed(
                claimedColumns.replace("t.", ""),
                "UPDATE tasktube_task " + claimed + " WHERE id = ANY(?) AND state = 'r' AND behind = FALSE");

        String held = UNHELD + " " + HELD;
        String delayedLife = db.plus("expires_at", "?");
        done = Change.of(
                db,
                untilEvent,
                "UPDATE tasktube_task SET state = '-', outcome = ?, result_ttl_ms = ?, result_type = ?, result = ?, event_at = "
                        + db.in("?") + ", expires_at = " + db.in("?") + ", live_key = NULL, " + held);
        release = Change.of(db, untilEvent, "UPDATE tasktube_task SET state = 'r', event_at = expires_at, " + held);
        releaseDelayed = Change.of(
                db,
                untilEvent,
                "UPDATE tasktube_task SET state = '~', event_at = " + db.in("?") + ", expires_at = " + delayedLife
                        + ", " + held);
        releaseDelayedForLife = Change.of(
                db,
                untilEvent,
                "UPDATE tasktube_task SET state = '~', event_at = " + db.in("?") + ", expires_at = " + db.in("?") + ", "
                        + held);
        releaseForLife = Change.of(
                db,
                untilEvent,
                "UPDATE tasktube_task SET state = 'r', event_at = " + db.in("?") + ", expires_at = " + db.in("?") + ", "
                        + held);
        requeue = Change.of(
                db,
                untilEvent,
                "UPDATE tasktube_task SET state = 'r', event_at = expires_at, ord = " + db.newId() + ", " + BEHIND
                        + ", " + held);
        String buried =
                "UPDATE tasktube_task SET state = '!', event_at = expires_at, behind = false, buried_count = buried_count + 1";
        bury = Change.of(db, untilEvent, buried + ", " + held);
        buryIdle = Change.of(db, untilEvent, buried + " " + IN_STATE);
        touch = Change.of(
                db,
                untilEvent,
                "UPDATE tasktube_task SET event_at = " + db.plus("event_at", "?") + ", expires_at = " + delayedLife
                        + " " + HELD);
        heartbeat = Change.of(db, untilEvent, "UPDATE tasktube_task SET event_at = " + db.in("ttr_ms") + " " + HELD);

        failDelayed = Change.of(
                db,
                untilEvent,
                "UPDATE tasktube_task SET state = '~', " + FAILED + "event_at = " + db.in("?") + ", expires_at = "
                        + delayedLife + ", " + held);
        failReady = Change.of(
                db, untilEvent, "UPDATE tasktube_task SET state = 'r', " + FAILED + "event_at = expires_at, " + held);
        failBuried = Change.of(
                db,
                untilEvent,
                "UPDATE tasktube_task SET state = '!', " + FAILED
                        + "event_at = expires_at, buried_count = buried_count + 1, " + held);

        dig = Change.of(
                db, untilEvent, "UPDATE tasktube_task SET state = 'r', attempts = 0, " + BEHIND + " " + IN_STATE);
        removeAll = db.removed(TASK, "DELETE FROM tasktube_task WHERE " + db.byId(ALL));
        truncate = db.removedByState("DELETE FROM tasktube_task WHERE " + db.byId(ALL));

        now = "SELECT " + db.now();
        // A scalar subquery is one look at the index for each tube; EXISTS becomes a join over all that is ready
        readyTubes = """
                SELECT id FROM tasktube_tube t WHERE id = ANY(?) AND ((
                  SELECT id FROM tasktube_task WHERE tube_id = t.id AND state = 'r' AND NOT behind
                  AND (expires_at IS NULL OR expires_at > %s)
                  ORDER BY %s FETCH FIRST 1 ROW ONLY) IS NOT NULL
                OR sub_queues AND (
                  SELECT id FROM tasktube_note WHERE tube_id = t.id AND id >= %s
                  ORDER BY tube_id, id FETCH FIRST 1 ROW ONLY) IS NOT NULL
                OR sub_queues AND %s)""".formatted(db.now(), db.readyOrder(), db.notesFrom(), db.freedTube());

        nextEvent = "SELECT " + untilEvent
                + " FROM tasktube_task WHERE event_at IS NOT NULL ORDER BY event_at FETCH FIRST 1 ROW ONLY";
        dueEvents = "SELECT id, event_at FROM tasktube_task WHERE event_at <= " + db.now()
                + " AND event_at >= ? AND (event_at > ? OR id > ?) ORDER BY event_at, id FETCH FIRST ? ROWS ONLY";
        lockDue = "SELECT id, tube_id, state FROM tasktube_task WHERE id = ANY(?) AND " + db.plus("event_at", "0")
                + " <= " + db.now() + " FOR UPDATE SKIP LOCKED";

        makeReady = Change.of(
                db,
                "id",
                "UPDATE tasktube_task SET state = 'r', event_at = expires_at,"
                        + " behind = (utube IS NOT NULL AND state = '~'), " + UNHELD + " WHERE id = ANY(?)");
    }
}
