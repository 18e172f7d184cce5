package org.tasktube;

/** There is a task of that unique key, and the put was not to be of a second one. */
public final class TaskExistsException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    private final long id;

    public TaskExistsException(String tube, String key, long id) {
        super("tube '" + tube + "' has a task of the key '" + key + "' already, task " + id
                + "; keep or replace it, or put this one when that one is worked off");
        this.id = id;
    }

    /** The task that is there. */
    public long id() {
        return id;
    }
}
