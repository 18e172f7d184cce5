package org.tasktube.store.sql;

/**
 * A statement that changes tasks, as a query. It returns columns of each changed row, as the row is after the change.
 * If it removes the row, the columns are as they were before.
 *
 * <p>The plain form is for tubes without sub-queues, capacity and history. The full form, by {@link Dialect#full}, also
 * marks the sub-queue of each changed task as dirty, frees the slot of each removed task in a tube with a capacity, and
 * adds a move for each task whose tube has the change in its history, all in the same transaction.
 */
record TrackedStatement(NamedStatement plain, NamedStatement full, boolean removes) {

    /** The answer with the ids. */
    static final String IDS = "id";

    /** The answer with the ids, and the time until the deadline of each task in milliseconds. */
    static final String DEADLINES = "id, {until_deadline}";

    /** The answer with the ids, the states that the tasks had, and whether others may wait for them. */
    static final String STATES = "id, state, followed";

    static TrackedStatement of(Statements statements, String name, String answer) {
        boolean removes = statements.get(name).text().startsWith("DELETE");
        String frame = removes ? "deleted" : "updated";
        return new TrackedStatement(
                statements.framed(frame, name, answer), statements.framed(frame + "_full", name, answer), removes);
    }
}
