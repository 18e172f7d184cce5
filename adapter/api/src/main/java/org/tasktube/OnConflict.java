package org.tasktube;

/** What {@link Tube#putUnique} does when there is a task of that key already. */
public enum OnConflict {
    /** The task that is there stays as it is, and is returned. */
    KEEP,
    /**
     * A task that is READY or DELAYED gets the data, pri and times of the new one, which count from now, and keeps its id
     * and, where it stays READY in its pri, its place. One that is TAKEN or BURIED stays as it is, and is returned.
     */
    REPLACE,
    /** The put fails with a {@link TaskExistsException}. */
    FAIL
}
