package org.tasktube;

/** The tube already has a task of that unique key, and the put has {@link OnConflict#FAIL}. */
public final class TaskExistsException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    private final long id;

    public TaskExistsException(String tube, String key, long id) {
        super("tube '" + tube + "' already has task " + id + " of the key '" + key
                + "'; keep or replace that task, or put this one when that one has ended");
        this.id = id;
    }

    /** Returns the id of the existing task. */
    public long id() {
        return id;
    }
}
