package org.tasktube.store.sql;

/**
 * A statement that changes tasks, as a query for what it says of the rows that it changed: as they are then, or, if it
 * removed them, as they were.
 *
 * <p>In a tube with sub-queues the same transaction must mark the sub-queue of each task that it changed as dirty, and in a
 * tube with a capacity free the slot of each task that it removed. The tracked form is for that: in PostgreSQL it does so,
 * in H2 it says in its last two columns what is to be done.
 */
record TrackedStatement(NamedStatement plain, NamedStatement tracked, boolean removes) {

    /** Answers with the ids. */
    static final String IDS = "id";

    /** Answers with the ids, and how many milliseconds are left until the next deadline of each. */
    static final String DEADLINES = "id, {until_deadline}";

    /** Answers with the ids, and the states that the tasks were in. */
    static final String STATES = "id, state";

    static TrackedStatement of(Statements statements, String name, String answer) {
        boolean removes = statements.get(name).text().startsWith("DELETE");
        String frame = removes ? "deleted" : "updated";
        return new TrackedStatement(
                statements.framed(frame, name, answer), statements.framed(frame + "_tracked", name, answer), removes);
    }
}
