package org.tasktube.store.sql;

/**
 * A statement that changes tasks, as a query. It returns columns of each changed row, as the row is after the change.
 * If it removes the row, the columns are as they were before.
 *
 * <p>In a tube with sub-queues, the same transaction must mark the sub-queue of each changed task as dirty. In a tube
 * with a capacity, it must free the slot of each removed task. The tracked form is for that. In PostgreSQL it does
 * both. In H2 its last two columns name the tubes and the sub-queues for the statements that follow.
 *
 * <p>If the history of the tube has the change, the same transaction must add a move for each changed task. The kept
 * forms are for that, without and with the tracking.
 */
record TrackedStatement(
        NamedStatement plain,
        NamedStatement tracked,
        NamedStatement kept,
        NamedStatement trackedAndKept,
        boolean removes) {

    /** The answer with the ids. */
    static final String IDS = "id";

    /** The answer with the ids, and the time until the deadline of each task in milliseconds. */
    static final String DEADLINES = "id, {until_deadline}";

    /** The answer with the ids, and the states that the tasks had. */
    static final String STATES = "id, state";

    static TrackedStatement of(Statements statements, String name, String answer) {
        boolean removes = statements.get(name).text().startsWith("DELETE");
        String frame = removes ? "deleted" : "updated";
        return new TrackedStatement(
                statements.framed(frame, name, answer),
                statements.framed(frame + "_tracked", name, answer),
                statements.framed(frame + "_kept", name, answer),
                statements.framed(frame + "_tracked_kept", name, answer),
                removes);
    }
}
