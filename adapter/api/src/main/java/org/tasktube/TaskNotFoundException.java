package org.tasktube;

/** There is no such task in the tube: it was acked or deleted, its ttl was over, or it never was there. */
public final class TaskNotFoundException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    public TaskNotFoundException(String tube, long id) {
        super("task " + id + " was not found in tube '" + tube + "'");
    }
}
