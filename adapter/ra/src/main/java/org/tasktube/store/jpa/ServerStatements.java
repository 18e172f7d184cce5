package org.tasktube.store.jpa;

/** Every statement about servers, sessions, and the tasks that they hold. */
final class ServerStatements {

    // Servers

    final String register;
    final String seen;
    /** Arguments: a name, the timeout of servers of that name in milliseconds, and that of all others. */
    final String peers;

    /** Arguments: node, when it was seen last. */
    final String markDead = "UPDATE tasktube_node SET dead = TRUE WHERE id = ? AND seen_at = ? AND NOT dead";

    final String goes = "UPDATE tasktube_node SET dead = TRUE WHERE id = ?";
    final String dead = "SELECT id FROM tasktube_node WHERE dead ORDER BY id";
    /** Arguments: node, node. */
    final String forget = "DELETE FROM tasktube_node WHERE id = ? AND dead"
            + " AND NOT EXISTS (SELECT 1 FROM tasktube_session s WHERE s.node = ?)";

    // Custody

    final String tubeIds = "SELECT id FROM tasktube_tube";

    private static final String TAKEN = """
            SELECT t.tube_id, t.id, t.session, t.token, t.node,
              EXISTS (SELECT 1 FROM tasktube_node n WHERE n.id = t.node AND NOT n.dead),
              EXISTS (SELECT 1 FROM tasktube_session s WHERE s.session = t.session)
            FROM tasktube_task t WHERE t.tube_id = ANY(?) AND t.state = 't'""";

    /** Arguments: tubes. */
    final String taken = TAKEN;
    /** Arguments: tubes, session. */
    final String takenBySession = TAKEN + " AND t.session = ?";
    /** Arguments: ids. */
    final String lockTaken = "SELECT id, token FROM tasktube_task WHERE id = ANY(?) AND token IS NOT NULL"
            + " ORDER BY id FOR UPDATE SKIP LOCKED";
    /** Arguments: node, ids. */
    final String adopt = "UPDATE tasktube_task SET node = ? WHERE id = ANY(?)";
    /** Arguments: ids. */
    final Change release;

    // Sessions

    /** Arguments: session, node. */
    final String joinSession = "INSERT INTO tasktube_session (session, node) VALUES (?, ?)";

    final String nodesOfSession = "SELECT node FROM tasktube_session WHERE session = ?";
    /** If its time is still over. Arguments: session. */
    final String expireSession;

    /** Arguments: session, node. */
    final String leaveSession = "DELETE FROM tasktube_session WHERE session = ? AND node = ?";

    final String sessionsOf = "SELECT session FROM tasktube_session WHERE node = ?";
    /** Arguments: session, ttr. */
    final String keepSession;

    final String expiredSessions;

    ServerStatements(Database db) {
        register = db.changed("id", "INSERT INTO tasktube_node (name, seen_at) VALUES (?, " + db.now() + ")");
        seen = "UPDATE tasktube_node SET seen_at = " + db.now() + " WHERE id = ? AND NOT dead";
        peers = "SELECT id, name, seen_at, seen_at < "
                + db.in("-(CASE WHEN name = ? THEN CAST(? AS bigint) ELSE CAST(? AS bigint) END)")
                + ", dead FROM tasktube_node";
        release = Change.of(
                db,
                "id",
                "UPDATE tasktube_task SET state = 'r', event_at = expires_at, " + Statements.UNHELD
                        + " WHERE id = ANY(?)");
        keepSession = "INSERT INTO tasktube_session (session, node, expires_at) VALUES (?, 0, "
                + db.in("CAST(? AS bigint)") + ")";
        String expired = "expires_at <= " + db.now();
        expiredSessions = "SELECT session FROM tasktube_session WHERE " + expired;
        expireSession = "DELETE FROM tasktube_session WHERE session = ? AND node = 0 AND " + expired;
    }
}
