package org.tasktube;

/** The task is not TAKEN, so no session can ack, release, requeue or touch it. */
public final class TaskNotTakenException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    private final TaskState state;

    public TaskNotTakenException(String tube, long id, TaskState state) {
        super("task " + id + " in tube '" + tube + "' is not taken by anybody: it is " + state + " and should be "
                + TaskState.TAKEN + "; it was released, by its ttr if it has one, so take it again");
        this.state = state;
    }

    /** Returns the state of the task when the call failed. */
    public TaskState state() {
        return state;
    }
}
