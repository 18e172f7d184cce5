package org.tasktube;

/** The tube does not have the task: it was acked, deleted, or removed by its ttl, or it never existed. */
public final class TaskNotFoundException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    public TaskNotFoundException(String tube, long id) {
        super("task " + id + " was not found in tube '" + tube
                + "': it was acked, deleted or removed by its ttl, or never existed;"
                + " check its id, and put it again if its work is still due");
    }
}
