package org.tasktube.store.jpa;

/**
 * A statement that changes tasks, as a query for what it is to say of the rows that it changed: as they are then, or, if it
 * removed them, as they were.
 *
 * <p>In a tube with sub-queues the same transaction must leave a note of each that it changed, and in one with a capacity
 * give back the place of each task that it removed. The followed form is for that: in PostgreSQL it does it, in H2 it says
 * in its last two columns what is to be done.
 */
record Change(String plain, String followed, boolean removes) {

    static Change of(Database db, String columns, String dml) {
        boolean removes = dml.startsWith("DELETE");
        return removes
                ? new Change(db.removed(columns, dml), db.removedFollowed(columns, dml), true)
                : new Change(db.changed(columns, dml), db.changedFollowed(columns, dml), false);
    }
}
