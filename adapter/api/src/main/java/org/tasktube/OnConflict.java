package org.tasktube;

/** The effect of {@link Tube#putUnique} if the tube already has a task of that key. */
public enum OnConflict {
    /** Returns the existing task unchanged. */
    KEEP,
    /**
     * Replaces the data, headers, pri and times of a READY or DELAYED task by the new ones. The times count from now.
     * The task keeps its id. It also keeps its place, if it stays READY and its pri stays the same. A TAKEN or BURIED
     * task is returned unchanged.
     */
    REPLACE,
    /** Fails the put with a {@link TaskExistsException}. */
    FAIL
}
